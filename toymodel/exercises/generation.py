"""Lesson 5."""

import numpy as np

from ..core.ops import softmax
from ..language import _
from . import Item


def temperature():
    p, T = np.array([0.9, 0.1]), 2.0
    root = p ** (1 / T)
    return Item(
        _(
            "There are two tokens only. At temperature 1 they have the probabilities `{p}` (ln of these are logits "
            "that fit). What has the first at temperature {T:g}?",
            p=p.tolist(),
            T=T,
        ),
        root[0] / root.sum(),
        _(
            "It was {ratio:g} times as probable as the other: their logits differ by ln {ratio:g}. Over {T:g}, they "
            "differ by ln {root:g}: now it is {root:g} times as probable.",
            ratio=p[0] / p[1],
            root=root[0] / root[1],
            T=T,
        ),
        {
            _("The order does not change with the temperature, but the probabilities do."): p[0],
            _("That divides the probability. The temperature divides the logits, before the softmax."): p[0] / T,
            _("That is at temperature {T:g}: the logits were multiplied.", T=1 / T): p[0] ** T / (p**T).sum(),
            _("That is a softmax of the probabilities. The logits are their logarithms."): softmax.value(p / T)[0],
            _("The roots are right. Now they must sum to 1."): root[0],
            _("That is where a very high temperature leads."): 0.5,
            _("That is the second token's."): root[1] / root.sum(),
        },
        (
            _("How many times as probable is the first as the second? That number is e to the difference of logits."),
            _("Take ln of both probabilities, divide by the temperature, then take the softmax."),
            _(
                "{p:g} to {q:g} is {ratio:g} to 1, and √{ratio:g} = {root:g}. {root:g} / ({root:g} + 1) = {answer:g}.",
                p=p[0],
                q=p[1],
                ratio=p[0] / p[1],
                root=root[0] / root[1],
                answer=root[0] / root.sum(),
            ),
        ),
        probability=True,
    )


def top_k():
    p, k = np.array([0.4, 0.25, 0.2, 0.1, 0.05]), 2
    kept = p[:k]
    return Item(
        _("The probabilities are `{p}`. What has the second token after top-k {k}?", p=p.tolist(), k=k),
        p[1] / kept.sum(),
        _("Those that are kept have {sum:g} together, and share the whole in proportion.", sum=kept.sum()),
        {
            _("That is before the cut. What is left must sum to 1 again."): p[1],
            _("What was cut is not given out in equal parts: divide by the sum of those kept."): p[1]
            + (1 - kept.sum()) / k,
            _("They do not get equal parts: the first stays likelier than the second."): 1 / k,
            _("That is a softmax of probabilities. Divide by the sum of those kept."): softmax.value(kept)[1],
            _("That keeps one token more."): p[1] / p[: k + 1].sum(),
            _("That is what the first token has."): p[0] / kept.sum(),
        },
        (
            _("Which tokens are kept? What is their sum?"),
            _("Divide the probability of the second by the sum of all that are kept."),
            _(
                "{a:g} + {b:g} = {sum:g}, and {b:g} / {sum:g} = {answer:.3f}.",
                a=p[0],
                b=p[1],
                sum=kept.sum(),
                answer=p[1] / kept.sum(),
            ),
        ),
        probability=True,
    )


def top_p():
    p, least = np.array([0.1, 0.3, 0.05, 0.35, 0.2]), 0.75

    def reached(order):
        return int(1 + np.sum(p[order].cumsum() < least))

    falling = np.argsort(-p)
    return Item(
        _("The probabilities are `{p}`. How many tokens does top-p {least:g} keep?", p=p.tolist(), least=least),
        reached(falling),
        _("From the likeliest on, the sums are {sums}.", sums=", ".join(f"{it:g}" for it in p[falling].cumsum())),
        {
            _("The likeliest stay below the sum that is asked for: the token that reaches it is kept, too."): reached(
                falling
            )
            - 1,
            _("That adds them up as they stand. Begin with the likeliest."): reached(np.arange(len(p))),
            _("That is all of them. Begin with the likeliest, and stop where the sum is reached."): len(p),
            _("That is the likeliest alone. Does it reach the sum?"): 1,
        },
        (
            _("Put them in order, the likeliest first, and add up."),
            _("Stop at the first token with which the sum is reached. It is kept."),
            _(
                "{tokens} = {sum:g} is the first sum that reaches {least:g}: {n} tokens.",
                tokens=" + ".join(f"{it:g}" for it in p[falling][: reached(falling)]),
                sum=p[falling][: reached(falling)].sum(),
                least=least,
                n=reached(falling),
            ),
        ),
    )


def likeliest():
    first, then = np.array([0.6, 0.4]), np.array([0.5, 0.9])
    products = first * then
    return Item(
        _(
            "A text begins with A or B, with the probabilities `{first}`. After A, the likeliest token has {a:g}, "
            "after B {b:g}. What is the probability of the likeliest text of two tokens?",
            first=first.tolist(),
            a=then[0],
            b=then[1],
        ),
        products.max(),
        _("It begins with B. Greedy takes A, and ends with less: {product:.2f}.", product=products[0]),
        {
            _("That is greedy's text. Its first step is the better one, but is the whole?"): products[0],
            _("That multiplies the best first step by the best second one. They are not on one branch."): first.max()
            * then.max(),
            _("Along a branch probabilities are multiplied, not added."): first[1] + then[1],
            _("That adds the two branches. It is asked for one text."): products.sum(),
            _("That is the second step alone."): then.max(),
            _("That is the first step alone."): first.max(),
        },
        (
            _("How probable is the best text that begins with A? And the best with B?"),
            _("Multiply along each branch, and take the larger product."),
            _(
                "A: {a:g} × {c:g} = {first:g}. B: {b:g} × {d:g} = {second:g}. The larger is {largest:g}.",
                a=first[0],
                b=first[1],
                c=then[0],
                d=then[1],
                first=products[0],
                second=products[1],
                largest=products.max(),
            ),
        ),
        probability=True,
    )


def cache():
    n, d_k = 9, 8
    return Item(
        _(
            "A head has read {n} tokens and kept their keys and values. It reads one more. Each query and each key has "
            "{d_k} numbers. How many multiplications do the new dots take, query times keys?",
            n=n,
            d_k=d_k,
        ),
        (n + 1) * d_k,
        _(
            "One query meets {m} keys, its own among them. Each dot product takes {d_k} multiplications.",
            m=n + 1,
            d_k=d_k,
        ),
        {
            _("That is without the cache: all queries meet all keys anew."): (n + 1) ** 2 * d_k,
            _("The new token reads itself, too."): n * d_k,
            _("That counts the dots. How many multiplications does each take?"): n + 1,
            _("That is one dot product. How many keys are there?"): d_k,
            _("Those are the dots and the mixing of values together."): 2 * (n + 1) * d_k,
            _("That is without the cache, and without the new token."): n**2 * d_k,
        },
        (
            _("How many queries are new? How many keys do they meet?"),
            _("A dot product of two rows of {d_k} numbers takes {d_k} multiplications.", d_k=d_k),
            _(
                "1 query, {n} + 1 = {m} keys, {d_k} multiplications each: {m} × {d_k} = {product}.",
                n=n,
                m=n + 1,
                d_k=d_k,
                product=(n + 1) * d_k,
            ),
        ),
    )


def lens():
    row, W_U = np.array([2.0, 0.0, 0.0, -2.0]), np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    z = row / row.std() @ W_U
    return Item(
        _(
            "Early on its path, a row of the stream is `{row}`. There are two tokens; their columns of W_U are `{a}` "
            "and `{b}`. Seen through a logit lens, what is the probability of the first?",
            row=row.tolist(),
            a=W_U[:, 0].tolist(),
            b=W_U[:, 1].tolist(),
        ),
        softmax.value(z)[0],
        _("The row through a LayerNorm gives the logits {a:.3f} and {b:.3f}; then the softmax.", a=z[0], b=z[1]),
        {
            _("The LayerNorm is missing: a lens has one, as the end of the model has."): softmax.value(row @ W_U)[0],
            _("That divides by the variance. LayerNorm divides by its root."): softmax.value(row / row.var() @ W_U)[0],
            _("That divides by n - 1 in the variance. LayerNorm divides by n."): softmax.value(
                row / row.std(ddof=1) @ W_U
            )[0],
            _("That is the logit. The softmax comes after it."): z[0],
            _("That is the second token's."): softmax.value(z)[1],
            _("The second logit is not 0: its column reads the last number."): softmax.value([z[0], 0])[0],
        },
        (
            _("First a LayerNorm of the row, then W_U, then the softmax."),
            _("The mean of the row is 0. What is its standard deviation, and what are the two logits?"),
            _(
                "{a:g} / {std:.3f} = {z:.3f}, and the other logit is {other:.3f}. 1 / (1 + e^{difference:.3f}) = "
                "{p:.3f}.",
                a=row[0],
                std=row.std(),
                z=z[0],
                other=z[1],
                difference=z[1] - z[0],
                p=softmax.value(z)[0],
            ),
        ),
        probability=True,
    )
