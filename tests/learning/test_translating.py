"""Learning to translate: each step against AdamW by hand; one whole training, and what is stored of it."""

from itertools import islice

import autograd
import autograd.numpy
import numpy as np
import plain_encoder_decoder as plain
import pytest

import toymodel as tm
from toymodel.learning.optimizers import adam
from toymodel.learning.translation import rate

pytestmark = pytest.mark.filterwarnings("error")

PAIRS, HELD_OUT = tm.translation.pairs, tm.translation.held_out
FEW = [("the cat", "el gato"), ("hello world", "hola mundo"), ("star and moon", "estrella y luna")]


@pytest.fixture(scope="module")
def learned():
    return list(tm.translation.train(PAIRS))


# ---- AdamW


def in_plain_python(w, derivatives, rate, beta1, beta2, decay):
    """Algorithm 2 of Loshchilov & Hutter, for one number."""
    m = v = 0.0
    for t, g in enumerate(derivatives, start=1):
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        w -= rate * (m / (1 - beta1**t) / ((v / (1 - beta2**t)) ** 0.5 + 1e-8) + decay * w)
    return w


def test_weight_decay_is_that_of_the_paper_and_each_number_may_have_its_own():
    row, derivatives = np.array([1.0, -2.0, 0.5]), np.random.RandomState(0).standard_normal((6, 3))
    decays, step, moved = np.array([0.5, 0.0, 3.0]), None, row
    step = adam(0.9, 0.99, decays)
    for n, g in enumerate(derivatives, start=1):
        moved = step(moved, g, n, 0.05)
    expected = [in_plain_python(*it, 0.05, 0.9, 0.99, d) for *it, d in zip(row, derivatives.T, decays, strict=True)]
    np.testing.assert_allclose(moved, expected, rtol=1e-12)


def test_without_decay_it_is_adam_to_the_last_bit():
    row, g = np.random.RandomState(0).standard_normal((2, 50))
    plainly, with_none = adam(), adam(decay=np.zeros(50))
    for n in (1, 2, 3):
        np.testing.assert_array_equal(plainly(row, g, n, 0.1), with_none(row, g, n, 0.1))


def test_the_rate_rises_in_100_steps_and_falls_in_a_line():
    rates = [rate(n, 1500) for n in range(1, 1501)]
    np.testing.assert_allclose(rates[:100], 0.005 * np.arange(1, 101) / 100)
    np.testing.assert_allclose(np.diff(rates[100:]), -0.005 / 1400)
    assert max(rates) == 0.005 == rates[99] and rates[-1] == pytest.approx(0.005 / 1400)
    assert all(0 < rate(n, 7) <= 0.005 for n in range(1, 8))


# ---- the first steps, by hand


def words(text):
    return [tm.translation.run("the").vocab.index(word) for word in text.split()]


def loss(w, source, target, np=np):
    start, end = words("SOS EOS")
    return plain.loss(w, words(source), [start, *words(target)], end, np)


@pytest.mark.parametrize("decay", [0.5, 0.0])
def test_a_training_of_seven_steps_is_that_of_the_formulas(decay):
    made = list(tm.translation.train(FEW, steps=7, seed=5, weight_decay=decay))
    draw, w = np.random.RandomState(5), made[0].weights
    for name, it in sorted(w.items()):
        if it.ndim == 2:
            numbers = draw.standard_normal(it.shape) / (1 if name == "W_E" else len(it) ** 0.5)
            np.testing.assert_allclose(it, numbers, rtol=1e-12)
        else:
            assert (it == float(name.endswith("gain"))).all()
    order = [FEW[i] for _round in range(3) for i in draw.permutation(3)]
    m, v, losses = dict.fromkeys(w, 0.0), dict.fromkeys(w, 0.0), []
    for n, record in enumerate(made):
        losses.append(loss(w, *order[n]))
        assert record.n == n and record.loss == pytest.approx(np.mean(losses[-3:]), abs=1e-10)
        for name, it in w.items():
            np.testing.assert_allclose(record.weights[name], it, rtol=0, atol=1e-9, err_msg=f"{n} {name}")
        g = autograd.grad(lambda w, n=n: loss(w, *order[n], autograd.numpy))(w)
        m = {name: 0.9 * m[name] + 0.1 * g[name] for name in w}
        v = {name: 0.99 * v[name] + 0.01 * g[name] ** 2 for name in w}
        moved, t, size = {}, n + 1, 0.005 * min((n + 1) / 100, 1, 7 - n)
        for name, it in w.items():
            adam = m[name] / (1 - 0.9**t) / ((v[name] / (1 - 0.99**t)) ** 0.5 + 1e-8)
            moved[name] = it - size * (adam + decay * (it.ndim == 2) * it)
        w = moved


# ---- a whole training


def test_1500_steps_make_every_pair_right_those_that_were_held_out_too(learned):
    assert [it.n for it in learned] == list(range(1501))
    assert learned[0].loss > 3 and learned[-1].loss < 0.05
    last, first = learned[-1].weights, learned[0].weights
    assert [tm.translation.score(pairs, last) for pairs in (PAIRS, HELD_OUT)] == [42, 9]
    assert [tm.translation.score(pairs, first) for pairs in (PAIRS, HELD_OUT)] == [0, 0]
    assert tm.translation.translate("hello world", last) == "hola mundo"


def test_what_is_stored_are_its_weights(learned):
    stored = tm.translation.weights()
    assert stored.keys() == learned[-1].weights.keys()
    for name, w in learned[-1].weights.items():
        np.testing.assert_allclose(w, stored[name], rtol=0, atol=1e-6, err_msg=name)


def test_what_is_stored_without_weight_decay_is_what_comes_of_that():
    *_before, last = tm.translation.train(PAIRS, weight_decay=0.0)
    for name, w in tm.translation.weights(decay=False).items():
        np.testing.assert_allclose(w, last.weights[name], rtol=0, atol=1e-6, err_msg=name)


def test_every_record_has_weights_of_its_own(learned):
    assert not any(np.shares_memory(a.weights["W_E"], learned[0].weights["W_E"]) for a in learned[1:3])


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    first, again, other = (list(tm.translation.train(FEW, steps=4, seed=seed)) for seed in (0, 0, 1))
    for a, b, c in zip(first, again, other, strict=True):
        assert a.loss == b.loss != c.loss
        assert all(np.array_equal(w, b.weights[name]) for name, w in a.weights.items())


def test_it_may_learn_other_pairs_of_its_words_and_the_other_way_round():
    pairs = [("el gato", "the cat"), ("la luna", "the moon")]
    *_before, last = tm.translation.train(pairs, steps=200)
    assert tm.translation.score(pairs, last.weights) == 2


def test_pairs_may_come_from_anything_that_can_be_listed():
    for pairs in (iter(FEW), tuple(FEW), [list(pair) for pair in FEW], np.array(FEW)):
        assert len(list(islice(tm.translation.train(pairs, steps=1), 5))) == 2


NO_PAIRS = r"pairs must be a list of two texts each, such as \[\('the cat', 'el gato'\)\]\.$"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ({"pairs": it}, NO_PAIRS)
            for it in (None, 3, "the cat", [], [("the cat",)], [("a", "b", "c")], [5], ["ab"], "ab")
        ),
        ({"pairs": [("the cat", "el gatito")]}, "`gatito` is not a word of this model. Known words: hello world hola"),
        ({"pairs": [("", "el gato")]}, "the source is empty: write at least one word"),
        ({"pairs": [("the cat", "y " * 9)]}, "the target has 9 words; it can have 8 at most"),
        ({"pairs": [(5, "el gato")]}, "the text must be a string, not int"),
        *(({"steps": it}, "steps must be a whole number from 1 to 20,000") for it in (0, 1.5, None, 10**6)),
        *(({"seed": it}, "seed must be a whole number") for it in (-1, 0.5, None)),
        *(
            ({"weight_decay": it}, "weight_decay must be a finite number from 0 up")
            for it in (-1, np.nan, np.inf, None, "off")
        ),
    ],
    ids=str,
)
def test_what_cannot_be_learned_from_is_refused_before_the_first_step(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        tm.translation.train(**{"pairs": FEW} | arguments)


def test_a_decay_that_leads_beyond_float64_is_refused_where_it_happens():
    with pytest.raises(ValueError, match="larger than float64 can hold: try a smaller weight_decay"):
        list(tm.translation.train(FEW, steps=50, weight_decay=1e200))


# ---- what tells el from la


MEMORY, FOUND = "encoder.0.ln2.out", "decoder.0.cross.z"
MALE, FEMALE, COLOURS = ("cat", "dog"), ("house", "moon", "star"), ("black", "red", "small", "white")
SIDES = [(a, b) for one, other in [(MALE, FEMALE), (FEMALE, MALE)] for a in one for b in other]
EXCHANGES = [tuple(f"the {colour} {noun}" for noun in nouns) for colour in COLOURS for nouns in SIDES]


def article(source, weights, **replaced):
    return tm.ranking(tm.translation.run(source, "", weights, replaced or None)).index[0]


def turned(weights, key, i):
    """How often another first word is written when one row (or head) of `key` is that of a noun of the other gender."""
    n = 0
    for source, other in EXCHANGES:
        exchanged, others = (tm.translation.run(it, "", weights)[key].copy() for it in (source, other))
        exchanged[i] = others[i]
        n += article(source, weights, **{key: exchanged}) != article(source, weights)
    return n


def test_the_row_of_the_noun_tells_el_from_la_through_head_0():
    """Lesson 8 shows one of these exchanges, and says that nearly all go as this one."""
    w = tm.translation.weights()
    assert len(EXCHANGES) == 48 and {article(a, w) for a, _b in EXCHANGES} == {"el", "la"}
    assert [turned(w, MEMORY, row) for row in (0, 1, 2)] == [3, 0, 45]
    assert [turned(w, FOUND, head) for head in (0, 1)] == [48, 0]


def test_with_another_seed_it_is_the_row_of_the_article():
    """The same call, other draws: the encoder has told `the` what stands behind it, and the noun is not needed."""
    *_before, last = tm.translation.train(PAIRS, seed=1)
    assert all(tm.translation.translate(*it, last.weights) == right for *it, right in HELD_OUT)
    assert [turned(last.weights, MEMORY, row) for row in (0, 1, 2)] == [48, 0, 0]
