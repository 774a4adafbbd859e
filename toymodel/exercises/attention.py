"""Lesson 3."""

import numpy as np

from ..calls import run
from ..core.ops import softmax
from ..language import _
from ..models.sizes import GPT2_SMALL
from . import Item


def score():
    Q, K = np.array([[2, 0, 1, 1], [1, 3, 0, 2], [0, 1, 1, 0]]), np.array([[0, 1, 2, 1], [2, 2, 3, 0], [1, 0, 0, 1]])
    dots, (n, d_k) = Q @ K.T, Q.shape
    return Item(
        _(
            "The rows of Q = `{Q}` are three queries, those of K = `{K}` three keys. "
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
            _("That is divided by the root of the number of keys, instead of the width of a query."): dots[1, 0]
            / n**0.5,
            _("That is divided by the number of keys, instead of the root of a query's width."): dots[1, 0] / n,
            _("That is query 1 with key 1. Rows count from 0."): dots[1, 1] / d_k**0.5,
            _("That is the first query with the first key. Rows count from 0, so query 1 is the second."): dots[0, 0]
            / d_k**0.5,
        },
        (
            _("Multiply the row of the query and the row of the key place by place, and add. Then scale."),
            _("The second row of Q with the first row of K. How many numbers does a query have?"),
            _(
                "{dot:g} is the dot product, and {dot:g} / √{d_k} = {answer:g}.",
                dot=dots[1, 0],
                d_k=d_k,
                answer=dots[1, 0] / d_k**0.5,
            ),
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
            _("The hidden score was set to 0. But e^0 is 1, so it leaks. Use minus infinity."): softmax.value(
                np.array([*may_see, 0.0])
            ),
            _("The mask came after the softmax: these do not sum to 1."): [*softmax.value(scores)[:2], 0.0],
            _("These are shares of the scores themselves. The softmax takes e to each score first."): [
                *(may_see / may_see.sum()),
                0.0,
            ],
            _("That is with powers of 2. The softmax takes powers of e."): [*(2**may_see / (2**may_see).sum()), 0.0],
            _("The right numbers in another order: keep that of the scores."): [*softmax.value(may_see)[::-1], 0.0],
            _("That is in per cent. Write them as numbers from 0 to 1."): [*(100 * softmax.value(may_see)), 0.0],
        },
        (
            _("First the mask, then e to the power of each score, then divide by the sum."),
            _("The hidden one is e to minus infinity, so two powers are left to share. Do yours sum to 1?"),
            _(
                "e^{a:g} = {p:.3f} and e^{b:g} = {q:.3f}: {p:.3f} / {sum:.3f} = {first:.3f}, {q:.3f} / {sum:.3f} = "
                "{second:.3f}, and 0.",
                a=may_see[0],
                b=may_see[1],
                p=np.exp(may_see[0]),
                q=np.exp(may_see[1]),
                sum=np.exp(may_see).sum(),
                first=softmax.value(may_see)[0],
                second=softmax.value(may_see)[1],
            ),
        ),
    )


def divisor():
    d_model, n_heads = GPT2_SMALL.d_model, GPT2_SMALL.n_heads
    d_head = d_model // n_heads
    return Item(
        _(
            "GPT-2 small has d_model = {d_model} and {n_heads} heads. By which number are its dots divided?",
            d_model=d_model,
            n_heads=n_heads,
        ),
        d_head**0.5,
        _("Each head is {d_head} numbers wide, and dots are sums of {d_head} products.", d_head=d_head),
        {
            _("That is d_head. The dots are divided by its square root."): d_head,
            _("That is the root of d_model. A dot product runs over the width of one head only."): d_model**0.5,
            _(
                "That is d_model itself. A dot product runs over the width of one head, and then comes the root."
            ): d_model,
            _("That is the root of the number of heads. Divide d_model by it first: that is a head's width."): n_heads
            ** 0.5,
            _("That is the number of heads. How wide does that make each?"): n_heads,
        },
        (
            _("How many numbers does the query of one head have?"),
            _("The heads share the d_model numbers equally. Then take the root."),
            _(
                "{d_model} / {n_heads} = {d_head}, and √{d_head} = {root:g}.",
                d_model=d_model,
                n_heads=n_heads,
                d_head=d_head,
                root=d_head**0.5,
            ),
        ),
    )


def identical_keys():
    values, query = [1.0, 6.0, 8.0], 1
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
            _("({a:g} + {b:g}) / 2 = {mean:g}.", a=visible[0], b=visible[1], mean=sum(visible) / 2),
        ),
    )


def changed_rows():
    before, after, place = "o gato subiu no", "o cão subiu no", 1

    def rows(causal):
        patterns = [run(text, causal=causal)["blocks.0.attn.pattern"] for text in (before, after)]
        return int((np.abs(patterns[1] - patterns[0]) > 1e-12).any(axis=(0, 2)).sum())

    n = len(run(before).tokens)
    return Item(
        _("With the mask on, the second of {n} tokens is replaced. How many rows of the weights can change?", n=n),
        rows(causal=True),
        _("Its own row, for it asks another question; and those after it, for they may read it. Earlier ones cannot."),
        {
            _("Without the mask, yes. With it, earlier tokens cannot see the change."): rows(causal=False),
            _("Its own row, yes. But others read it, too."): 1,
            _("Those that come after it, yes. But what about its own row?"): n - 1 - place,
            _("Those before it cannot see the change: the mask hides it. Those after it can."): place + 1,
        },
        (
            _("A row belongs to a query. Which queries may look at the second token?"),
            _("Go through the rows one by one: may this query look at the second token, and is it the second itself?"),
            _("Rows 1 to {last}, counted from 0: {n} of them.", last=n - 1, n=n - place),
        ),
    )


def mixture():
    weights, values = np.array([0.5, 0.3, 0.2]), np.array([[1.0, 0.0], [0.0, 2.0], [5.0, 5.0]])
    return Item(
        _(
            "A query has the attention weights `{weights}`. The values are the rows of `{values}`. What does it read?",
            weights=weights.tolist(),
            values=values.tolist(),
        ),
        weights @ values,
        _("Each weight times its row of V, and the rows added: place by place a mixture of what the tokens hand on."),
        {
            _("That is the plain mean. The rows do not count equally."): values.mean(axis=0),
            _("That is the value with the largest weight. The others are mixed in."): values[0],
            _("That is the sum of the values, without their weights."): values.sum(axis=0),
            _("The last value is missing: it is mixed in, too."): weights[:2] @ values[:2],
        },
        (
            _("The result is as long as a value. Its first number: the weights times the first numbers of the values."),
            _("First the weights with the first numbers of all three values, then with the second ones."),
            _(
                "The first number: {a:g} × {p:g} + {b:g} × {q:g} + {c:g} × {r:g} = {sum:g}. The second, in the same "
                "way: {other:g}.",
                a=weights[0],
                b=weights[1],
                c=weights[2],
                p=values[0, 0],
                q=values[1, 0],
                r=values[2, 0],
                sum=(weights @ values)[0],
                other=(weights @ values)[1],
            ),
        ),
    )
