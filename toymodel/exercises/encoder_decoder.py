"""Lesson 8."""

import numpy as np

from ..core.ops import softmax
from ..language import _
from ..translation import run
from . import Item, in_a_row


def positions():
    texts, places = ["dog and cat", "cat and dog", "dog dog and cat", "dog and cat dog and cat"], "encoder.pos_embed"
    runs, words = [run(text) for text in texts], [text.split() for text in texts]
    without = [run(text, replace={places: 0 * t[places]}) for text, t in zip(texts, runs, strict=True)]
    n_with, n = (len({tuple(t["probs"][0].round(9)) for t in them}) for them in (runs, without))
    counts, kinds = {tuple(sorted(it)) for it in words}, {frozenset(it) for it in words}
    shares = "; ".join(", ".join(f"{it.count(word)}/{len(it)}" for word in words[0]) for it in words)
    return Item(
        _(
            "A translator's encoder has no positions. For `{texts}`, how many different predictions does the decoder "
            "make after SOS?",
            texts=texts,
        ),
        n,
        _("Where a word stood is lost. Only `{other}` mixes the words in other shares.", other=texts[2]),
        {
            _("With positions, yes. Without them, does it matter where a word stands?"): n_with,
            _("Order is lost, yes. But if all words come twice, each weight is halved, and counts twice."): len(counts),
            _("Which words there are is not all: a word that comes more often than others gets more."): len(kinds),
        },
        (
            _("Attention mixes values by weights. What of a text can change a mixture, if no row knows its place?"),
            _("Write down the share of each word in each text."),
            _("Shares of dog, and, cat: {shares}. These are {n} different mixtures.", shares=shares, n=n),
        ),
    )


def cross_attention():
    n, words = 5, 2
    m = words + 1
    own, masked, across = n * n, m * (m + 1) // 2, m * n
    row, answer = " + ".join(map(str, range(1, m + 1))), own + masked + across
    return Item(
        _(
            "A source has {n} words; SOS and {words} words are written. How many attention weights have the encoder's "
            "self-attention, the decoder's and the cross-attention in all, one head each, without those a mask hides?",
            n=n,
            words=words,
        ),
        answer,
        _("Across, {m} rows of the decoder ask and all {n} of the encoder answer: no mask is needed.", m=m, n=n),
        {
            _("No mask lies on the cross-attention: all of the source may be read."): own + 2 * masked,
            _("No mask lies on the encoder: a word may read those after it."): n * (n + 1) // 2 + masked + across,
            _("A mask lies on the decoder's self-attention."): own + m * m + across,
            _("SOS is a row of the decoder, too."): own + words * m // 2 + words * n,
            _("The cross-attention is missing: queries from the decoder, keys from the encoder."): own + masked,
        },
        (
            _("For each of the three: where do queries come from, where keys, and does a mask hide any?"),
            _("Draw three tables: a row for each query, a column for each key. One of them is cut by the mask."),
            _("{n} × {n} + ({row}) + {m} × {n} = {answer}.", n=n, row=row, m=m, answer=answer),
        ),
    )


def heads():
    d, n, width = 8, 2, 6
    concat, one, W_O = n * width, 3 * d * width, n * width * d
    answer = n * one + W_O
    heads, out = f"{n} × 3 × {d} × {width} = {n * one}", f"{concat} × {d} = {W_O}"
    return Item(
        _(
            "With d_model = {d}, there are {n} heads of width {width}: wider than their share. How many weights have "
            "W_Q, W_K and W_V of all heads, and W_O, together?",
            d=d,
            n=n,
            width=width,
        ),
        answer,
        _("Whatever their width, W_O makes {d} numbers of the {concat} that stand side by side.", d=d, concat=concat),
        {
            _("That is with heads of width d_model / {n}. These are wider.", n=n): 4 * d * d,
            _("W_O is missing."): n * one,
            _("W_O is not square here: it reads all heads side by side."): n * one + d * d,
            _("That is a single head, and W_O."): one + W_O,
            _("Heads are not added before W_O: they stand side by side."): n * one + width * d,
        },
        (
            _("Which shape has the W_Q of one head? How many numbers does W_O read, and how many does it make?"),
            _("A head has three matrices of {d} rows and {width} columns. W_O reads all heads.", d=d, width=width),
            _("The heads {heads}, W_O {out}: together {answer}.", heads=heads, out=out, answer=answer),
        ),
    )


def feed_forward():
    d, d_mlp, n = 512, 2048, 10
    matrices = 2 * d * d_mlp
    answer = matrices + d_mlp + d
    return Item(
        _(
            "The MLP of 2017 makes {d_mlp} numbers of {d}, then {d} again, with biases. A text has {n} words. How many "
            "weights and biases does the MLP have?",
            d=d,
            d_mlp=d_mlp,
            n=n,
        ),
        answer,
        _("Nearly all stand in two matrices. Each row goes through the same ones, however long the text is."),
        {
            _("The biases are missing."): matrices,
            _("That is the way up. There is one down again."): d * d_mlp + d_mlp,
            _("On the way down there is a bias for each number made, not for each read."): matrices + 2 * d_mlp,
            _("There are biases on the way down, too."): matrices + d_mlp,
            _("All words go through the same weights."): n * answer,
        },
        (
            _("What are the shapes of W_in, b_in, W_out and b_out?"),
            _("W_in has {d} rows, {d_mlp} columns; W_out turns them round. Each column has a bias.", d=d, d_mlp=d_mlp),
            _("2 × {d} × {d_mlp} + {d_mlp} + {d} = {answer}.", d=d, d_mlp=d_mlp, answer=answer),
        ),
    )


def one_by_one():
    n, m = 5, 6
    runs, rows = m + 1, sum(range(1, m + 2))
    return Item(
        _(
            "{n} words are translated into {m}, and EOS. Nothing is kept: each run of the decoder reads anew all that "
            "is written. How many runs are there, one after the other, and how many rows go through them in all?",
            n=n,
            m=m,
        ),
        np.array([runs, rows]),
        _("Each run waits for the word of the one before. The encoder has all {n} rows at once: one run.", n=n),
        {
            _("EOS takes a run of its own."): np.array([m, rows - runs]),
            _("So it is with kept keys and values: one new row a run."): np.array([runs, runs]),
            _("So it is in training: all words are known, and go through at once."): np.array([1, runs]),
            _("What is not written yet has no row. The first run reads SOS alone."): np.array([runs, runs**2]),
            _("SOS is a row in each run, too."): np.array([runs, rows - runs]),
            _("The encoder's are among them: only the decoder's are asked for."): np.array([runs + 1, rows + n]),
        },
        (
            _("A run gives one word. What does the first one read, and what the last?"),
            _("The first run reads SOS; the last one reads SOS and all {m} words, and gives EOS.", m=m),
            _("{runs} runs, {sum} = {rows} rows.", runs=runs, sum=" + ".join(map(str, range(1, m + 2))), rows=rows),
        ),
    )


def six_blocks():
    row, times, n = np.array([0.0, 3.0, 6.0]), 20, 6

    def end(block):
        x = row
        for _n in range(n):
            x = block(x)
        return x[-1]

    def normed(x, ddof=0):
        return (x - x.mean()) / x.std(ddof=ddof)

    alone, off, answer = end(lambda x: times * x), row[-1] - row.mean(), end(lambda x: normed(x + times * x))
    return Item(
        _(
            "In each of {n} blocks, out is {times} times x. Each has a residual connection, then a LayerNorm (gain 1, "
            "bias 0, no epsilon). The first block reads `{row}`. What is the last number after the last block?",
            n=n,
            times=times,
            row=row.tolist(),
        ),
        answer,
        _("Each LayerNorm takes away how large the row has grown. Without both it is {alone:.0f}.", alone=alone),
        {
            _("That is without residual connections and LayerNorms."): alone,
            _("That is without LayerNorms."): end(lambda x: x + times * x),
            _("LayerNorm comes after the sum here, not before the block."): end(lambda x: x + times * normed(x)),
            _("The variance was divided by n - 1. LayerNorm divides by n."): end(lambda x: normed(x, 1)),
            _("The mean was not subtracted."): end(lambda x: x / x.std()),
        },
        (
            _("How many times x is the sum? And what does LayerNorm make of a row so many times as large?"),
            _("Of a row {by} times as large, LayerNorm makes the same. What does a second one change?", by=1 + times),
            _("So it is LayerNorm of the first row: {off:g} / √{v:g} = {end:.3f}.", off=off, v=row.var(), end=answer),
        ),
    )


def to_probabilities():
    x, W_U, b_U = np.array([2, -1]), np.array([[1, 1, 0], [1, -1, 1]]), np.array([2, -1, 1])
    z, without = x @ W_U + b_U, softmax.value(x @ W_U)[0]
    p, e, powers = softmax.value(z), np.exp(z), ", ".join(f"e^{a} = {np.exp(a):.3f}" for a in z)
    return Item(
        _(
            "The decoder's last row is `{x}`, W_U = `{W_U}`, b_U = `{b}`. The words are gato, blanco, EOS. What "
            "is the probability of gato?",
            x=x.tolist(),
            W_U=W_U.tolist(),
            b=b_U.tolist(),
        ),
        p[0],
        _("The logits are `{z}`. Without b_U, blanco would be the likeliest.", z=z.tolist()),
        {
            _("That is without b_U."): without,
            _("The biases are added before the softmax."): without + b_U[0],
            _("That is the logit. The softmax comes after it."): z[0],
            _("That is a share of the logits. The softmax takes e to each first."): z[0] / z.sum(),
            _("That is with powers of 2. The softmax takes powers of e."): 2.0 ** z[0] / (2.0**z).sum(),
            _("That is what blanco has."): p[1],
        },
        (
            _("The row times each column of W_U, plus the biases. Then the softmax."),
            _("The logit of gato is {z}. Which are the other two?", z=z[0]),
            _("{all}: {e:.3f} / {sum:.3f} = {p:.3f}.", all=powers, e=e[0], sum=e.sum(), p=p[0]),
        ),
        probability=True,
    )


def greedy():
    first, then = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.8, 0.95])
    both, most = first * then, (first * then).max()
    return Item(
        _(
            "A translation begins with la, el or un, with the probabilities `{first}`. After each, the likeliest word "
            "has `{then}`; then EOS is certain. How many times as likely as greedy's is the likeliest translation?",
            first=first.tolist(),
            then=then.tolist(),
        ),
        most / both[0],
        _("It begins with el. Greedy cannot take la back when nothing likely follows."),
        {
            _("Greedy's is not the likeliest. Multiply along the other branches, too."): 1.0,
            _("That is the likeliest one's probability. Over that of greedy's?"): most,
            _("That is greedy's over the likeliest: turn it round."): both[0] / most,
            _("The likeliest second word alone does not make it. Its first word counts, too."): both[2] / both[0],
            _("The best first word and the best second one are not on one branch."): first[0] * then[2] / both[0],
            _("Along a branch probabilities are multiplied, not added."): (first + then).max() / (first + then)[0],
        },
        (
            _("Multiply along each branch. Which one does greedy take?"),
            _("Greedy's has the probability {own:g}. Has another branch more?", own=both[0]),
            _("Of {all}: {most:g} / {own:g} = {n:g}.", all=in_a_row(both), most=most, own=both[0], n=most / both[0]),
        ),
    )
