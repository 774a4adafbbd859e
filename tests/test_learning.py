"""Adam's steps and training from random weights, against the formulas with automatic differentiation."""

from itertools import islice

import autograd
import autograd.numpy
import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.learning import one_step

pytestmark = pytest.mark.filterwarnings("error")

TEXTS = ["o gato subiu no telhado.<eot>", "o cão subiu no muro.<eot>"]


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
    [(TEXTS, 0.01, "adam", 0, 2), (TEXTS, 0.1, "sgd", 3, 1), (TEXTS[:1], 0.1, "adam", 1, 4)],
)
def test_training_is_that_of_the_formulas(texts, rate, optimizer, seed, n_heads):
    made = list(islice(tm.train(texts, rate, optimizer, seed, n_heads), 16))
    for n, (it, (loss, weights)) in enumerate(
        zip(made, by_hand(texts, rate, optimizer, seed, 15, n_heads), strict=True)
    ):
        assert it.n == n and abs(it.loss - loss) < 1e-10
        for name, w in weights.items():
            np.testing.assert_allclose(it.weights[name], w, rtol=0, atol=1e-9)


def test_as_the_course_tells_it_learns_both_sentences():
    *_some, last = islice(tm.train(TEXTS), 301)
    assert last.n == 300 and last.loss < 0.3
    for begin, text in zip(["o gato", "o cão"], TEXTS, strict=True):
        *_before, t = tm.generate(begin, weights=last.weights)
        assert tm.decode(t.ids) + t.chosen == text


def test_one_step_is_that_of_either_optimizer():
    t = tm.run("o gato subiu")
    g = tm.gradients(t)
    weights, nothing = one_step(t.weights, g, 0.1, "sgd")
    assert nothing is None
    weights, first = one_step(t.weights, g, 0.1, "adam")
    assert first.n == 1 and weights is first.weights
    _weights, second = one_step(weights, g, 0.1, "adam", first)
    assert second.n == 2
    moved = np.abs(weights["W_U"] - t["W_U"])
    np.testing.assert_allclose(moved[g["W_U"] != 0], 0.1, rtol=1e-3)


# ---- what cannot be learned from


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"texts": "o gato"}, r"^texts must be a list of sentences, not 'o gato'"),
        ({"texts": 3}, r"^texts must be a list of sentences, not 3"),
        ({"texts": []}, "^there must be at least one text to learn from"),
        ({"texts": ["o gato", "o"]}, "^`o` is one token: without a next one, there is nothing to learn"),
        ({"texts": ["o rato"]}, "rato"),
        ({"texts": ["o gato", ""]}, r"\w"),
        ({"texts": ["o gato" + " gato" * 7]}, "9 tokens; the toy's context holds 8"),
        ({"texts": TEXTS, "optimizer": "adamw"}, "^optimizer must be 'sgd' or 'adam', not 'adamw'"),
        ({"texts": TEXTS, "optimizer": ["adam"]}, "^optimizer must be 'sgd' or 'adam', not"),
        ({"texts": TEXTS, "learning_rate": float("nan")}, "^learning_rate must be a finite number, not nan"),
        ({"texts": TEXTS, "learning_rate": "fast"}, "^learning_rate must be a finite number, not 'fast'"),
        ({"texts": TEXTS, "seed": -1}, "^seed must be a whole number from 0 up, not -1"),
        ({"texts": TEXTS, "seed": 0.5}, "^seed must be a whole number from 0 up, not 0.5"),
        ({"texts": TEXTS, "n_heads": 3}, "^n_heads must be 1, 2 or 4"),
    ],
    ids=str,
)
def test_what_cannot_be_learned_from_is_refused_before_the_first_step(given, said):
    with pytest.raises(ValueError, match=said):
        tm.train(**given)


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_where_float64_ends_a_sentence_says_in_which_step(optimizer):
    steps = tm.train(TEXTS, 1e200, optimizer)
    assert next(steps).loss < 3
    with pytest.raises(ValueError, match=r"^in step 1 the numbers grow larger than float64 can hold: try a smaller"):
        list(islice(steps, 5))
