"""Lesson 8."""

from math import factorial

import numpy as np

from ..core.ops import softmax
from ..language import _
from . import Item


def positions():
    n_words = 3
    return Item(
        _(
            "An encoder has no mask, and here no places. In how many orders can it be given the same {n} different "
            "words, so that its rows for these words stay what they are?",
            n=n_words,
        ),
        factorial(n_words),
        _("In all of them: attention is a weighted sum, and a sum has no order. So places must be put in."),
        {
            _("Only the given order? Then something in the rows would have to tell where a word stands."): 1,
            _("So it would be if each word had to stay in place or change it with one other. Count all orders."): 3,
            _("Not backwards and forwards alone: any order gives the same sums."): 2,
            _("None? Then it would have to know where a word stands, and nothing tells it."): 0,
        },
        (
            _("What does a query see of a key: its row, or also where it stands?"),
            _("Every order gives the same sums. How many orders have {n} words?", n=n_words),
            _("3 × 2 × 1 = {n} orders, and none can be told from another.", n=factorial(n_words)),
        ),
    )


def cross():
    source, written, heads = 5, 3, 2
    rows = written + 1
    n = rows * source * heads
    return Item(
        _(
            "The source has {source} words, and {written} are written after SOS. How many cross-attention weights does "
            "one block with {heads} heads work out for all of it?",
            source=source,
            written=written,
            heads=heads,
        ),
        n,
        _("A row for each word that was written, SOS among them; a column for each word of the source; in each head."),
        {
            _("SOS asks, too: it writes the first word."): written * source * heads,
            _("That is one head."): rows * source,
            _("That is the decoder's own attention: there the keys are what was written."): rows**2 * heads,
            _("That is the encoder's attention: there the source asks itself."): source**2 * heads,
        },
        (
            _("Who asks here, and who is asked?"),
            _("Each of {rows} rows asks {source} words, in each head.", rows=rows, source=source),
            _("{rows} × {source} × {heads} = {n}.", rows=rows, source=source, heads=heads, n=n),
        ),
    )


def width():
    d_model, heads, d_head = 4, 2, 3
    wide = heads * d_head
    return Item(
        _(
            "As in the worked example, d_model is {d_model}, and {heads} heads are {d_head} wide. How many weights "
            "have W_Q, W_K, W_V and W_O together, biases aside?",
            d_model=d_model,
            heads=heads,
            d_head=d_head,
        ),
        4 * d_model * wide,
        _("Side by side the heads are {wide} wide: W_O brings them back. Narrower ones cost less.", wide=wide),
        {
            _("That is with heads that share d_model: here each is wider than that."): 4 * d_model * d_model,
            _("W_O is missing: it has as many rows as the heads are wide together."): 3 * d_model * wide,
            _("That is one head's."): 4 * d_model * d_head,
            _("That is W_Q alone."): d_model * wide,
        },
        (
            _("How wide are all heads side by side?"),
            _("Each of four matrices leads from {d_model} to {wide}, or back.", d_model=d_model, wide=wide),
            _("4 × {d_model} × {wide} = {n}.", d_model=d_model, wide=wide, n=4 * d_model * wide),
        ),
    )


def feed_forward():
    d_model, d_mlp = 512, 2048
    return Item(
        _(
            "In 2017 the MLP led from {d_model} numbers to {d_mlp}, and back. How many weights and biases has it?",
            d_model=d_model,
            d_mlp=d_mlp,
        ),
        2 * d_model * d_mlp + d_mlp + d_model,
        _("Two matrices of the same size, and a bias for each number that they make."),
        {
            _("The biases are missing."): 2 * d_model * d_mlp,
            _("That is the way there. The way back has as many weights."): d_model * d_mlp + d_mlp,
            _("The second bias is as long as what comes out: d_model."): 2 * d_model * d_mlp + 2 * d_mlp,
            _("One matrix would lead back to where it began: there are two, with a bend between."): d_model * d_model,
        },
        (
            _("There and back: two matrices. And how long is each bias?"),
            _("Each matrix has {product} weights.", product=d_model * d_mlp),
            _(
                "2 × {d_model} × {d_mlp} + {d_mlp} + {d_model} = {answer}.",
                d_model=d_model,
                d_mlp=d_mlp,
                answer=2 * d_model * d_mlp + d_mlp + d_model,
            ),
        ),
    )


def slower():
    source, target, time = 20, 15, 2.0
    return Item(
        _(
            "One run through a half takes {time:g} ms, however many words it reads at once. A source of {source} words "
            "becomes {target}, and EOS. How many ms does the translation take?",
            time=time,
            source=source,
            target=target,
        ),
        time * (1 + target + 1),
        _("The encoder reads all words at once. Each word of the target waits for the one before it; EOS, too."),
        {
            _("EOS takes a run as well."): time * (1 + target),
            _("The encoder reads the whole source in one run."): time * (source + target + 1),
            _("The decoder cannot write all words at once: each is read before the next one is written."): time * 2,
            _("What the encoder made is kept: it runs once, not for each word."): time * 2 * (target + 1),
        },
        (
            _("How often does each half run?"),
            _("The encoder once. The decoder once for each word, and for EOS."),
            _(
                "1 + {target} + 1 = {runs} runs, and {runs} × {time:g} = {answer:g}.",
                target=target,
                runs=target + 2,
                time=time,
                answer=time * (target + 2),
            ),
        ),
    )


def growth():
    x, out = np.array([1.0, 3.0, -1.0, 1.0]), np.array([10.0, 30.0, -10.0, 10.0])
    added = x + out
    value = (added[1] - added.mean()) / added.std()
    return Item(
        _(
            "A row is `{x}`, and what a part makes of it ten times as large: `{out}`. What is number 1 after "
            "add & norm (from 0; gain 1, bias 0)?",
            x=x.tolist(),
            out=out.tolist(),
        ),
        value,
        _("However large a part's output, LayerNorm brings the sum back to spread 1: nothing grows on and on."),
        {
            _("That is the sum. LayerNorm comes after it."): added[1],
            _("The mean was not subtracted."): added[1] / added.std(),
            _("That divides by the variance. LayerNorm divides by its root."): (added[1] - added.mean()) / added.var(),
            _("Subtracting the mean is only the first half."): added[1] - added.mean(),
        },
        (
            _("Add the two rows, then subtract the mean and divide by the standard deviation."),
            _("The sum is `{sum}`, its mean {mean:g}.", sum=added.tolist(), mean=added.mean()),
            _(
                "({a:g} - {mean:g}) / {std:.3f} = {value:.3f}.",
                a=added[1],
                mean=added.mean(),
                std=added.std(),
                value=value,
            ),
        ),
    )


def probabilities():
    row, W_U, b_U = np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.5, 1.0]]), np.array([0.0, 1.0])
    z = row @ W_U + b_U
    return Item(
        _(
            "The decoder's last row is `{row}`. There are two words: W_U = `{W_U}`, b_U = `{b_U}`. What is the "
            "probability of the first?",
            row=row.tolist(),
            W_U=W_U.tolist(),
            b_U=b_U.tolist(),
        ),
        softmax.value(z)[0],
        _("Row times column, plus bias: the logits {a:g} and {b:g}. Then the softmax.", a=z[0], b=z[1]),
        {
            _("The bias is missing."): softmax.value(row @ W_U)[0],
            _("That is the second word's."): softmax.value(z)[1],
            _("That is the logit. The softmax comes after it."): z[0],
            _("These are shares of the logits themselves. The softmax takes e to each first."): z[0] / z.sum(),
        },
        (
            _("First the two logits: the row times each column of W_U, plus its bias."),
            _("The logits are {a:g} and {b:g}.", a=z[0], b=z[1]),
            _("1 / (1 + e^{difference:g}) = {p:.3f}.", difference=z[1] - z[0], p=softmax.value(z)[0]),
        ),
        probability=True,
    )


def greedy():
    first, then = {"la": 0.55, "el": 0.45}, {"la": 0.4, "el": 0.8}
    best = max(first[it] * then[it] for it in first)
    by_greed = first["la"] * then["la"]
    return Item(
        _(
            "A decoder gives *la* {a:g} and *el* {b:g}. After *la* its likeliest word has {c:g}, after *el* {d:g}. How "
            "many times as probable as greedy's text of two words is the likeliest?",
            a=first["la"],
            b=first["el"],
            c=then["la"],
            d=then["el"],
        ),
        best / by_greed,
        _("Greedy takes la, likelier now, and cannot go back. Beam search keeps both beginnings for a while."),
        {
            _("That is the likeliest text's probability. Divide it by greedy's."): best,
            _("That is the other way round."): by_greed / best,
            _("That compares the first words alone."): first["el"] / first["la"],
            _("That compares the second words alone."): then["el"] / then["la"],
        },
        (
            _("Multiply along each of the two beginnings."),
            _("Greedy's text has {a:g}. What has the other?", a=by_greed),
            _(
                "{b:g} × {d:g} = {best:g}, {a:g} × {c:g} = {greedy:g}, and {best:g} / {greedy:g} = {answer:.3f}.",
                a=first["la"],
                b=first["el"],
                c=then["la"],
                d=then["el"],
                best=best,
                greedy=by_greed,
                answer=best / by_greed,
            ),
        ),
    )
