"""Learning: SGD and Adam against hand calculations and plain Python, training against automatic differentiation."""

import math
from itertools import islice

import autograd
import autograd.numpy
import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel import calls
from toymodel.learning.optimizers import one_step

pytestmark = pytest.mark.filterwarnings("error")

TEXT, TARGET = "o gato subiu", "␣telhado"
t0 = tm.run(TEXT)
g0 = tm.gradients(t0, TARGET)
ROOF, WALL = "o gato subiu no telhado.<eot>", "o cão subiu no muro.<eot>"
NOT_FINITE = [np.nan, np.inf, -np.inf, None, "fast", [0.1], True, 1j, 10**400, np.ones(2)]


# ---- gradient descent


def test_a_step_of_learning_lowers_the_loss_and_leaves_the_old_weights():
    weights = tm.toy_weights()
    losses = []
    for _step in range(30):
        t = tm.run(TEXT, weights=weights)
        losses.append(tm.gradients(t).loss)
        weights = tm.sgd_step(weights, tm.gradients(t), learning_rate=0.02)
    assert losses == sorted(losses, reverse=True) and losses[-1] < 0.6 * losses[0]
    np.testing.assert_array_equal(tm.toy_weights()["W_U"], t0.weights["W_U"])


def test_a_step_of_learning_is_weight_less_rate_times_gradient():
    g = tm.gradients(t0)
    for name, w in tm.sgd_step(t0.weights, g, learning_rate=0.25).items():
        np.testing.assert_array_equal(w, t0.weights[name] - 0.25 * g[name])


def test_a_step_of_learning_may_move_some_of_the_weights_only():
    g = tm.gradients(t0)
    (name,) = tm.sgd_step({"W_E": t0.weights["W_E"]}, g)
    np.testing.assert_array_equal(tm.sgd_step({name: t0.weights[name]}, g)[name], t0.weights[name] - 0.1 * g[name])


@pytest.mark.parametrize("given", [None, t0, t0.weights, {}, 0.1, "W_E"], ids=type)
def test_a_step_of_learning_needs_gradients(given):
    with pytest.raises(ValueError, match=r"^sgd_step\(weights, gradients\) needs what tm\.gradients\(t\) gives, not "):
        tm.sgd_step(t0.weights, given)


@pytest.mark.parametrize("rate", [np.nan, np.inf, -np.inf, None, "fast", [0.1], True, 1j, 10**400, np.ones(2)], ids=str)
def test_a_step_of_learning_needs_a_finite_rate(rate):
    with pytest.raises(ValueError, match=r"^learning_rate must be a finite number, not"):
        tm.sgd_step(t0.weights, tm.gradients(t0), rate)


@pytest.mark.parametrize("rate", [0, 1, np.float32(0.5), np.int64(2), -0.5])
def test_a_rate_may_be_any_finite_number(rate):
    g = tm.gradients(t0)
    np.testing.assert_array_equal(tm.sgd_step(t0.weights, g, rate)["W_U"], t0["W_U"] - float(rate) * g["W_U"])


@pytest.mark.parametrize("wrong", [np.zeros((1, 4)), np.zeros((3, 3)), "abc", [[1, 2], [3]], np.full((12, 4), np.nan)])
def test_a_step_refuses_weights_that_are_not_the_gradients_shape(wrong):
    t = tm.run("o gato")
    with pytest.raises(ValueError, match=r"^weights\['W_E'\] "):
        tm.sgd_step({"W_E": wrong}, tm.gradients(t))


@pytest.mark.parametrize("weights", [None, [1], "W_E", t0], ids=type)
def test_a_step_of_learning_needs_weights_by_name(weights):
    with pytest.raises(ValueError, match=r"^weights must be a dict of named arrays"):
        tm.sgd_step(weights, g0)


# ---- Adam


def test_the_first_step_of_adam_by_hand():
    """One weight: m = 0.1 g, v = 0.001 g², their hats g and g²; so it moves by the rate, against g's sign."""
    w, g = t0["W_U"][1, 6], g0["W_U"][1, 6]
    it = tm.adam_step(t0.weights, g0, learning_rate=0.05)
    assert it.n == 1
    np.testing.assert_allclose(it.m["W_U"][1, 6], 0.1 * g, rtol=1e-12)
    np.testing.assert_allclose(it.v["W_U"][1, 6], 0.001 * g * g, rtol=1e-12)
    np.testing.assert_allclose(it.m_hat["W_U"][1, 6], g, rtol=1e-12)
    np.testing.assert_allclose(it.v_hat["W_U"][1, 6], g * g, rtol=1e-12)
    np.testing.assert_allclose(it.weights["W_U"][1, 6], w - 0.05 * g / (abs(g) + 1e-8), rtol=1e-14)
    unread = (g0["W_E"] == 0).all(axis=1)
    np.testing.assert_array_equal(it.weights["W_E"][unread], t0["W_E"][unread])  # 0 over epsilon


def in_plain_python(w, derivatives, rate, beta1, beta2, epsilon):
    """Algorithm 1 of Kingma & Ba, for one number: w, m and v after each step."""
    m = v = 0.0
    for t, g in enumerate(derivatives, start=1):
        m = beta1 * m + (1 - beta1) * g
        v = beta2 * v + (1 - beta2) * g * g
        w -= rate * (m / (1 - beta1**t)) / (math.sqrt(v / (1 - beta2**t)) + epsilon)
        yield w, m, v


def in_one_formula(w, derivatives, rate, beta1, beta2, epsilon):
    """The same as section 2 of the paper has it: the correction inside the rate, m and v as sums over all steps."""
    for t in range(1, len(derivatives) + 1):
        m = (1 - beta1) * sum(beta1 ** (t - i) * derivatives[i - 1] for i in range(1, t + 1))
        v = (1 - beta2) * sum(beta2 ** (t - i) * derivatives[i - 1] ** 2 for i in range(1, t + 1))
        correction = math.sqrt(1 - beta2**t)
        w -= rate * correction / (1 - beta1**t) * m / (math.sqrt(v) + epsilon * correction)
        yield w, m, v


@pytest.mark.parametrize("formula", [in_plain_python, in_one_formula])
@pytest.mark.parametrize(
    "settings", [(0.01, 0.9, 0.999, 1e-8), (0.3, 0.5, 0.9, 0.1), (-0.01, 0, 0, 1e-3)], ids=["usual", "other", "betas 0"]
)
def test_five_steps_of_adam_are_those_of_plain_python(settings, formula):
    weights, adam, seen = t0.weights, None, []
    names = ("learning_rate", "beta1", "beta2", "epsilon")
    for n in range(1, 6):
        g = tm.gradients(tm.run(TEXT, weights=weights))
        adam = tm.adam_step(weights, g, adam, **dict(zip(names, settings, strict=True)))
        assert adam.n == n
        seen.append((g, adam))
        weights = adam.weights
    for name, w in t0.weights.items():
        for index in np.ndindex(w.shape):
            expected = formula(w[index], [g[name][index] for g, _adam in seen], *settings)
            for (_g, it), (new, m, v) in zip(seen, expected, strict=True):
                np.testing.assert_allclose(it.m[name][index], m, rtol=1e-9, atol=1e-15)
                np.testing.assert_allclose(it.v[name][index], v, rtol=1e-9, atol=1e-15)
                np.testing.assert_allclose(it.weights[name][index], new, rtol=1e-9, atol=1e-12)


def test_a_step_of_adam_leaves_what_it_was_given():
    before = tm.adam_step(t0.weights, g0)
    copies = {name: (before.m[name].copy(), before.v[name].copy()) for name in before.m}
    tm.adam_step(before.weights, g0, before)
    for name, (m, v) in copies.items():
        np.testing.assert_array_equal(before.m[name], m)
        np.testing.assert_array_equal(before.v[name], v)
    np.testing.assert_array_equal(t0["W_U"], tm.toy_weights()["W_U"])


def test_adam_may_move_some_of_the_weights_and_later_fewer_but_not_more():
    some = {name: t0.weights[name] for name in ("W_E", "W_U")}
    before = tm.adam_step(some, g0)
    assert list(before.weights) == ["W_E", "W_U"]
    assert list(tm.adam_step({"W_U": before.weights["W_U"]}, g0, before).weights) == ["W_U"]
    with pytest.raises(ValueError, match=r"^before knows nothing of W_pos, blocks.*: begin again"):
        tm.adam_step(t0.weights, g0, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": [1]}, "weights must be a dict"),
        ({"weights": {"W_E": np.zeros((3, 3))}}, r"weights\['W_E'\] has the shape"),
        ({"gradients": {}}, r"adam_step\(weights, gradients\) needs what tm\.gradients\(t\) gives"),
        *(({"before": it}, "before must be what the last adam_step gave") for it in (0, {}, t0, "W_E")),
        *(({"learning_rate": it}, "learning_rate must be a finite number") for it in NOT_FINITE),
        *(({name: it}, f"{name} must be a number from 0") for name in ("beta1", "beta2") for it in (1, -0.1, None)),
        *(({"epsilon": it}, "epsilon must be a number above 0") for it in (0, -1e-8, np.nan, "small")),
    ],
    ids=str,
)
def test_adam_refuses_what_it_cannot_use(arguments, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        tm.adam_step(**{"weights": t0.weights, "gradients": g0} | arguments)


@pytest.mark.parametrize("step", [tm.sgd_step, tm.adam_step])
def test_a_step_beyond_float64_is_refused(step):
    with pytest.raises(ValueError, match="larger than float64 can hold"):
        step({name: w + 1e308 for name, w in t0.weights.items()}, g0, learning_rate=-1e308)


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


# ---- random weights

# row 0 of W_E, and the last number that is drawn
FRESH = [0.5292157037902991, 0.12004716251016698, 0.29362139523172176, 0.6722679597604373], 0.20842474309680178
FRESH_7 = [1.690525703800356, -0.4659373705408328], 0.9757826250950817


def test_fresh_weights_are_the_same_with_every_version_of_numpy():
    w = tm.fresh_weights()
    assert {name: it.shape for name, it in w.items()} == {name: it.shape for name, it in t0.weights.items()}
    assert list(w) == list(t0.weights)
    np.testing.assert_allclose(w["W_E"][0], FRESH[0], rtol=1e-12)
    np.testing.assert_allclose(w["W_U"][3, 11], FRESH[1], rtol=1e-12)
    other = {name: it / 0.3 for name, it in tm.fresh_weights(seed=7).items()}
    np.testing.assert_allclose(other["W_E"][0, :2], FRESH_7[0], rtol=1e-12)
    np.testing.assert_allclose(other["W_U"][3, 11], FRESH_7[1], rtol=1e-12)


def test_fresh_weights_are_spread_around_0():
    numbers = np.concatenate([w.ravel() for w in tm.fresh_weights().values()])
    assert abs(numbers.mean()) < 3 * 0.3 / 16 and abs(numbers.std() - 0.3) < 3 * 0.3 / math.sqrt(512)


@pytest.mark.parametrize("seed", [-1, 0.5, "0", None])
def test_a_seed_that_is_none_is_refused(seed):
    for call in (tm.fresh_weights, lambda it: tm.train([ROOF], seed=it)):
        with pytest.raises(ValueError, match=r"^seed must be a whole number"):
            call(seed)


# ---- training


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
