"""MLPs on top of each other: the numbers and their gradients against plain numpy and central differences."""

from itertools import pairwise

import numpy as np
import pytest

import toymodel as tm

pytestmark = pytest.mark.filterwarnings("error")

TEXT, TARGET = "o gato subiu no", "␣telhado"
H = 1e-5
REFUSED = {
    "xyz": "`xyz` is not in the vocabulary",
    "": "the text is empty",
    "o" * 9: "has 9 tokens; the model's context holds 8",
}
ENDS = ["logits", "exp_logits", "exp_logits_sum", "probs"]


def mlp(x, W_in, W_out):
    pre = x @ W_in
    bend = (2 / np.pi) ** 0.5 * (pre + 0.044715 * pre**3)
    return pre / (1 + np.exp(-2 * bend)) @ W_out  # (1 + tanh b) / 2 is 1 / (1 + e^-2b)


def climb(x, weights, first, n_blocks, residual):
    """The stream as it enters each block from `first` on, and as it leaves the last."""
    rows = [x]
    for i in range(first, n_blocks):
        m = mlp(rows[-1], weights[f"blocks.{i}.mlp.W_in"], weights[f"blocks.{i}.mlp.W_out"])
        rows.append(rows[-1] + m if residual else m)
    return rows


def loss(x, t, first, residual):
    """-ln p of the target after the last position, from the stream that enters block `first`."""
    logits = climb(x, t.weights, first, t.settings["n_blocks"], residual)[-1][-1] @ t["W_U"]
    return np.log(np.exp(logits).sum()) - logits[t.vocab.index(TARGET)]


@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("n_blocks", [1, 3, 8])
def test_every_block_is_that_of_the_formula(n_blocks, residual):
    t = tm.stack(TEXT, n_blocks, residual)
    start = tm.run(TEXT)["blocks.0.resid_pre"]
    rows = climb(start, t.weights, 0, n_blocks, residual)
    for i in range(n_blocks):
        np.testing.assert_allclose(t[f"blocks.{i}.resid_pre"], rows[i], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(t[f"blocks.{i}.resid_post"], rows[i + 1], rtol=1e-12, atol=1e-15)
    e = np.exp(t["logits"])
    np.testing.assert_allclose(t["probs"], e / e.sum(axis=1, keepdims=True), rtol=1e-12, atol=0)
    np.testing.assert_allclose(t["logits"], rows[-1] @ tm.toy_weights()["W_U"], rtol=1e-12, atol=1e-15)
    names = ["resid_pre", "mlp.pre", "mlp.post", "mlp.out", "resid_post"]
    assert t.keys() == [f"blocks.{i}.{name}" for i in range(n_blocks) for name in names] + ENDS
    assert t.tokens == tm.run(TEXT).tokens and len(t.weights) == 1 + 2 * n_blocks


@pytest.mark.parametrize("residual", [True, False])
def test_the_gradient_at_every_block_is_the_central_difference(residual):
    t = tm.stack(TEXT, 4, residual)
    g = tm.gradients(t, target=TARGET)
    assert abs(g.loss - loss(t["blocks.0.resid_pre"], t, 0, residual)) < 1e-12
    for i in range(4):
        x = t[f"blocks.{i}.resid_pre"]
        for place in np.ndindex(x.shape):
            nudge = np.zeros(x.shape)
            nudge[place] = H
            central = (loss(x + nudge, t, i, residual) - loss(x - nudge, t, i, residual)) / (2 * H)
            assert abs(g[f"blocks.{i}.resid_pre"][place] - central) <= 1e-9 + 1e-7 * abs(central)


def sizes(residual):
    g = tm.gradients(tm.stack(TEXT, 8, residual), target=TARGET)
    return [np.linalg.norm(g[f"blocks.{i}.resid_pre"]) for i in range(8)]


def test_with_residual_connections_the_gradient_arrives_and_without_each_block_leaves_less_than_half():
    kept, lost = sizes(True), sizes(False)
    assert min(kept) > 1 and max(kept) < 2.5
    assert all(below < above / 2 for below, above in pairwise(lost)) and lost[0] < 1e-4


def test_the_weights_are_the_same_at_every_call_and_small():
    first, again = tm.stack("o"), tm.stack(TEXT)
    for name, W in first.weights.items():
        np.testing.assert_array_equal(W, again[name])
    drawn = np.concatenate([W.ravel() for name, W in first.weights.items() if name != "W_U"])
    assert 0.27 < drawn.std() < 0.33 and abs(drawn.mean()) < 0.03
    np.testing.assert_array_equal(tm.stack("o", 2)["blocks.1.mlp.W_out"], first["blocks.1.mlp.W_out"])


def test_its_numbers_have_tables_and_sums_as_those_of_the_toy():
    t = tm.stack(TEXT, 3)
    assert tm.table(t, "blocks.2.resid_pre").shape == (5, 4)
    inputs = [key for key, _index, _value in tm.explain(t, "blocks.1.resid_post", (4, 1)).inputs]
    assert inputs == ["blocks.1.resid_pre", "blocks.1.mlp.out"]


@pytest.mark.parametrize("n_blocks", [0, -1, 101, 2.0, True, "3", None], ids=repr)
def test_a_number_of_blocks_that_is_none_is_refused(n_blocks):
    with pytest.raises(ValueError, match="n_blocks must be a whole number from 1 to 100"):
        tm.stack(TEXT, n_blocks)


@pytest.mark.parametrize(("text", "said"), REFUSED.items())
def test_a_text_is_refused_as_everywhere(text, said):
    with pytest.raises(ValueError, match=said):
        tm.stack(text)


@pytest.mark.parametrize("residual", [True, False])
def test_the_largest_stack_has_finite_gradients(residual):
    t = tm.stack(TEXT, 100, residual)
    g = tm.gradients(t, target=TARGET)
    assert all(np.isfinite(g[key]).all() for key in [*t.weights, *t.keys()[: -len(ENDS) + 1]])


def test_a_spread_that_float64_cannot_hold_ends_in_a_sentence():
    with pytest.raises(ValueError, match="larger than float64 can hold"):
        tm.stack("o gato", spread=1e308)
