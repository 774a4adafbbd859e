"""Lesson 4."""

import numpy as np

from ..calls import run
from ..core.ops import gelu
from ..language import _
from . import Item, in_a_row

OUT = "blocks.0.attn.out"


def gain():
    row, gain, bias = np.array([1.0, 1.0, 1.0, 5.0]), 2.0, -1.0
    off, u = row[-1] - row.mean(), (row[-1] - row.mean()) / row.std()
    return Item(
        _(
            "A LayerNorm reads the row `{row}`. At its last number it has the gain {gain:g} and the bias {bias:g}. "
            "What comes out there?",
            row=row.tolist(),
            gain=gain,
            bias=bias,
        ),
        u * gain + bias,
        _("Less the mean, over the standard deviation, that is {u:.3f}; then times the gain, plus the bias.", u=u),
        {
            _("That is without gain and bias."): u,
            _("The bias is missing."): u * gain,
            _("The gain is missing."): u + bias,
            _("The bias came before the gain. First multiply, then add."): (u + bias) * gain,
            _("The variance was divided by n - 1. LayerNorm divides by n."): off / row.std(ddof=1) * gain + bias,
            _("That divides by the variance. LayerNorm divides by its root."): off / row.var() * gain + bias,
            _("The row was not divided by its standard deviation."): off * gain + bias,
            _("Gain and bias act on the number after it was normalised."): row[-1] * gain + bias,
        },
        (
            _("First normalise: less the mean, over the root of the mean square. Then times the gain, plus the bias."),
            _("Less the mean, the row is `{left}`. What is its standard deviation?", left=(row - row.mean()).tolist()),
            _(
                "{off:g} / {std:.3f} = {u:.3f}, and {u:.3f} × {gain:g} + ({bias:g}) = {out:.3f}.",
                off=off,
                std=row.std(),
                u=u,
                gain=gain,
                bias=bias,
                out=u * gain + bias,
            ),
        ),
    )


def neuron():
    u, column = np.array([1.0, -2.0, 0.5]), np.array([2.0, 0.5, 1.0])
    pre = u @ column
    post = gelu.value(pre)
    return Item(
        _(
            "An MLP reads the row `{u}`. A neuron's column of W_in is `{column}`. There is no bias. "
            "What does the neuron hand on, after GELU in its tanh form?",
            u=u.tolist(),
            column=column.tolist(),
        ),
        post,
        _("The product of row and column is {pre:g}, and GELU lets most of it through.", pre=pre),
        {
            _("That is before GELU, and what ReLU would hand on, too."): pre,
            _("That is the share that GELU lets through. It is still to be multiplied by the number."): post / pre,
            _("That is tanh of the product. GELU is another function, with a tanh inside."): np.tanh(pre),
            _("The brackets are not halved: GELU begins with 0.5 x."): 2 * post,
            _("That is GELU of the product with its sign turned."): gelu.value(-pre),
        },
        (
            _("Multiply place by place and add. Then put the sum into GELU's formula."),
            _("The formula stands under the heading GELU. `toymodel.ops.gelu.value` works it out, too."),
            _(
                "{a:g} × {p:g} + ({b:g}) × {q:g} + {c:g} × {r:g} = {pre:g}, and GELU lets a share of {share:.3f} "
                "through: {pre:g} × {share:.3f} = {post:.3f}.",
                a=u[0],
                b=u[1],
                c=u[2],
                p=column[0],
                q=column[1],
                r=column[2],
                pre=pre,
                share=post / pre,
                post=post,
            ),
        ),
    )


def opposites():
    x = 2.0
    up, down = gelu.value(x), gelu.value(-x)
    return Item(
        _(
            "In the toy, W_in is [I | -I], and W_out adds the two neurons of each number. "
            "Where u′ is {x:g}, what does the MLP add?",
            x=x,
        ),
        up + down,
        _("One neuron gets {x:g}, the other -{x:g}: GELU gives {up:.3f} and {down:.3f}.", x=x, up=up, down=down),
        {
            _("That is the neuron that is on. The other one hands on a little, too."): up,
            _("With ReLU it would be that, for the second neuron would be silent. GELU lets a little through."): x,
            _("They are not opposites any more after the bend: they do not cancel."): 0.0,
            _("That is the neuron that is off. Add the other one."): down,
        },
        (
            _("Two neurons read this number, one of them with the sign turned. What does each hand on?"),
            _("GELU of the number, plus GELU of minus the number."),
            _("{up:.3f} + ({down:.3f}) = {sum:.3f}.", up=up, down=down, sum=up + down),
        ),
    )


def share():
    parts, column = np.array([[2.0, 0.0, 1.0, -1.0], [0.0, 4.0, 1.0, 1.0]]), np.array([1.0, 0.5, 0.0, 0.0])
    (part, second), row = parts, parts.sum(axis=0)
    less, std = part - part.mean(), row.std()
    by_its_own, less_all = less / part.std(), (part - row.mean()) / std
    return Item(
        _(
            "A row of the stream is the sum of two parts, `{a}` and `{b}`. A token's column of W_U is `{column}`. "
            "In the ledger of this token's logit, what is the share of the first part?",
            a=part.tolist(),
            b=second.tolist(),
            column=column.tolist(),
        ),
        less / std @ column,
        _("The part less its own mean, over the standard deviation {std:.3f} of the whole row.", std=std),
        {
            _("That divides by the part's own standard deviation. The LayerNorm saw only the whole row."): by_its_own
            @ column,
            _("The mean was not subtracted."): part / std @ column,
            _("That subtracts the mean of the whole row. Each part has its own mean to give."): less_all @ column,
            _("That is not divided by the standard deviation."): less @ column,
            _("That is the share of the second part."): (second - second.mean()) / std @ column,
            _("That is the logit. It is asked for the share of one part."): (row - row.mean()) / std @ column,
        },
        (
            _("Add the parts, and find the row's standard deviation. Then follow the first part by itself."),
            _("Less its own mean, over that standard deviation, times the column."),
            _(
                "Less its mean {mean:g}, the part is `{less}`; times the column that is {dot:g}, and {dot:g} / "
                "{std:.3f} = {share:.3f}.",
                mean=part.mean(),
                less=less.tolist(),
                dot=less @ column,
                std=std,
                share=less / std @ column,
            ),
        ),
    )


def without_attention():
    texts = ["o gato subiu no", "o gato no", "o cão subiu no", "o muro subiu no"]

    def predictions(attention):
        runs = [run(text) for text in texts]
        if not attention:
            runs = [run(text, replace={OUT: np.zeros_like(t[OUT])}) for text, t in zip(texts, runs, strict=True)]
        return len({tuple(np.round(t["probs"][-1], 9)) for t in runs})

    return Item(
        _(
            "Attention is off. How many different predictions does the toy make after the last word of `{texts}`?",
            texts=texts,
        ),
        predictions(attention=False),
        _("All end in ␣no, but one is shorter. The last row knows its token and its place, and nothing else."),
        {
            _("That is with attention: each row can read the words before it."): predictions(attention=True),
            _("The last word is the same in all. But is its place, too?"): 1,
            _("Two of them end in the same word at the same place. So does a third."): 3,
        },
        (
            _("What does a row know that can read no other?"),
            _("Write down the last token of each sentence, and its place. Mind that subiu is two tokens."),
            _(
                "They end in ␣no at the places {places}: {n} different pairs of token and place.",
                places=in_a_row(len(run(text).tokens) - 1 for text in texts),
                n=predictions(attention=False),
            ),
        ),
    )


def residual():
    slope, n = 0.1, 4
    return Item(
        _(
            "Each of {n} blocks stands on the one before. The slope of the part inside is {slope:g} everywhere, and "
            "each has a residual connection. If the first input is nudged, how many times as far does the end move?",
            n=n,
            slope=slope,
        ),
        (1 + slope) ** n,
        _("Each block hands on the nudge itself, and a tenth of it. Without residuals, almost nothing is left."),
        {
            _("That is without residual connections: the nudge itself goes on, too."): slope**n,
            _("The slopes do not add up: the next block nudges all of it."): 1 + n * slope,
            _("Blocks do not add up: each one multiplies by {by:g} what the one before hands on.", by=1 + slope): n
            * (1 + slope),
            _("There is a residual connection around each block, not one around all."): 1 + slope**n,
            _("That is one block."): 1 + slope,
        },
        (
            _("One block: x + part(x). If x moves by 1, by how much does this move?"),
            _("What one block makes of a nudge, the next one gets. So multiply."),
            _(
                "1 + {slope:g} = {by:g} for each block, and {product} = {all:.3f}.",
                slope=slope,
                by=1 + slope,
                product=" × ".join([f"{1 + slope:g}"] * n),
                all=(1 + slope) ** n,
            ),
        ),
    )
