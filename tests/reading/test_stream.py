"""The logit lens: each stage of the stream, read off as if the path ended there, against a second implementation.

The ledger has a file of its own: test_ledger.py.
"""

import re

import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.reading.stream import read_off, stages

pytestmark = pytest.mark.filterwarnings("error")

TEXT = "o gato subiu no"
STREAM = ("embed", "blocks.0.resid_pre", "blocks.0.resid_mid", "blocks.0.resid_post")
WEIGHTS = {"the toy's": tm.toy_weights(), "random": plain_model.random_weights(3)}


def said(row, W_U, temperature=1.0):
    """The probabilities that a row of the stream gives, number by number."""
    mean = sum(row) / 4
    std = (sum((x - mean) ** 2 for x in row) / 4 + 1e-5) ** 0.5
    logits = [sum((row[i] - mean) / std * W_U[i, token] for i in range(4)) for token in range(12)]
    powers = [np.exp(z / temperature) for z in logits]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("n_heads, causal, temperature", [(1, True, 1), (2, False, 0.5), (4, True, 2)])
def test_every_stage_is_read_off_through_a_layer_norm_of_its_own(n_heads, causal, temperature, weights):
    weights = WEIGHTS[weights]
    t = tm.run(TEXT, n_heads, causal, temperature, weights)
    steps = plain_model.forward(weights, t.ids, n_heads, causal)
    for pos in range(5):
        table = tm.lens(t, pos)
        shown = [[f"{it:.3f}" for it in row] for row in table.to_numpy()]
        assert list(table.index) == ["token", "+ position", "+ attention", "+ MLP"]
        assert (table.index.name, table.columns.name) == ("after", "d_vocab") and list(table.columns) == list(t.vocab)
        expected = [said(steps[key][pos], weights["W_U"], temperature) for key in STREAM]
        np.testing.assert_allclose([read_off(t, key)[pos] for key in STREAM], expected, rtol=0, atol=1e-12)
        assert shown == [[plain_model.three_decimals(it) for it in row] for row in expected]
        assert shown[-1] == [plain_model.three_decimals(it) for it in t["probs"][pos]]


def test_the_last_stage_is_the_runs_answer():
    t = tm.run(TEXT)
    assert list(stages(t)) == list(STREAM)
    np.testing.assert_allclose(read_off(t, "blocks.0.resid_post"), t["probs"], rtol=0, atol=1e-15)


def test_it_is_of_the_last_position_and_shown_with_three_decimals():
    t = tm.run(TEXT)
    table = tm.lens(t)
    np.testing.assert_array_equal(table, tm.lens(t, 4))
    np.testing.assert_array_equal(table, tm.lens(t, -1))
    cells = re.findall(r"<td>(.*?)</td>", table._repr_html_())
    assert cells == [plain_model.three_decimals(x) for x in table.to_numpy().ravel()]


def test_at_temperature_0_the_likeliest_of_each_stage_has_all():
    table = tm.lens(tm.run(TEXT, temperature=0))
    assert table.iloc[0][["␣gato", "␣telhado"]].tolist() == [0.5, 0.5]  # a tie
    assert table.iloc[1:].idxmax(axis=1).tolist() == ["␣gato", "␣telhado", "␣telhado"]


def test_attention_switched_off_changes_nothing_at_its_stage():
    t = tm.run(TEXT, weights=WEIGHTS["random"], replace={"blocks.0.attn.out": np.zeros((5, 4))})
    table = tm.lens(t)
    np.testing.assert_array_equal(table.loc["+ attention"], table.loc["+ position"])
    assert not np.allclose(table.loc["+ MLP"], table.loc["+ attention"])


def test_where_the_end_is_wired_otherwise_it_is_so_for_each_stage_and_the_last_is_the_answer():
    raw = tm.run(TEXT, replace={"ln_final.out": "blocks.0.resid_post"})
    np.testing.assert_allclose(tm.lens(raw).iloc[-1], raw["probs"][-1], atol=5e-4)
    assert not np.allclose(tm.lens(raw), tm.lens(tm.run(TEXT)), atol=0.1)


def test_where_the_end_was_set_by_hand_the_stages_still_say_what_they_would():
    by_hand = tm.run(TEXT, replace={"logits": np.zeros((5, 12))})
    np.testing.assert_array_equal(tm.lens(by_hand), tm.lens(tm.run(TEXT)))
    assert not np.allclose(tm.lens(by_hand).iloc[-1], by_hand["probs"][-1])


def test_of_a_token_read_with_a_cache_it_is_the_same():
    one, whole = tm.extend(tm.run(TEXT), "␣telhado"), tm.run(TEXT + " telhado")
    np.testing.assert_allclose(tm.lens(one), tm.lens(whole), rtol=0, atol=1e-9)


@pytest.mark.parametrize("pos", [5, -6, "a", 0.5, (0, 0)], ids=str)
def test_a_position_that_is_not_there_is_refused(pos):
    with pytest.raises(ValueError, match=r"is no such place\. Needed: pos from 0 to 4\."):
        tm.lens(tm.run(TEXT), pos)


def test_it_is_asked_of_a_run():
    with pytest.raises(ValueError, match="the first argument must be a Trace"):
        tm.lens(TEXT)


def test_of_several_blocks_each_stage_is_named_with_its_block():
    t = tm.stack(TEXT, n_blocks=3)
    table = tm.lens(t)
    assert list(table.index) == ["block 0: + position", *(f"block {i}: + MLP" for i in range(3))]
    for key, row in zip(stages(t), table.to_numpy(), strict=True):
        e = np.exp(t[key][-1] @ t["W_U"])
        np.testing.assert_allclose(row, e / sum(e), rtol=0, atol=5e-4)
    np.testing.assert_array_equal(table.iloc[-1], tm.ranking(t)["p"][list(t.vocab)])


def test_a_lens_that_float64_cannot_hold_ends_in_a_sentence():
    w = tm.toy_weights()
    w["W_E"][0], w["W_pos"][0] = [1e200, -1e200, 0, 0], [-1e200, 1e200, 0, 0]
    with pytest.raises(ValueError, match="larger than float64 can hold"):
        tm.lens(tm.run("o", weights=w))
