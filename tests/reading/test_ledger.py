"""The ledger of a logit: its shares against plain numpy, whatever is run, changed or set by hand."""

import re

import numpy as np
import plain_model
import pytest

import toymodel as tm

pytestmark = pytest.mark.filterwarnings("error")

SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]
WEIGHTS = {"the toy's": None, "random": plain_model.random_weights(1)}
MID, POST, OUT = "blocks.0.resid_mid", "blocks.0.resid_post", "blocks.0.attn.out"


def shares(steps, pos, W_U, normed=True):
    """{part: what it adds to each logit}, by hand: each number of the part times its column of W_U, term by term."""
    parts = {"token": steps["embed"][pos], "position": steps["pos_embed"][pos]}
    parts |= {f"head {h}": result[pos] for h, result in enumerate(steps["blocks.0.attn.result"])}
    parts |= {"MLP": steps["blocks.0.mlp.out"][pos]}
    y = np.array([sum(numbers) for numbers in zip(*parts.values(), strict=True)])
    away = y - sum(y) / 4
    std = (sum(away**2) / 4 + 1e-5) ** 0.5 if normed else 1
    mean = {name: sum(row) / 4 if normed else 0 for name, row in parts.items()}
    return {
        name: [sum((row[i] - mean[name]) / std * W_U[i, token] for i in range(4)) for token in range(12)]
        for name, row in parts.items()
    }


def assert_adds_up(ledger, t, pos):
    """The parts add up to the row `sum`, and that is the row `logit`, and the logit of the run."""
    parts, (total, logit) = ledger.to_numpy()[:-2], ledger.to_numpy()[-2:]
    assert list(ledger.index[-2:]) == ["sum", "logit"]
    np.testing.assert_allclose(parts.sum(axis=0), logit, rtol=0, atol=1e-12)
    np.testing.assert_allclose(total, logit, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(logit, t["logits"][pos])


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("text", SENTENCES)
def test_every_share_is_that_of_the_formula_and_each_column_adds_up_to_its_logit(text, n_heads, causal, weights):
    weights = WEIGHTS[weights]
    t = tm.run(text, n_heads, causal, temperature=0.5, weights=weights)
    steps = plain_model.forward(weights or tm.toy_weights(), t.ids, n_heads, causal)
    for pos in range(len(t.tokens)):
        ledger, expected = tm.ledger(t, pos), shares(steps, pos, t["W_U"])
        assert list(ledger.index) == [*expected, "sum", "logit"] and list(ledger.columns) == list(t.vocab)
        np.testing.assert_allclose(ledger.to_numpy()[:-2], list(expected.values()), rtol=0, atol=1e-12)
        assert_adds_up(ledger, t, pos)


def zeros(key):
    return {key: np.zeros((5, 4))}


BY_HAND = {  # what is set by hand, and the rows that are left
    "attention off": (zeros(OUT), ["token", "position", "attention", "MLP"]),
    "attention from elsewhere": ({OUT: "embed"}, ["token", "position", "attention", "MLP"]),
    "heads set": ({"blocks.0.attn.z": np.ones((2, 5, 2))}, ["token", "position", "head 0", "head 1", "MLP"]),
    "side by side set": ({"blocks.0.attn.concat": np.ones((5, 4))}, ["token", "position", "head 0", "head 1", "MLP"]),
    "MLP off": (zeros("blocks.0.mlp.out"), ["token", "position", "head 0", "head 1", "MLP"]),
    "MLP from elsewhere": ({"blocks.0.mlp.out": MID}, ["token", "position", "head 0", "head 1", "MLP"]),
    "positions off": (zeros("pos_embed"), ["token", "position", "head 0", "head 1", "MLP"]),
    "around attention": ({MID: "blocks.0.resid_pre"}, ["token", "position", "MLP"]),
    "around the MLP": ({POST: MID}, ["token", "position", "head 0", "head 1"]),
    "a stream set": ({MID: np.eye(5, 4)}, [MID, "MLP"]),
    "first LayerNorm off": ({"blocks.0.ln1.out": "embed"}, ["token", "position", "head 0", "head 1", "MLP"]),
    "last LayerNorm off": ({"ln_final.out": POST}, ["token", "position", "head 0", "head 1", "MLP"]),
    "last LayerNorm set": ({"ln_final.out": np.eye(5, 4)}, ["ln_final.out"]),
    "last LayerNorm from elsewhere": ({"ln_final.out": "blocks.0.ln2.out"}, ["blocks.0.ln2.out"]),
}


@pytest.mark.parametrize("what", BY_HAND)
def test_it_adds_up_whatever_is_set_by_hand(what):
    replace, rows = BY_HAND[what]
    t = tm.run(SENTENCES[0], weights=WEIGHTS["random"], replace=replace)
    for pos in range(5):
        ledger = tm.ledger(t, pos)
        assert list(ledger.index) == [*rows, "sum", "logit"]
        assert_adds_up(ledger, t, pos)


def test_without_the_last_layer_norm_a_share_is_the_part_times_W_U():
    replace = {"ln_final.out": POST}
    t = tm.run(SENTENCES[0], replace=replace)
    expected = shares({key: t[key] for key in t}, 4, t["W_U"], normed=False)
    np.testing.assert_allclose(tm.ledger(t).to_numpy()[:-2], list(expected.values()), rtol=0, atol=1e-12)


def test_it_is_of_the_last_position_and_shown_with_three_decimals():
    t = tm.run(SENTENCES[0])
    ledger = tm.ledger(t)
    np.testing.assert_array_equal(ledger, tm.ledger(t, 4))
    cells = re.findall(r"<td>(.*?)</td>", ledger._repr_html_())
    assert cells == [plain_model.three_decimals(x) for x in ledger.to_numpy().ravel()]
    assert (ledger.index.name, ledger.columns.name) == ("part", "d_vocab")


@pytest.mark.parametrize("pos", [5, -6, "a", 0.5, (0, 0)], ids=str)
def test_a_position_that_is_not_there_is_refused(pos):
    with pytest.raises(ValueError, match=r"is no such place\. Needed: pos from 0 to 4\."):
        tm.ledger(tm.run(SENTENCES[0]), pos)


def test_logits_that_were_set_by_hand_have_none():
    t = tm.run("o gato", replace={"logits": np.ones((2, 12))})
    with pytest.raises(ValueError, match="set by hand: no parts add up to them"):
        tm.ledger(t)


def test_it_is_asked_of_a_run():
    with pytest.raises(ValueError, match="the first argument must be a Trace"):
        tm.ledger("o gato")
    with pytest.raises(ValueError, match="needs the run of a model that says what comes next, not <Trace of t0"):
        tm.ledger(tm.attend([[1]], [[1]], [[1]], [[1]]))
