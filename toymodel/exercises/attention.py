"""Lesson 3."""

import numpy as np

from ..language import _
from ..models.toy import run
from ..ops import softmax
from . import Item


def score():
    Q, K = np.array([[2, 0, 1, 1], [1, 3, 0, 2]]), np.array([[0, 1, 2, 1], [2, 2, 3, 0]])
    dots, d_k = Q @ K.T, Q.shape[1]
    return Item(
        _(
            "The rows of Q = `{Q}` are two queries, those of K = `{K}` two keys. "
            "There is no mask. What is the score of query 1 with key 0?",
            Q=Q.tolist(),
            K=K.tolist(),
        ),
        dots[1, 0] / d_k**0.5,
        _("The dot product is {dot}, and a query has {d_k} numbers: {dot} / √{d_k}.", dot=dots[1, 0], d_k=d_k),
        {
            _("That is the dot product. A score is divided by the square root of d_k."): dots[1, 0],
            _("That is divided by d_k, not by its square root."): dots[1, 0] / d_k,
            _("That is query 0 with key 1: the matrix is read the wrong way round."): dots[0, 1] / d_k**0.5,
            _("That is divided by the root of the number of keys. It is the width of a query."): dots[1, 0] / 2**0.5,
            _("That is query 1 with key 1. Rows count from 0."): dots[1, 1] / d_k**0.5,
        },
        (
            _("Multiply the row of the query and the row of the key place by place, and add. Then scale."),
            _("The second row of Q with the first row of K. How many numbers does a query have?"),
        ),
    )


def weights():
    scores = np.array([3.0, 1.0, 2.0])
    may_see = scores[:2]
    return Item(
        _(
            "A query has the scores `{scores}`. The mask hides the last key. What are its three attention weights?",
            scores=scores.tolist(),
        ),
        [*softmax.value(may_see), 0.0],
        _("Minus infinity becomes exactly 0 in the softmax, and the other weights sum to 1 among themselves."),
        {
            _("That is without the mask: the last key must get nothing."): softmax.value(scores),
            _("The hidden score was set to 0. But e^0 is 1, so it leaks: it takes minus infinity."): softmax.value(
                np.array([*may_see, 0.0])
            ),
            _("The mask came after the softmax: these do not sum to 1."): [*softmax.value(scores)[:2], 0.0],
            _("These are shares of the scores themselves. The softmax takes e to each score first."): [
                *(may_see / may_see.sum()),
                0.0,
            ],
            _("That is with powers of 2. The softmax takes powers of e."): [*(2**may_see / (2**may_see).sum()), 0.0],
        },
        (
            _("First the mask, then e to the power of each score, then divide by the sum."),
            _("The hidden one is e to minus infinity, so two powers are left to share. Do yours sum to 1?"),
        ),
    )


def divisor():
    d_model, n_heads = 512, 8
    d_head = d_model // n_heads
    return Item(
        _(
            "The first Transformer has d_model = {d_model} and {n_heads} heads. By which number are its dots divided?",
            d_model=d_model,
            n_heads=n_heads,
        ),
        d_head**0.5,
        _("Each head is {d_head} numbers wide, and dots are sums of {d_head} products.", d_head=d_head),
        {
            _("That is d_head. The dots are divided by its square root."): d_head,
            _("That is the root of d_model. A dot product runs over the width of one head only."): d_model**0.5,
            _("That is the root of the number of heads."): n_heads**0.5,
        },
        (
            _("How many numbers has the query of one head?"),
            _("The heads share the d_model numbers equally. Then take the root."),
        ),
    )


def identical_keys():
    values, query = [2.0, 4.0, 9.0], 1
    visible = values[: query + 1]
    return Item(
        _(
            "Three tokens have the same key, and the values `{values}`. The mask is causal. "
            "What does the second token read?",
            values=values,
        ),
        sum(visible) / len(visible),
        _("Equal scores give equal weights, whatever the query: the plain mean of the values it may see."),
        {
            _("That is the mean of all three. The mask hides the third."): sum(values) / len(values),
            _("That is its own value. It reads the first one as well."): values[query],
            _("That is the first value. It reads its own as well."): values[0],
            _("That is the sum. The weights sum to 1, so they make a mean."): sum(visible),
        },
        (
            _("What are the scores of one query, if all keys are the same? And so its weights?"),
            _("Which of the three may the second token see?"),
        ),
    )


def changed_rows():
    before, after, place = "o gato subiu no", "o gato cãoiu no", 2

    def rows(causal):
        patterns = [run(text, causal=causal)["blocks.0.attn.pattern"] for text in (before, after)]
        return int((np.abs(patterns[1] - patterns[0]) > 1e-12).any(axis=(0, 2)).sum())

    n = len(run(before).tokens)
    return Item(
        _("With the mask on, the third of {n} tokens is exchanged. How many rows of the weights can change?", n=n),
        rows(causal=True),
        _("Its own row, for it asks another question; and those after it, for they may read it. Earlier ones cannot."),
        {
            _("Without the mask, yes. With it, earlier tokens cannot see the change."): rows(causal=False),
            _("Its own row, yes. But others read it, too."): 1,
            _("Those that come after it, yes. But what about its own row?"): n - 1 - place,
            _("Those before it are the ones that cannot see the change."): place + 2,
        },
        (
            _("A row belongs to a query. Which queries may look at the third token?"),
            _("Count the third token itself and all that come after it."),
        ),
    )


def cost():
    short, long = 1000, 3000
    return Item(
        _(
            "A text grows from {short:,} to {long:,} tokens. By which factor does the number of scores in a head grow?",
            short=short,
            long=long,
        ),
        (long / short) ** 2,
        _("Every query meets every key: n × n scores. With the causal mask about half are used, but the factor stays."),
        {
            _("So much grows the number of queries. Each of them has more keys, too."): long / short,
            _("That is the third power. There are two sides to a table of scores."): (long / short) ** 3,
            _("That is twice as much as the text. The sides of the table are multiplied, not added."): 2 * long / short,
        },
        (_("How many numbers has a table with a row for each query and a column for each key?"), _("Compare n × n.")),
        tolerance=0.02,
    )
