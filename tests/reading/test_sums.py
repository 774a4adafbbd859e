"""Every element of every step, worked out again from the tree of its written-out sum, with the leaves looked up.

test_notation.py does the same from the printed lines.
"""

import math

import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.core.expression import Element, Node, Number

pytestmark = pytest.mark.filterwarnings("error")

TEXT = "o gato subiu no"
t0 = tm.run(TEXT)
hidden = np.where(np.eye(5, dtype=bool)[::-1], -np.inf, 0.5)
BY_HAND = {"blocks.0.attn.pattern": 0.2, "blocks.0.attn.masked_scores": hidden, "blocks.0.mlp.post": 0.125}
WIRED = {
    "blocks.0.ln1.out": "blocks.0.resid_pre",
    "blocks.0.attn.masked_scores": "blocks.0.attn.dots",
    "blocks.0.mlp.out": "blocks.0.ln2.out",
    "ln_final.out": "blocks.0.resid_post",
}


def run(replace=None, **settings):
    """A run of TEXT; numbers in `replace` are spread over the shape of their step."""
    shapes = tm.run(TEXT, n_heads=settings.get("n_heads", 2))
    spread = {
        key: new if isinstance(new, str) else np.broadcast_to(new, shapes[key].shape)
        for key, new in (replace or {}).items()
    }
    return tm.run(TEXT, replace=spread, **settings)


def sums(t, keys=None):
    """Every element of every step, explained."""
    for key in keys or t.keys():
        for index in np.ndindex(t[key].shape):
            yield tm.explain(t, key, index)


def assert_equal(worked_out, value, where, scale=1):
    if math.isinf(value):
        assert worked_out == value, where
    else:
        assert abs(worked_out - value) <= 1e-12 * max(1, abs(value), scale), (where, worked_out, value)


# ---- from the tree

ARITHMETIC = {
    "+": lambda *terms: sum(terms),
    "-": lambda a, b: a - b,
    "*": lambda *factors: math.prod(factors),
    "/": lambda a, b: a / b,
    "^": lambda a, n: a**n,
    "sqrt": math.sqrt,
    "exp": lambda x: math.exp(x) if x < 709.78 else math.inf,
    "ln": math.log,
    "-ln": lambda x: -math.log(x),
    "tanh": math.tanh,
    "=": lambda a, b: 1 if a == b else 0,
}
CONSTANTS = {-math.inf, 1e-5, 0.044715, 0.5, math.pi, 1, 2, 3, 4, 8, 12}  # all that formulas bring along


def work_out(expression, trace, inputs, constants=CONSTANTS):
    if isinstance(expression, Node):
        return ARITHMETIC[expression.op](*(work_out(a, trace, inputs, constants) for a in expression.args))
    if isinstance(expression, Element):
        key, index = expression.array.name, expression.index
        assert (key, index) in inputs, (key, index)
        return float(trace[key][index])
    assert isinstance(expression, Number) and expression.value in constants
    return expression.value


def assert_stands_for_itself(s, t):
    assert isinstance(s.expression, Number) and not s.inputs
    assert s.expression.value == s.value == t[s.key][s.index]


def size_of_terms(expression):
    """The largest term of a sum or difference: what its rounding errors are relative to, where terms cancel."""
    if isinstance(expression, Node) and expression.op in "+-":
        return max(abs(term.value) for term in expression.args if math.isfinite(term.value))
    if isinstance(expression, Node) and expression.op == "/":
        return size_of_terms(expression.args[0]) / abs(expression.args[1].value)
    return 0


def assert_sums_work_out(t, temperature=1.0, replace=(), keys=None):
    order = [*t.weights, *t.keys()]
    by_hand = [key for key in replace if not isinstance(replace[key], str)]
    for s in sums(t, keys):
        inputs = {(key, index) for key, index, _value in s.inputs}
        assert all(value == t[key][index] for key, index, value in s.inputs)
        assert all(order.index(key) < order.index(s.key) for key, _index in inputs), "only what was there before"
        assert len(inputs) == len(s.inputs)
        if s.key in by_hand:  # nothing to work out: the number stands for itself
            assert_stands_for_itself(s, t)
            continue
        worked_out = work_out(s.expression, t, inputs, CONSTANTS | {temperature})
        assert_equal(worked_out, t[s.key][s.index], (s.key, s.index), size_of_terms(s.expression))
        assert float(s) == s.value == t[s.key][s.index]


@pytest.mark.parametrize("replace", [{}, BY_HAND, WIRED], ids=["as it is", "by hand", "wired"])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_every_element_of_every_step_is_what_its_sum_says(n_heads, causal, replace):
    assert_sums_work_out(run(n_heads=n_heads, causal=causal, replace=replace), replace=replace)


def test_a_weight_stands_for_itself_and_says_so():
    for s in sums(t0, t0.weights):
        assert_stands_for_itself(s, t0)
        assert s.text.endswith("a weight: nothing computes it") and "a weight" in s.latex


@pytest.mark.parametrize("temperature", [0, 1e-310, 1e-5, 0.5, 1, 3])
@pytest.mark.parametrize("causal", [True, False])
def test_every_probability_is_what_its_sum_says_at_any_temperature(temperature, causal):
    ties = run(temperature=temperature, causal=causal, replace={"logits": [3.0, 3.0, *[1.0] * 9, -np.pi]})
    for t in (run(temperature=temperature, causal=causal), ties):
        assert_sums_work_out(t, temperature=t.settings["temperature"], keys=["probs"])


@pytest.mark.parametrize("temperature", [0, 0.001, 1, 3])
@pytest.mark.parametrize("size", [30, 1000, 1e6])
def test_sums_of_huge_numbers_work_out(size, temperature):
    weights = {name: size * w for name, w in tm.toy_weights().items()}
    t = run(weights=weights, temperature=temperature)
    assert np.abs(t["blocks.0.attn.scores"]).max() > 700
    assert_sums_work_out(t, temperature=temperature)


@pytest.mark.parametrize("seed", range(3))
def test_sums_of_random_weights_work_out(seed):
    assert_sums_work_out(run(weights=plain_model.random_weights(seed)))


def test_sums_of_a_token_read_after_a_run_work_out_and_what_was_kept_stands_for_itself():
    t, kept = tm.extend(run(), "␣telhado"), {"blocks.0.attn.k", "blocks.0.attn.v"}
    assert_sums_work_out(t, keys=[key for key in t if key not in kept])
    for s in sums(t, kept):
        if s.index[1] < 5:
            assert_stands_for_itself(s, t)
        else:
            assert_equal(work_out(s.expression, t, {(key, index) for key, index, _ in s.inputs}), s.value, s.index)


@pytest.mark.parametrize("weights", [None, plain_model.random_weights(0), plain_model.random_weights(0, spread=300)])
@pytest.mark.parametrize("target", ["␣telhado", "o", None])
def test_the_loss_is_what_its_sum_says(target, weights):
    t = run(weights=weights)
    g = tm.gradients(t, target)
    s = tm.explain(g, "loss")
    inputs = {(key, index) for key, index, _value in s.inputs}
    assert {key for key, _index in inputs} == {"logits"} and len(inputs) == (12 if target else 48)
    assert_equal(work_out(s.expression, t, inputs), g.loss, target)
    assert s.value == g.loss


def far(near_logit, far_logit):
    """Gradients for `iu`, whose logit is far_logit where o has near_logit and all others 0."""
    logits = np.zeros((1, 12))
    logits[0, [0, 5]] = near_logit, far_logit
    t = tm.run("o", replace={"logits": logits})
    return t, tm.gradients(t, "iu")


# the target's probability is far from 0; below 1e-308 although neither of its powers is 0; and its power is 0
@pytest.mark.parametrize("logits", [(3, -2), (690, 10), (400, -340), (400, -400), (700, -700), (10, -720), (1e6, -1e6)])
def test_the_loss_of_a_far_away_target_is_what_its_sum_says(logits):
    t, g = far(*logits)
    s = tm.explain(g, "loss")
    expected = plain_model.loss(t["logits"], t.ids, 5) if logits[0] < 700 else logits[0] - logits[1]
    assert_equal(s.value, expected, s.text)
    assert_equal(work_out(s.expression, t, {(key, index) for key, index, _value in s.inputs}), s.value, s.text)
    assert_equal(s.expression.value, s.value, s.text)


def test_the_loss_is_minus_ln_of_a_probability():
    logits = np.log([[4.0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]])
    g = tm.gradients(tm.run("o", replace={"logits": logits}), "␣no")
    assert tm.explain(g, "loss").text.splitlines()[-3:] == [
        "  = -ln(e^0.693 / (e^1.386 + e^0.693 + " + " + ".join(["e^0.000"] * 10) + "))",
        "  = -ln(0.125)",
        "  = 2.079",
    ]


def test_the_loss_of_a_target_whose_power_of_e_is_0_is_a_difference_of_logarithms():
    s = tm.explain(far(10, -720)[1], "loss")
    first, second, *_rest = s.text.splitlines()
    assert first == "loss"
    assert second == "L = ln(" + " + ".join(f"e^z[0,{i}]" for i in range(12)) + ") - z[0,5]"
    assert s.text.splitlines()[-1] == "  = 730.000"


def test_a_power_just_inside_float64_is_not_called_infinite():
    s = tm.explain(run(replace={"logits": 709.5}), "exp_logits", (0, 0))
    assert math.isfinite(s.value) and s.note == ""
    assert_equal(s.expression.value, s.value, s.text)


def test_a_power_that_float64_cannot_hold_says_so():
    s = tm.explain(run(replace={"logits": 710.0}), "exp_logits", (0, 0))
    assert s.value == math.inf and s.note.startswith("too large for float64")


# ---- what is said beside the sum


@pytest.mark.parametrize("replace", [BY_HAND, WIRED], ids=["by hand", "wired"])
def test_only_what_was_set_by_hand_says_so(replace):
    t = run(replace=replace)
    for s in sums(t):
        assert ("set by hand" in s.text) == ("set by hand" in s.latex) == (s.key in replace), s.text


def test_a_hidden_score_says_why():
    s = tm.explain(t0, "blocks.0.attn.masked_scores", (0, 1, 3))
    assert s.value == -np.inf and not s.inputs
    assert s.text == (
        "blocks.0.attn.masked_scores: head 0, query ␣gato, key iu\n"
        "ŝ[0,1,3] = -inf\n"
        "hidden: the key comes after the query"
    )
    assert "hidden" not in tm.explain(t0, "blocks.0.attn.masked_scores", (0, 3, 3)).text


def test_a_score_is_written_out_with_names_with_numbers_and_worked_out():
    s = tm.explain(t0, "blocks.0.attn.scores", (0, 4, 2))
    assert str(s) == repr(s) == s.text
    assert s.text == (
        "blocks.0.attn.scores: head 0, query ␣no, key ␣sub\n"
        "s[0,4,2] = d[0,4,2] / √2\n"
        "         = 3.395 / √2\n"
        "         = 3.395 / 1.414\n"
        "         = 2.400"
    )


def test_the_place_names_tokens_and_axes():
    assert tm.explain(t0, "logits", (4, 6)).text.startswith("logits: pos ␣no, d_vocab ␣telhado\n")
    assert tm.explain(t0, "W_E", (2, 1)).text.startswith("W_E: d_vocab ␣gato, d_model 1\n")


# ---- indices


@pytest.mark.parametrize("index", [(4, 6), (-1, 6), (np.int64(4), np.int8(-6)), (4, np.array(6))], ids=str)
def test_an_index_of_any_whole_numbers_will_do_and_is_kept_as_plain_ones(index):
    s = tm.explain(t0, "logits", index)
    assert repr(s.index) == "(4, 6)"
    assert s.value == t0["logits"][4, 6]


def test_one_axis_needs_no_tuple():
    assert tm.explain(t0, "ln_final.mean", 2).value == t0["ln_final.mean"][2]


NO_PLACES = [None, (None, 0), slice(None), (slice(None), 0), (..., 0)]


@pytest.mark.parametrize(
    "index",
    [
        (),
        4,
        (5, 0),
        (0, 12),
        (-6, 0),
        (1, 2, 3),
        (10**30, 0),
        (1.0, 0),
        ("o", 0),
        "ab",
        {1, 2},
        np.ones((2, 2)),
        *NO_PLACES,
    ],
    ids=str,
)
def test_an_index_outside_the_step_is_refused_with_the_axes(index):
    places = ", ".join(map(repr, index if isinstance(index, tuple) else (index,))).replace("\n       ", " ")
    with pytest.raises(ValueError, match="no such place") as refused:
        tm.explain(t0, "logits", index)
    assert str(refused.value) == f"({places}) is no such place. Needed: pos from 0 to 4, d_vocab from 0 to 11."


def test_an_index_left_out_is_asked_for():
    with pytest.raises(ValueError, match=r"Needed: head from 0 to 1, query from 0 to 4, key from 0 to 4\.$"):
        tm.explain(t0, "blocks.0.attn.pattern")


@pytest.mark.parametrize("index", [[4, 6], [np.int64(4), -6]], ids=str)
def test_a_list_of_places_is_an_index_too(index):
    assert tm.explain(t0, "logits", index).index == (4, 6)


@pytest.mark.parametrize("key", ["logit", "W_e", None, 0, [], {}, slice(None), ("logits",)], ids=str)
def test_an_unknown_step_is_refused(key):
    with pytest.raises(tm.UnknownStep, match="There is no step"):
        tm.explain(t0, key, (0, 0))


def test_the_loss_of_a_trace_is_sent_to_its_gradients():
    for ask in (tm.explain, tm.table, lambda t, key: t[key]):
        with pytest.raises(
            ValueError, match=r"^the loss belongs to gradients: g = tm\.gradients\(t, target=\.\.\.\)\.$"
        ):
            ask(t0, "loss")


@pytest.mark.parametrize(
    ("key", "message"),
    [("nonsense", "There is no step"), (None, "There is no step"), ("blocks.0.ln1.mean", "is an aside")],
)
def test_what_has_no_derivative_is_not_explained(key, message):
    with pytest.raises(ValueError, match=message):
        tm.explain(tm.gradients(t0), key, (0, 0))


def test_the_loss_has_no_places():
    with pytest.raises(ValueError, match=r"^\(0\) is no such place\. Needed: [^.]") as refused:
        tm.explain(tm.gradients(t0), "loss", 0)
    assert not str(refused.value).endswith(": .")
