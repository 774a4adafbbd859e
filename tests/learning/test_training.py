"""Training: what is learned and how soon, against automatic differentiation and the formulas of Adam."""

import math
from itertools import islice

import autograd
import autograd.numpy
import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel import calls

pytestmark = pytest.mark.filterwarnings("error")

ROOF, WALL = "o gato subiu no telhado.<eot>", "o cão subiu no muro.<eot>"
NOT_FINITE = [np.nan, np.inf, -np.inf, None, "fast", [0.1], True, 1j, 10**400, np.ones(2)]


def taken(n, *arguments, **settings):
    return list(islice(tm.train(*arguments, **settings), n))


def written(weights, text):
    return "".join(t.chosen for t in tm.generate(text, weights=weights))


@pytest.fixture(scope="module")
def learned():
    return taken(301, [ROOF, WALL])


def test_it_learns_to_write_the_sentences_it_was_given(learned):
    assert [it.n for it in learned] == list(range(301))
    assert [written(learned[300].weights, text) for text in ("o gato", "o cão")] == [
        "␣subiu␣no␣telhado.<eot>",
        "␣subiu␣no␣muro.<eot>",
    ]
    assert written(learned[0].weights, "o gato") == "<eot>"


def test_the_loss_falls_but_not_below_what_nobody_can_know(learned):
    """After `o` both go on: of 14 predictions two cost ln 2 at least."""
    losses = [it.loss for it in learned]
    assert losses[0] > 2 and losses[-1] < 0.3 and min(losses) > 2 * math.log(2) / 14


def test_one_sentence_alone_is_learned_by_heart():
    (*_before, last) = taken(201, [ROOF])
    assert last.loss < 0.15 and written(last.weights, "o") == "␣gato␣subiu␣no␣telhado.<eot>"


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_the_same_again_gives_the_same_numbers_and_another_seed_others(optimizer):
    first, again, other = (taken(20, [ROOF, WALL], 0.05, optimizer, seed) for seed in (0, 0, 1))
    for a, b, c in zip(first, again, other, strict=True):
        assert a.loss == b.loss != c.loss
        for name, w in a.weights.items():
            np.testing.assert_array_equal(w, b.weights[name])


@pytest.mark.parametrize("n_heads", [1, 2])
def test_the_loss_is_the_mean_over_the_texts(n_heads):
    for it in taken(4, [ROOF, WALL, "o gato"], n_heads=n_heads):
        losses = []
        for text in (ROOF, WALL, "o gato"):
            ids = tm.encode(text)
            losses.append(plain_model.loss(plain_model.forward(it.weights, ids, n_heads)["logits"], ids))
        np.testing.assert_allclose(it.loss, np.mean(losses), rtol=1e-12)


def fresh(seed):
    """Random weights, drawn table by table."""
    draw = np.random.RandomState(seed).standard_normal
    return {name: 0.3 * draw(w.shape) for name, w in tm.toy_weights().items()}


def plain_loss(weights, ids, n_heads=2, np=np):
    return plain_model.loss(plain_model.forward(weights, ids, n_heads, np=np)["logits"], ids, np=np)


def by_hand(texts, rate, optimizer, seed, n_steps, n_heads=2):
    """The mean loss and the weights before the first step and after each."""
    ids, w = [tm.encode(text) for text in texts], fresh(seed)
    m = {name: 0 * it for name, it in w.items()}
    v = dict(m)
    for n in range(n_steps + 1):
        yield np.mean([plain_loss(w, it, n_heads) for it in ids]), w
        g = autograd.grad(lambda w, n=n: plain_loss(w, ids[n % len(ids)], n_heads, autograd.numpy))(w)
        if optimizer == "sgd":
            w = {name: w[name] - rate * g[name] for name in w}
            continue
        m = {name: 0.9 * m[name] + 0.1 * g[name] for name in w}
        v = {name: 0.999 * v[name] + 0.001 * g[name] * g[name] for name in w}
        hats = [{name: it[name] / (1 - beta ** (n + 1)) for name in w} for it, beta in [(m, 0.9), (v, 0.999)]]
        w = {name: w[name] - rate * hats[0][name] / (hats[1][name] ** 0.5 + 1e-8) for name in w}


@pytest.mark.parametrize(
    ("texts", "rate", "optimizer", "seed", "n_heads"),
    [([ROOF, WALL], 0.01, "adam", 0, 2), ([ROOF, WALL], 0.1, "sgd", 3, 1), ([ROOF], 0.1, "adam", 1, 4)],
)
def test_training_is_that_of_the_formulas(texts, rate, optimizer, seed, n_heads):
    made = list(islice(tm.train(texts, rate, optimizer, seed, n_heads), 16))
    for n, (it, (loss, weights)) in enumerate(
        zip(made, by_hand(texts, rate, optimizer, seed, 15, n_heads), strict=True)
    ):
        assert it.n == n and abs(it.loss - loss) < 1e-10
        for name, w in weights.items():
            np.testing.assert_allclose(it.weights[name], w, rtol=0, atol=1e-9)


@pytest.fixture
def nudge(monkeypatch):
    """Called, it makes all training begin with weights whose last bits differ, each time in another way."""
    random, fresh = np.random.RandomState(0), calls.fresh_weights

    def nudged(seed, model):
        drawn = fresh(seed, model).items()
        return {name: w * (1 + 1e-14 * random.standard_normal(w.shape)) for name, w in drawn}

    return lambda: monkeypatch.setattr(calls, "fresh_weights", nudged)


@pytest.mark.parametrize(
    ("n", "rate", "optimizer", "atol"),
    [
        (601, 0.01, "adam", 1e-8),  # processors differ: 1.5e-9 was seen
        (301, 0.1, "adam", 1e-7),
        (6, 1, "adam", 1e-9),
        (6, 100, "adam", 1e-9),
        (6, 1, "sgd", 1e-9),
        (6, 10, "sgd", 1e-7),  # later, a large rate makes much of little: no lesson shows more steps of it
    ],
)
def test_the_last_bits_of_a_processor_do_not_reach_what_is_shown(nudge, n, rate, optimizer, atol):
    losses = [it.loss for it in taken(n, [ROOF, WALL], rate, optimizer)]
    nudge()
    others = [it.loss for it in taken(n, [ROOF, WALL], rate, optimizer)]
    assert others != losses
    np.testing.assert_allclose(others, losses, rtol=0, atol=atol)


def test_a_rate_that_is_too_large_makes_the_loss_worse_than_a_guess():
    for rate, optimizer in {1: "adam", 10: "sgd"}.items():
        losses = [it.loss for it in taken(4, [ROOF, WALL], rate, optimizer)]
        assert losses[0] < math.log(12) < losses[3]


def test_whether_adam_comes_back_within_100_steps_does_not_hang_on_the_last_bits(nudge):
    nudge()
    for _bits in range(4):
        losses = {rate: [it.loss for it in taken(101, [ROOF, WALL], rate, "adam")] for rate in (1, 100)}
        assert min(losses[1]) < 1 < 10 < min(losses[100][1:])  # far from a guess, 2.485, on either side


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("rate", [1e20, 1e77, 1e100, 1e155, 1e200, 1e308, -1e300])
def test_a_rate_beyond_float64_ends_in_a_sentence_and_never_in_nan(rate, optimizer):
    losses = []
    try:
        losses += [it.loss for it in islice(tm.train([ROOF, WALL], rate, optimizer), 20)]
    except ValueError as it:
        assert abs(rate) > 1e50
        assert str(it).startswith("in step ")
        assert str(it).endswith("the numbers grow larger than float64 can hold: try a smaller learning rate.")
    assert np.isfinite(losses).all()


def test_the_step_that_leads_beyond_float64_is_named_after_the_last_that_does_not():
    progress = tm.train([ROOF, WALL], 1e100)
    assert next(progress).n == 0
    with pytest.raises(ValueError, match=r"^in step 1 the numbers grow larger than float64 can hold"):
        next(progress)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"texts": ROOF}, "texts must be a list of sentences, not 'o gato"),
        ({"texts": None}, "texts must be a list of sentences, not None"),
        ({"texts": 3}, "texts must be a list of sentences, not 3"),
        ({"texts": []}, "there must be at least one text to learn from"),
        ({"texts": [ROOF, "xyz"]}, "`xyz` is not in the vocabulary"),
        ({"texts": [ROOF, ""]}, "the text is empty"),
        ({"texts": [ROOF, "o"]}, "`o` is one token"),
        ({"texts": ["o" * 9]}, "the text has 9 tokens; the model's context holds 8"),
        *(({"learning_rate": it}, "learning_rate must be a finite number") for it in NOT_FINITE),
        *(({"optimizer": it}, "optimizer must be 'sgd' or 'adam', not") for it in ("Adam", "", None, 1, np.ones(2))),
        *(({"n_heads": it}, "n_heads must be 1, 2 or 4") for it in (0, 3, 2.0, None)),
    ],
    ids=str,
)
def test_what_cannot_be_learned_from_is_refused_before_the_first_step(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        tm.train(**{"texts": [ROOF]} | arguments)
