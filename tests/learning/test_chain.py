"""The chain rule written out: every term looked up and worked out again, and the sum compared with the gradient."""

import math

import autograd
import autograd.numpy
import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.core.expression import Element, Node

pytestmark = pytest.mark.filterwarnings("error")

TEXT, TARGET = "o gato subiu no", "␣telhado"
t0 = tm.run(TEXT)
g0 = tm.gradients(t0, TARGET)
hidden = np.where(np.eye(5, dtype=bool)[::-1], -np.inf, t0["blocks.0.attn.scores"])  # other ones than a causal mask
WIRED = {"blocks.0.ln1.out": "blocks.0.resid_pre", "blocks.0.mlp.out": "blocks.0.resid_mid"}
RUNS = {  # run, target (None: the mean loss)
    "two heads": ({}, TARGET),
    "mean loss": ({}, None),
    "one head": ({"n_heads": 1}, None),
    "four heads": ({"n_heads": 4}, TARGET),
    "no mask": ({"causal": False}, None),
    "random weights": ({"weights": plain_model.random_weights(5)}, None),
    "another temperature": ({"temperature": 0.5}, None),
    "temperature 0": ({"temperature": 0}, TARGET),
    "a step by hand": ({"replace": {"blocks.0.attn.pattern": np.full((2, 5, 5), 0.2)}}, None),
    "hidden by hand": ({"replace": {"blocks.0.attn.masked_scores": hidden}}, TARGET),
    "steps by wire": ({"replace": WIRED}, None),
}
WORKED_OUT = {"+": lambda *terms: math.fsum(terms), "*": lambda *factors: math.prod(factors)}
WORKED_OUT |= {"-": lambda a, b: a - b, "/": lambda a, b: a / b}


def plain_loss(t, ids, target):
    """The loss as a function of weights, to differentiate: plain_model's, not toymodel's."""
    settings = {"n_heads": t.settings["n_heads"], "causal": t.settings["causal"], "np": autograd.numpy}
    id_ = target and t.vocab.index(target)
    return lambda weights: plain_model.loss(
        plain_model.forward(weights, ids, **settings)["logits"], ids, id_, np=autograd.numpy
    )


def look_up(leaf, t, g):
    """A leaf's number, from where its name says it is: `∂x` in the gradients, other names in the run."""
    if not isinstance(leaf, Element):
        return leaf.value
    name = leaf.array.name
    return float(g[name[1:]][leaf.index] if name.startswith("∂") else t[name][leaf.index])


def work_out(expression, t, g):
    if isinstance(expression, Node):
        return WORKED_OUT[expression.op](*(work_out(it, t, g) for it in expression.args))
    return look_up(expression, t, g)


def terms_of(expression):
    return expression.args if isinstance(expression, Node) and expression.op == "+" else [expression]


@pytest.mark.parametrize("name", RUNS)
def test_for_every_weight_and_every_step_the_written_terms_sum_to_the_gradient(name):
    run, target = RUNS[name]
    t = tm.run(TEXT, **run)
    g = tm.gradients(t, target)
    keys, read = g.keys(), set()
    for key in keys:
        for index in np.ndindex(g[key].shape):
            s = tm.explain(g, key, index)
            scale = max([1, *(abs(it.value) for it in terms_of(s.expression))])
            assert abs(work_out(s.expression, t, g) - g[key][index]) <= 1e-12 * scale, (key, index, s.text)
            assert s.value == float(s) == g[key][index]
            read |= {reader for reader, _index, _value in s.inputs if reader.startswith("∂")}
    assert "∂logits" in read and not any("ln1.mean" in it or "exp_" in it for it in read), "asides are not on the way"


@pytest.mark.parametrize("name", [name for name, (run, _target) in RUNS.items() if "replace" not in run])
def test_the_gradient_whose_terms_they_are_is_that_of_automatic_differentiation(name):
    run, target = RUNS[name]
    t = tm.run(TEXT, **run)
    g = tm.gradients(t, target)
    expected = autograd.grad(plain_loss(t, t.ids, target))({key: np.array(w) for key, w in t.weights.items()})
    for key in t.weights:
        np.testing.assert_allclose(g[key], expected[key], rtol=1e-10, atol=1e-12, err_msg=key)


def test_each_term_is_a_slope_times_one_derivative_of_something_computed_later():
    order, before_logits = [*t0.weights, *t0.keys()], g0.keys()[:-1]
    for key in before_logits:
        for index in np.ndindex(g0[key].shape):
            for term in terms_of(tm.explain(g0, key, index).expression):
                factors = term.args if isinstance(term, Node) else [term]
                behind = [it.array.name for it in factors if isinstance(it, Element) and it.array.name[0] == "∂"]
                if g0[key][index]:
                    assert len(behind) == 1 and order.index(behind[0][1:]) > order.index(key), (key, index)


# ---- sentences, word for word

SENTENCES = {
    ("logits", (4, 6)): "∂z[4,6] = p[4,6] - 1\n        = 0.395 - 1\n        = -0.605",
    ("logits", (4, 7)): "∂z[4,7] = p[4,7]\n        = 0.141",
    ("W_U", (1, 6)): "∂W_U[1,6] = f[4,1]·∂z[4,6]\n          = 0.928·(-0.605)\n          = -0.561",
    ("blocks.0.mlp.out", (4, 1)): "∂m[4,1] = ∂y[4,1]\n        = 0.00794",
    ("blocks.0.attn.q", (0, 4, 0)): (
        "∂q[0,4,0] = k[0,0,0]·∂d[0,4,0] + k[0,1,0]·∂d[0,4,1] + k[0,2,0]·∂d[0,4,2] + k[0,3,0]·∂d[0,4,3]"
        " + k[0,4,0]·∂d[0,4,4]\n"
        "          = (-0.816)·(-0.000154) + (-0.577)·(-0.000854) + 1.604·0.000229 + 1.414·0.000970"
        " + (-0.577)·(-0.000191)\n"
        "          = 0.000126 + 0.000493 + 0.000367 + 0.00137 + 0.000110\n"
        "          = 0.00247"
    ),
    ("W_E", (5, 1)): "∂W_E[5,1] = ∂tok[3,1]\n          = 0.00228",
}


@pytest.mark.parametrize(("key", "index"), SENTENCES)
def test_a_derivative_is_written_out_with_names_with_numbers_and_worked_out(key, index):
    place, _newline, lines = tm.explain(g0, key, index).text.partition("\n")
    assert lines == SENTENCES[key, index]
    assert place.startswith(f"∂{key}: ")


def test_the_place_is_told_with_tokens():
    assert tm.explain(g0, "W_U", (1, 6)).text.startswith("∂W_U: d_model 1, d_vocab ␣telhado\n")
    assert tm.explain(g0, "blocks.0.attn.pattern", (0, 4, 2)).text.startswith(
        "∂blocks.0.attn.pattern: head 0, query ␣no, key ␣sub\n"
    )


def test_a_slope_is_not_written_as_factors_that_move_themselves():
    """At 0 GELU's slope is what its input is multiplied with there; but that moves, too."""
    t = tm.run(TEXT)
    (pos, neuron), *_more = np.argwhere(t["blocks.0.mlp.pre"] == 0).tolist()
    assert f"∂pre[{pos},{neuron}] = 0.500·∂post[{pos},{neuron}]\n" in (
        tm.explain(tm.gradients(t), "blocks.0.mlp.pre", (pos, neuron)).text
    )


def test_with_the_mean_loss_each_row_has_its_own_share():
    g = tm.gradients(t0)
    assert "(p[0,2] - 1) / 4" in tm.explain(g, "logits", (0, 2)).text
    assert "p[0,3] / 4" in tm.explain(g, "logits", (0, 3)).text
    assert "∂W_U[1,6] = f[0,1]·∂z[0,6] + f[1,1]·∂z[1,6] + f[2,1]·∂z[2,6] + f[3,1]·∂z[3,6]\n" in (
        tm.explain(g, "W_U", (1, 6)).text
    )


def test_a_plus_hands_on_to_both_and_what_is_read_twice_has_two_ways():
    for part, total in {"attn.out": "resid_mid", "mlp.out": "resid_post"}.items():
        np.testing.assert_array_equal(g0["blocks.0." + part], g0["blocks.0." + total])
    text = tm.explain(g0, "blocks.0.resid_mid", (4, 1)).text
    assert "·∂u′[4,0] + " in text and text.splitlines()[1].endswith(" + ∂y[4,1]")
    text = tm.explain(g0, "blocks.0.resid_pre", (4, 1)).text
    assert "·∂u[4,0] + " in text and text.splitlines()[1].endswith(" + ∂h[4,1]")


@pytest.mark.parametrize(("key", "index"), [("W_E", (3, 1)), ("W_pos", (7, 0)), ("blocks.0.attn.q", (0, 3, 1))])
def test_what_the_loss_did_not_read_is_exactly_0_and_says_so(key, index):
    s = tm.explain(g0, key, index)
    assert s.value == 0 and s.inputs == []
    assert s.text.endswith(" = 0\nexactly 0: the loss does not move with this number")


def test_a_small_derivative_is_not_called_0():
    s = tm.explain(g0, "blocks.0.attn.k", (0, 0, 0))
    assert s.text.endswith("= -0.000267") and s.note == ""


def test_a_tiny_derivative_is_one_number_in_every_notation():
    s = tm.explain(g0, "W_E", (2, 0))
    assert s.text.endswith("= 1.31e-08") and s.latex.splitlines()[-2].endswith(r"1.31\mathrm{e}{-}08")
    assert s.mathml[1][-1] == ["<mn>1.31e−08</mn>"]


def test_what_a_step_by_hand_cuts_off_is_exactly_0():
    g = tm.gradients(tm.run(TEXT, replace=RUNS["a step by hand"][0]["replace"]), TARGET)
    assert "exactly 0" in tm.explain(g, "blocks.0.attn.W_Q", (0, 0)).note
    assert tm.explain(g, "blocks.0.attn.pattern", (0, 4, 0)).note == ""


def test_inputs_are_named_with_their_place_and_value():
    inputs = tm.explain(g0, "blocks.0.attn.W_Q", (1, 0)).inputs
    assert inputs == [
        ("blocks.0.ln1.out", (4, 1), float(t0["blocks.0.ln1.out"][4, 1])),
        ("∂blocks.0.attn.q", (0, 4, 0), float(g0["blocks.0.attn.q"][0, 4, 0])),
    ]


@pytest.mark.parametrize("key", ["logits", "W_U", "blocks.0.attn.W_Q", "blocks.0.resid_mid", "W_E"])
def test_a_derivative_is_written_in_latex_and_mathml_too(key):
    index = (4, 1) if key != "W_E" else (3, 1)
    if key.endswith("W_Q"):
        index = (1, 0)
    elif key == "W_U":
        index = (1, 6)
    s = tm.explain(g0, key, index)
    assert s.latex.startswith("\\begin{aligned}") and s.latex.count("{") == s.latex.count("}")
    assert "∂" in s.latex and s._repr_latex_().startswith("$")
    assert "∂" in s.mathml[0]


@pytest.mark.parametrize(
    ("key", "index", "message"),
    [
        ("probs", (4, 6), "`probs` has no gradient"),
        ("blocks.0.ln1.mean", (4,), "is an aside"),
        ("W_e", (0, 0), "There is no step `W_e`.*W_E"),
        ("W_E", (12, 0), r"\(12, 0\) is no such place"),
        ("W_E", 1, r"is no such place"),
    ],
)
def test_what_has_no_derivative_is_refused_in_a_sentence(key, index, message):
    with pytest.raises(ValueError, match=message):
        tm.explain(g0, key, index)


def test_probabilities_set_by_hand_are_not_those_of_the_loss():
    t = tm.run("o gato subiu no", replace={"probs": np.full((5, 12), 1 / 12)})
    s = tm.explain(tm.gradients(t, "␣telhado"), "logits", (4, 6))
    assert s.expression.value == s.value and "p[" not in s.text


def test_a_derivative_is_explained_under_its_own_name_too():
    g = tm.gradients(tm.run("o gato subiu no"), "␣telhado")
    for key, index, value in tm.explain(g, "blocks.0.resid_mid", (4, 1)).inputs:
        assert tm.explain(g, key, index).value == value
