"""Learning: SGD and Adam against hand calculations and plain Python, training against automatic differentiation."""

import math

import numpy as np
import pytest

import toymodel as tm
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
