"""Lesson 9."""

import numpy as np

from ..core.ops import softmax
from ..language import _
from . import Item


def parameters():
    letters, n_ctx, d_model, d_mlp = 30, 16, 16, 64
    table = (letters + 1) * d_model
    rest = n_ctx * d_model + 4 * d_model**2 + 2 * d_model * d_mlp
    return Item(
        _(
            "An alphabet has {letters} letters. With {n_ctx} places, d_model {d_model} and {d_mlp} neurons, how many "
            "weights has the model of this lesson?",
            letters=letters,
            n_ctx=n_ctx,
            d_model=d_model,
            d_mlp=d_mlp,
        ),
        2 * table + rest,
        _("Each sign has a row of W_E and a column of W_U; all else does not depend on the alphabet."),
        {
            _("The end is a sign, too: it has a row and a column."): 2 * letters * d_model + rest,
            _("W_U is a table of its own here: it is not tied to W_E."): table + rest,
            _("The places have rows, too."): 2 * table + rest - n_ctx * d_model,
            _("The MLP has two matrices, in and out."): 2 * table + rest - d_model * d_mlp,
        },
        (
            _("List the matrices: two tables and W_U, four of attention, two of the MLP."),
            _("W_E and W_U have {table} numbers each: one sign more than there are letters.", table=table),
            _(
                "2 × {table} + {places} + 4 × {square} + 2 × {mlp} = {answer}.",
                table=table,
                places=n_ctx * d_model,
                square=d_model**2,
                mlp=d_model * d_mlp,
                answer=2 * table + rest,
            ),
        ),
    )


def rms_norm():
    row = np.array([3.0, -1.0, 1.0, 1.0])
    square, first = np.mean(row**2), row[0]
    return Item(
        _("RMSNorm (without epsilon) reads the row `{row}`. What does it make of the first number?", row=row.tolist()),
        first / np.sqrt(square),
        _("Only the size is divided out. The mean stays in the row."),
        {
            _("That is LayerNorm: RMSNorm subtracts no mean."): (first - row.mean()) / row.std(),
            _("That divides by the mean square. Take its root first."): first / square,
            _("That is the root of the sum of the squares, not of their mean."): first / np.sqrt(np.sum(row**2)),
            _("That divides by the mean of the numbers. Square them first."): first / row.mean(),
        },
        (
            _("Square all numbers, take the mean, take the root. Divide by that."),
            _("The squares are `{squares}`.", squares=(row**2).tolist()),
            _(
                "({squares}) / {n} = {square:g}, and {first:g} / √{square:g} = {answer:.3f}.",
                squares=" + ".join(f"{it:g}" for it in row**2),
                n=len(row),
                square=square,
                first=first,
                answer=first / np.sqrt(square),
            ),
        ),
    )


def loss():
    p = np.array([0.5, 0.25, 0.25, 1.0])
    surprise = -np.log(p)
    return Item(
        _(
            "A name of three letters: the model gives its letters, then its end, the probabilities `{p}`. What is the "
            "loss of the name?",
            p=p.tolist(),
        ),
        surprise.mean(),
        _("The mean over all that is predicted, the end included. The sign before the name is given, not predicted."),
        {
            _("That is the sum. The loss is the mean, so that long names do not count more."): surprise.sum(),
            _("The end is predicted, too: it counts in the mean."): surprise[:3].mean(),
            _("That is -ln of the mean. Take the logarithms first."): -np.log(p.mean()),
            _("That is with the logarithm to base 2. The loss takes the natural one."): -np.log2(p).mean(),
        },
        (
            _("How surprised is the model by each letter, and by the end? Take the mean."),
            _("-ln of each: `{each}`.", each=[f"{it:.3f}" for it in surprise + 0.0]),
            _(
                "({each}) / {n} = {answer:.3f}.",
                each=" + ".join(f"{it:.3f}" for it in surprise + 0.0),
                n=len(p),
                answer=surprise.mean(),
            ),
        ),
    )


def mask():
    scores, future = np.array([2.0, 0.0, 0.0]), 5.0
    e = np.exp(scores)
    return Item(
        _(
            "A letter may read three keys, with the scores `{scores}`. A fourth, which comes later, has {future:g}. "
            "What weight has the first?",
            scores=scores.tolist(),
            future=future,
        ),
        softmax.value(scores)[0],
        _("The mask comes before the softmax: what it hides is not even in the sum."),
        {
            _("The fourth comes later: it must not be in the sum."): e[0] / (e.sum() + np.exp(future)),
            _("The mask does not make a score 0, which would be e^0 = 1 in the sum. It makes it -inf."): e[0]
            / (e.sum() + 1),
            _("That is with powers of 2. The softmax takes powers of e."): 4 / 6,
            _("That is a share of the scores themselves. Take powers of e first."): 1.0,
            _("That is a share of all alike."): 1 / 3,
        },
        (
            _("Which keys are in the sum? Take e to the power of each of their scores."),
            _("e^{score:g} = {power:.3f}, and e^0 = 1, twice.", score=scores[0], power=e[0]),
            _("{power:.3f} / ({power:.3f} + 1 + 1) = {answer:.3f}.", power=e[0], answer=e[0] / e.sum()),
        ),
    )


def after_the_heads():
    z, W_O = np.array([2.0, -1.0]), np.array([[4.0, 1.0], [3.0, 2.0]])
    out = z @ W_O
    return Item(
        _(
            "Two heads of width 1 have read `{a:g}` and `{b:g}`. W_O = `{W_O}`. What is the first number that "
            "attention adds to the stream?",
            a=z[0],
            b=z[1],
            W_O=W_O.astype(int).tolist(),
        ),
        out[0],
        _("Side by side the heads are one row; a column of W_O mixes all of them."),
        {
            _("That is from the first head alone."): z[0] * W_O[0, 0],
            _("That is from the second head alone."): z[1] * W_O[1, 0],
            _("A row stands before W_O: its numbers meet a column of W_O, not a row."): W_O[0] @ z,
            _("That is the second number."): out[1],
            _("The heads are not added up: they stand side by side, and W_O mixes them."): z.sum(),
        },
        (
            _("The heads side by side are one row of two numbers. Multiply it with W_O."),
            _("The first column of W_O is `{column}`.", column=W_O[:, 0].astype(int).tolist()),
            _(
                "{a:g} × {p:g} + ({b:g}) × {q:g} = {answer:g}.",
                a=z[0],
                p=W_O[0, 0],
                b=z[1],
                q=W_O[1, 0],
                answer=out[0],
            ),
        ),
    )
