"""Gradients against two ways of getting them that know nothing of `vjp`: nudging, and automatic differentiation."""

import itertools

import autograd
import autograd.numpy
import numpy as np
import plain_model
import pytest

import toymodel as tm

pytestmark = pytest.mark.filterwarnings("error")

TEXT, H = "o gato subiu", 1e-5
t0 = tm.run(TEXT)
STEPS = t0.keys()
hidden = np.where(np.eye(4, dtype=bool)[::-1], -np.inf, t0["blocks.0.attn.scores"])  # other ones than a causal mask
REPLACE = {
    "pattern by hand": {"blocks.0.attn.pattern": np.full((2, 4, 4), 0.2)},
    "scores hidden by hand": {"blocks.0.attn.masked_scores": hidden},
    "u wired to x, m to h": {"blocks.0.ln1.out": "blocks.0.resid_pre", "blocks.0.mlp.out": "blocks.0.resid_mid"},
    "no mask, by wire": {"blocks.0.attn.masked_scores": "blocks.0.attn.scores"},
    "logits by hand": {"logits": t0["logits"] + 1},
}
RUNS = {
    "two heads": {},
    "one head": {"n_heads": 1},
    "four heads": {"n_heads": 4},
    "no mask": {"causal": False},
    "random weights": {"weights": plain_model.random_weights(5)},
    **{name: {"replace": replace} for name, replace in REPLACE.items()},
}


def loss_of(run, target, **settings):
    """The loss of one run, worked out from its logits and not by toymodel."""
    t = tm.run(TEXT, **{**run, **settings})
    return plain_model.loss(t["logits"], t.ids, target and t.vocab.index(target))


def assert_central(gradient, numbers, loss_at, where):
    """Each number of `gradient` is the central difference of `loss_at` where that number is nudged."""
    assert gradient.shape == numbers.shape
    for index in np.ndindex(numbers.shape):
        analytic, ends = gradient[index], []
        if not np.isfinite(numbers[index]):
            assert analytic == 0, (where, index)
            continue
        for h in (H, -H):
            nudged = numbers.copy()
            nudged[index] += h
            ends.append(loss_at(nudged))
        central = (ends[0] - ends[1]) / (2 * H)
        assert abs(analytic - central) <= 1e-9 + 1e-7 * abs(analytic), (where, index, analytic, central)


# the loss of one target, and the mean loss, in turn
ALL = pytest.mark.parametrize(
    ("name", "target"),
    [("two heads", "␣telhado"), *zip(RUNS, itertools.cycle([None, "␣telhado"]))],
)


@ALL
def test_the_gradient_of_every_weight_is_the_central_difference(name, target):
    run = RUNS[name]
    t = tm.run(TEXT, **run)
    g = tm.gradients(t, target)
    assert sum(w.size for w in t.weights.values()) == 256
    for weight, numbers in t.weights.items():
        assert_central(
            g[weight],
            numbers,
            lambda nudged, weight=weight: loss_of(run, target, weights={**t.weights, weight: nudged}),
            weight,
        )


@ALL
def test_the_gradient_of_every_step_is_the_central_difference(name, target):
    run = RUNS[name]
    t = tm.run(TEXT, **run)
    g = tm.gradients(t, target)
    steps = [key for key in STEPS if key not in plain_model.ASIDES and key != "probs"]
    assert g.keys() == [*t.weights, *steps]
    for key in steps:
        assert_central(
            g[key],
            t[key],
            lambda nudged, key=key: loss_of(run, target, replace={**run.get("replace", {}), key: nudged}),
            key,
        )


@pytest.mark.parametrize("target", [6, None])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("weights", [None, plain_model.random_weights(6), plain_model.random_weights(7, spread=2)])
def test_an_automatic_differentiation_of_a_second_implementation_agrees(weights, n_heads, causal, target):
    t = tm.run("o gato gato. no", n_heads=n_heads, causal=causal, weights=weights)
    g = tm.gradients(t, target and t.vocab[target])

    def loss(weights):
        steps = plain_model.forward(weights, t.ids, n_heads, causal, np=autograd.numpy)
        return plain_model.loss(steps["logits"], t.ids, target, np=autograd.numpy)

    value, expected = autograd.value_and_grad(loss)({name: np.array(w) for name, w in t.weights.items()})
    assert abs(value - g.loss) <= 1e-12
    for name in t.weights:
        np.testing.assert_allclose(g[name], expected[name], rtol=1e-10, atol=1e-12, err_msg=name)


def test_the_mean_loss_is_that_of_every_token_the_text_itself_tells():
    p = tm.run(TEXT)["probs"]
    expected = -np.log([p[place, i] for place, i in enumerate(t0.ids[1:])])
    assert len(expected) == 3
    np.testing.assert_allclose(tm.gradients(t0).loss, expected.mean(), rtol=1e-14)


def test_the_loss_is_taken_at_temperature_1_whatever_the_trace_was_run_at():
    for temperature in (0, 0.5, 3):
        g = tm.gradients(tm.run(TEXT, temperature=temperature), "␣telhado")
        assert g.loss == tm.gradients(t0, "␣telhado").loss
        np.testing.assert_array_equal(g["W_U"], tm.gradients(t0, "␣telhado")["W_U"])


def test_going_back_twice_gives_the_same_gradients():
    g = tm.gradients(t0, "␣telhado")
    keys = g.keys()
    before = {key: g[key].copy() for key in keys}
    again = tm.gradients(t0, "␣telhado")
    assert g.loss == again.loss
    for key, was in before.items():
        np.testing.assert_array_equal(g[key], was)
        np.testing.assert_array_equal(again[key], was)


def test_gradients_are_read_only():
    g = tm.gradients(t0)
    keys = g.keys()
    for key in keys:
        with pytest.raises(ValueError, match="read-only"):
            g[key][...] = 0


def test_what_was_replaced_by_hand_cuts_the_path_behind_it():
    t = tm.run(TEXT, replace=REPLACE["pattern by hand"])
    g = tm.gradients(t)
    for key in ("q", "k", "dots", "scores", "masked_scores", "W_Q", "W_K"):
        assert not g[f"blocks.0.attn.{key}"].any()
    assert g["blocks.0.attn.pattern"].any()


@pytest.mark.parametrize("key", sorted(plain_model.ASIDES))
def test_an_aside_has_no_gradient_and_says_so(key):
    with pytest.raises(ValueError, match=f"`{key}` is an aside.*no gradient"):
        tm.gradients(t0)[key]


def test_the_probabilities_have_no_gradient_and_say_so():
    with pytest.raises(ValueError, match=r"`probs` has no gradient.*logits"):
        tm.gradients(t0)["probs"]


@pytest.mark.parametrize(("key", "meant"), [("W_e", "W_E"), ("blocks.0.attn.patern", "pattern"), (3, "")])
def test_an_unknown_gradient_suggests_near_ones(key, meant):
    with pytest.raises(tm.UnknownStep, match=f"{key}.*{meant}"):
        tm.gradients(t0)[key]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("telhado", "Did you mean ␣telhado"),
        (" telhado", "Did you mean ␣telhado"),
        ("xyz", "xyz.*Known tokens.*␣telhado"),
        ("", "Known tokens"),
        (6, "6.*Known tokens"),
        (["iu"], "iu.*Known tokens"),
        ({}, "Known tokens"),
        (np.array(["iu", "o"]), "Known tokens"),
    ],
)
def test_a_target_that_is_no_token_is_refused(target, message):
    with pytest.raises(ValueError, match=message):
        tm.gradients(t0, target=target)


def test_one_token_without_a_target_teaches_nothing():
    with pytest.raises(ValueError, match=r"no next token.*target"):
        tm.gradients(tm.run("o"))
    assert tm.gradients(tm.run("o"), "␣gato").loss > 0


# ---- the central difference, as toymodel takes it


@pytest.mark.parametrize("target", ["␣telhado", None])
def test_the_central_difference_of_every_weight_is_its_gradient(target):
    g, n = tm.gradients(t0, target), 0
    for key in t0.weights:
        for index in np.ndindex(g[key].shape):
            slope, n = tm.central_difference(t0, key, index, target).slope, n + 1
            assert abs(slope - g[key][index]) <= 1e-9 + 1e-7 * abs(g[key][index]), (key, index)
    assert n == 256


@pytest.mark.parametrize("name", [name for name in RUNS if name != "logits by hand"])
def test_the_central_difference_of_a_step_and_of_any_run_is_its_gradient(name):
    t = tm.run(TEXT, **RUNS[name])
    g = tm.gradients(t)
    for key in ("blocks.0.resid_pre", "blocks.0.attn.v", "blocks.0.ln2.out", "logits", "blocks.0.attn.W_O", "W_E"):
        index = tuple(n // 2 for n in g[key].shape)
        slope = tm.central_difference(t, key, index).slope
        assert abs(slope - g[key][index]) <= 1e-9 + 1e-7 * abs(g[key][index]), key


def test_a_central_difference_is_the_losses_on_both_sides_and_the_slope_between():
    w = tm.toy_weights()
    ends = []
    for nudge in (-0.1, 0.1):
        w["W_U"][1, 6] = 1 + nudge
        ends.append(loss_of({"weights": w}, "␣telhado"))
    it = tm.central_difference(t0, "W_U", (1, 6), "␣telhado", h=0.1)
    np.testing.assert_allclose(it, [*ends, (ends[1] - ends[0]) / 0.2], rtol=1e-12)


def test_a_nudge_too_small_for_float64_moves_nothing():
    it = tm.central_difference(t0, "W_U", (1, 6), "␣telhado", h=1e-17)
    assert it.below == it.above and it.slope == 0


@pytest.mark.parametrize("h", [0, -1e-5, np.nan, np.inf, None, "small", True, [1e-5]], ids=str)
def test_a_nudge_must_be_a_number_above_0(h):
    with pytest.raises(ValueError, match=r"^h must be a number above 0, not"):
        tm.central_difference(t0, "W_E", (0, 0), h=h)


@pytest.mark.parametrize(
    ("key", "index", "message"),
    [
        ("W_e", (0, 0), "There is no step `W_e`.*W_E"),
        ("W_E", (12, 0), "no such place"),
        ("W_E", (0,), "no such place"),
        ("blocks.0.ln1.mean", (0,), "is an aside"),
    ],
)
def test_what_cannot_be_nudged_is_refused(key, index, message):
    with pytest.raises(ValueError, match=message):
        tm.central_difference(t0, key, index)


def test_only_a_run_of_the_toy_that_read_its_whole_text_can_be_nudged():
    with pytest.raises(ValueError, match="a run that `extend` made has kept keys and values"):
        tm.central_difference(tm.extend(t0, "␣no"), "W_E", (0, 0), "␣telhado")
    with pytest.raises(ValueError, match="first argument must be a Trace"):
        tm.central_difference({}, "W_E", (0, 0))


def test_what_has_no_derivative_cannot_be_nudged():
    for key, message in [("probs", "has no gradient"), ("blocks.0.ln1.mean", "is an aside")]:
        with pytest.raises(ValueError, match=message):
            tm.central_difference(t0, key, (0, 0), "␣no")
    with pytest.raises(ValueError, match="needs the run of a model that says what comes next"):
        tm.central_difference(tm.attend([[1]], [[1]], [[1]], [[1]]), "W_Q", (0, 0))


@pytest.mark.parametrize(
    "place", [("W_U", (2, 6)), ("blocks.1.mlp.W_in", (3, 5)), ("blocks.1.resid_pre", (4, 0))], ids=str
)
def test_a_stack_can_be_nudged(place):
    t = tm.stack("o gato subiu no", n_blocks=3)
    analytic = tm.gradients(t, "␣telhado")[place[0]][place[1]]
    nudged = tm.central_difference(t, *place, "␣telhado").slope
    assert abs(analytic - nudged) <= 1e-9 + 1e-7 * abs(analytic) and abs(analytic) > 1e-3
