"""Lesson 2."""

import numpy as np

from ..calls import run
from ..language import _
from ..models.positions import sinusoids
from ..models.sizes import GPT2_SMALL, TOY_SIZES
from . import Item, in_a_row

W_E = np.array([[2, 0, 1], [1, 3, -1], [0, 2, 2], [4, 1, 0]])
W_POS = np.array([[0, 0.5, 0], [0.5, 0, -0.5], [0.25, -0.5, 1.5]])


def read_rows():
    picks = np.array([0, 1, 0, 2])
    return Item(
        _(
            "W_E = `{W_E}`. A row that is not quite one-hot: what is `{picks}` times W_E?",
            W_E=W_E.tolist(),
            picks=picks.tolist(),
        ),
        picks @ W_E,
        _("Row 1 once, and row 3 twice; the others are multiplied by 0."),
        {
            _("That is row 1 and row 3, once each. Row 3 counts twice."): W_E[1] + W_E[3],
            _("That takes rows 0 and 2. Places count from 0."): W_E[0] + 2 * W_E[2],
            _("That is all rows added. Two of them are multiplied by 0."): W_E.sum(axis=0),
            _("That is the first one's row only; there is a 2 in the last place."): W_E[1],
        },
        (
            _("Multiply each row of W_E by its number in front, and add the rows."),
            _("Two rows are multiplied by 0. Add row 1 and twice row 3."),
            _(
                "1 × {one} + 2 × {three} = {sum}.",
                one=W_E[1].tolist(),
                three=W_E[3].tolist(),
                sum=(picks @ W_E).tolist(),
            ),
        ),
    )


def add_place():
    ids = [3, 0, 1]
    return Item(
        _(
            "W_E = `{W_E}`, W_pos = `{W_pos}`. A text has the ids `{ids}`. What is the last row of X?",
            W_E=W_E.tolist(),
            W_pos=W_POS.tolist(),
            ids=ids,
        ),
        W_E[ids[2]] + W_POS[2],
        _("The row of token {i} and the row of place 2, added.", i=ids[2]),
        {
            _("That is the token's row. Its place is missing."): W_E[ids[2]],
            _("The two rows are added, not multiplied."): W_E[ids[2]] * W_POS[2],
            _("That takes the place's row by the token's id. The last of three tokens stands at place 2."): W_E[ids[2]]
            + W_POS[ids[2]],
            _("That takes the token's row by its place. Its id is {i}.", i=ids[2]): W_E[2] + W_POS[2],
            _("That is the first row of X."): W_E[ids[0]] + W_POS[0],
        },
        (
            _("Which row of W_E does the last id mean? Which place does it stand at?"),
            _("Row {i} of W_E, and row 2 of W_pos. Add them.", i=ids[2]),
            _(
                "{token} + {place} = {sum}.",
                token=W_E[ids[2]].tolist(),
                place=W_POS[2].tolist(),
                sum=(W_E[ids[2]] + W_POS[2]).tolist(),
            ),
        ),
    )


def cosine():
    a, b = np.array([3.0, 4.0]), np.array([5.0, 12.0])
    lengths = np.linalg.norm(a), np.linalg.norm(b)
    value = a @ b / (lengths[0] * lengths[1])
    return Item(
        _("What is the cosine of `{a}` and `{b}`?", a=a.tolist(), b=b.tolist()),
        value,
        _(
            "The dot product is {dot:g}, the lengths are {p:g} and {q:g}: nearly the same direction.",
            dot=a @ b,
            p=lengths[0],
            q=lengths[1],
        ),
        {
            _("That is the dot product. Divide it by both lengths."): a @ b,
            _("That is divided by the lengths without their roots."): a @ b / (a @ a * (b @ b)),
            _("That is divided by the first length only; there is a second one."): a @ b / lengths[0],
            _("That is divided by the second length only; there is a first one."): a @ b / lengths[1],
            _("That is the distance between them, which also depends on how long they are."): np.linalg.norm(a - b),
            _("That is the angle, in degrees. Its cosine is asked."): np.degrees(np.arccos(value)),
        },
        (
            _("The dot product, over the product of the two lengths."),
            _("A length is the root of the sum of the squares: the first is {p:g}.", p=lengths[0]),
            _("{dot:g} / ({p:g} × {q:g}) = {value:.3f}.", dot=a @ b, p=lengths[0], q=lengths[1], value=value),
        ),
    )


def waves():
    place, d = 2, 4
    P, angle = sinusoids(place + 1, d), np.array([place, place, place / 100, place / 100])
    as_degrees = np.where(np.arange(d) % 2 == 0, np.sin(np.radians(angle)), np.cos(np.radians(angle)))
    column = np.array([place / 10_000 ** (2 * j / d) for j in range(d)])
    return Item(
        _("Positions of sine and cosine, d = {d}. What is the row of place {place}?", d=d, place=place),
        P[place],
        _("The sine and cosine of {place}, then those of {place} / 100.", place=place),
        {
            _("That is in degrees. The formula is in radians."): as_degrees,
            _("Sine and cosine have changed places: the sine comes first."): P[place][[1, 0, 3, 2]],
            _("The column's number stands where the pair's number belongs."): np.where(
                np.arange(d) % 2 == 0, np.sin(column), np.cos(column)
            ),
            _("That is place 1. Places count from 0."): P[1],
            _("That has both sines first, then both cosines. They alternate."): P[place][[0, 2, 1, 3]],
        },
        (
            _("Two pairs. The first has the angle {place}, in radians: its sine, its cosine.", place=place),
            _("The second pair's angle is {place} over the root of 10000.", place=place),
            _(
                "sin {a:g}, cos {a:g}, sin {b:g}, cos {b:g}: in radians {row}.",
                a=angle[0],
                b=angle[2],
                row=in_a_row(P[place]),
            ),
        ),
    )


def noticed():
    texts, zeros = ("o gato no sofá no", "o sofá no gato no"), np.zeros((5, TOY_SIZES.d_model))
    before, after = (run(text, replace={"pos_embed": zeros})["probs"] for text in texts)
    n = int((abs(before - after) > 1e-9).any(axis=1).sum())
    return Item(
        _(
            "The toy reads `{one}` and then `{other}`, without positions. "
            "How many of the five places predict something else?",
            one=texts[0],
            other=texts[1],
        ),
        n,
        _("The two that hold another token, and the one between them. After these, the same words have been read."),
        {
            _("The first token has read nothing but itself, so it predicts the same."): 4,
            _("Those two hold another token. But who has read one of them without the other?"): 2,
            _("Something does change: a token that is another one predicts something else."): 0,
            _("So it would be with positions and all places after the first word. Without them, order is lost."): 5,
        },
        (
            _("For each place, write down which tokens it can read. Is it the same set in both texts?"),
            _("And is its own token the same? The second swapped place has read the same; but it is another token."),
            _(
                "The first and the last place hold the same token and have read the same. {places} differ: {n} places.",
                places=in_a_row(np.flatnonzero((abs(before - after) > 1e-9).any(axis=1)).tolist()),
                n=n,
            ),
        ),
    )


def parameters():
    V, d, n = GPT2_SMALL.d_vocab, GPT2_SMALL.d_model, GPT2_SMALL.n_ctx
    return Item(
        _(
            "GPT-2 small has {V} tokens, d_model = {d} and a context of {n}. How many numbers has its W_E?",
            V=V,
            d=d,
            n=n,
        ),
        V * d,
        _("A row of {d} for each of {V} tokens.", d=d, V=V),
        {
            _("That is W_pos: a row for each place. W_E has one for each token."): n * d,
            _("That is W_E and W_pos together."): (V + n) * d,
            _("That counts the table twice. GPT-2 uses it at both ends, but has it once."): 2 * V * d,
            _("That is an addition. A table of rows and columns has their product."): V + d,
        },
        (
            _("How many rows, and how many numbers in each?"),
            _("One row for each token. The context does not matter here."),
            _("{V} × {d} = {product}.", V=V, d=d, product=V * d),
        ),
    )
