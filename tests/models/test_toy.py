"""The toy model against figures printed elsewhere, and against the same model written a second time."""

import json
from pathlib import Path

import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.models.sizes import GPT2_SMALL

pytestmark = pytest.mark.filterwarnings("error")

REFERENCE = json.loads((Path(__file__).parents[1] / "reference/toy_model.json").read_text(encoding="utf-8"))
NEXT = "␣telhado"


def computed():
    """What REFERENCE holds, computed: the same keys at every level."""
    t, sizes, parameters = tm.run(REFERENCE["sentence"]), tm.sizes(), tm.parameters()
    small = GPT2_SMALL.parameters(tied=True)
    assert parameters["GPT-2 small"]["W_U"] == "tied to W_E"  # the reference: 0
    g = tm.gradients(t, target=NEXT)
    attn = {key.removeprefix("blocks.0.attn."): t[key] for key in t}
    learned = tm.run(REFERENCE["sentence"], weights={**t.weights, **tm.sgd_step({"W_E": t.weights["W_E"]}, g, 0.1)})
    next_id = t.vocab.index(NEXT)

    def side_by_side(heads):
        return np.hstack(list(heads))

    def picked(name):
        return t.weights[f"blocks.0.attn.{name}"].argmax(0) + 1

    def head(h):
        return {"qk": attn["dots"][h, -1], "s": attn["scores"][h, -1], "exp_s": attn["exp_scores"][h, -1]} | {
            "a": attn["pattern"][h, -1],
            "o": attn["z"][h, -1],
        }

    return {
        "sentence": tm.decode(t.ids),
        "tokens": t.tokens,
        "ids": tm.encode("o gato subiu no"),
        "vocabulary": list(t.vocab),
        "sizes": {model: dict(sizes[model]) for model in ("toy", "GPT-2 small")},
        "parameters": {
            "toy": {piece: int(n) for piece, n in parameters["toy"].items()},
            "GPT-2 small": {
                **parameters["GPT-2 small"],
                "total": f"{sum(small.values()) / 1e6:.0f} M",
                "W_U": str(small["W_U"]),
            },
        },
        "weights": {
            "W_E": t.weights["W_E"],
            "W_pos rows 0 to 4": t.weights["W_pos"][:5],
            "W_pos rows 5 to 7": t.weights["W_pos"][5:],
            "numbers of u in Q": picked("W_Q"),
            "numbers of u in K": picked("W_K"),
            "numbers of u in V": picked("W_V"),
            "W_U columns": dict(zip(t.vocab, t.weights["W_U"].T, strict=True)),
        },
        "steps": {
            "x": t["blocks.0.resid_pre"],
            "u": t["blocks.0.ln1.out"],
            "Q": side_by_side(attn["q"]),
            "K": side_by_side(attn["k"]),
            "V": side_by_side(attn["v"]),
            "last row of ln1": {
                "mean": t["blocks.0.ln1.mean"][-1],
                "std": t["blocks.0.ln1.std"][-1],
                "u": t["blocks.0.ln1.out"][-1],
            },
            "head 1, last row": head(0),
            "head 2, last row": head(1),
            "head 1, row of ␣sub": {"a": attn["pattern"][0, 2]},
            "last row": {
                "h": t["blocks.0.resid_mid"][-1],
                "u2": t["blocks.0.ln2.out"][-1],
                "mlp_pre": t["blocks.0.mlp.pre"][-1],
                "mlp_post": t["blocks.0.mlp.post"][-1],
                "m": t["blocks.0.mlp.out"][-1],
                "y": t["blocks.0.resid_post"][-1],
                "f": t["ln_final.out"][-1],
                "att": attn["out"][-1],
            },
        },
        "predictions after ␣no": {
            key: dict(zip(t.vocab, t[key][-1], strict=True)) for key in ("logits", "exp_logits", "probs")
        },
        "logit of ␣telhado": {
            "products": np.stack([t["ln_final.out"][-1], t.weights["W_U"][:, next_id]], axis=1),
            "sum": t["logits"][-1, next_id],
        },
        "reading a row": {"token": t.tokens[-1], "one_hot": np.eye(12)[t.ids[-1]], "row": t["embed"][-1]},
        "what the heads look at": {
            "head 1, last row: ␣sub + iu": np.round(attn["pattern"][0, -1, 2:4].sum(), 2),
            "head 2, last row: ␣gato": np.round(attn["pattern"][1, -1, 1], 2),
        },
        "learning ␣telhado": {
            "loss": g.loss,
            "dL_dW_E": {token: g["W_E"][i] for token, i in zip(t.tokens, t.ids, strict=True)},
            "tokens whose row of dL_dW_E is exactly 0": [
                token for token, row in zip(t.vocab, g["W_E"], strict=True) if not row.any()
            ],
            "sgd step": {
                "learning rate": 0.1,
                "row of ␣no after": learned.weights["W_E"][t.ids[-1]],
                "p": [t["probs"][-1, next_id], learned["probs"][-1, next_id]],
                "loss": [g.loss, tm.gradients(learned, target=NEXT).loss],
            },
        },
    }


def flat(nested, path=""):
    """{"steps/x": figures}, whatever the depth."""
    if not isinstance(nested, dict):
        return {path: nested}
    return {p: v for key, inner in nested.items() for p, v in flat(inner, f"{path}/{key}").items()}


EXPECTED, COMPUTED = flat({k: v for k, v in REFERENCE.items() if k != "source"}), flat(computed())


def test_every_figure_of_the_reference_is_computed_and_nothing_is_missing():
    assert EXPECTED.keys() == COMPUTED.keys()


@pytest.mark.parametrize("path", EXPECTED)
def test_the_figure_comes_out_as_printed(path):
    expected, actual = EXPECTED[path], COMPUTED[path]
    if isinstance(np.ravel(expected)[0], str):
        assert actual == expected
    else:
        assert np.shape(actual) == np.shape(expected)
        np.testing.assert_array_equal(np.round(actual, 3), expected)


def test_each_head_picks_single_numbers_of_u():
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        columns = tm.toy_weights()[f"blocks.0.attn.{name}"].T
        assert [sorted(column) for column in columns.tolist()] == [[0, 0, 0, 1]] * 4
    np.testing.assert_array_equal(tm.toy_weights()["blocks.0.attn.W_O"], np.eye(4))
    np.testing.assert_array_equal(tm.toy_weights()["blocks.0.mlp.W_in"], np.hstack([np.eye(4), -np.eye(4)]))
    np.testing.assert_array_equal(tm.toy_weights()["blocks.0.mlp.W_out"], np.vstack([np.eye(4), np.eye(4)]))


def test_no_weight_is_minus_zero():
    assert not any(np.signbit(w[w == 0]).any() for w in tm.toy_weights().values())


# ---- the same model a second time

RUNS = {
    "toy": ("o gato subiu no", {}),
    "toy, one token": ("o", {}),
    "random": ("o gato subiu no", {"weights": plain_model.random_weights(1)}),
    "random, repeated tokens": ("oo gato gatoiuiu..", {"weights": plain_model.random_weights(2)}),
    "random, large": ("iu<eot> sofá chão muro.", {"weights": plain_model.random_weights(3, spread=3)}),
}


@pytest.mark.parametrize("temperature", [0, 1e-310, 0.5, 1, 3])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("case", RUNS)
def test_every_step_is_that_of_a_second_implementation(case, n_heads, causal, temperature):
    text, settings = RUNS[case]
    t = tm.run(text, n_heads=n_heads, causal=causal, temperature=temperature, **settings)
    expected = plain_model.forward(t.weights, t.ids, n_heads, causal, 0 if temperature < 1e-300 else temperature)
    assert sorted(expected) == sorted(t.keys())
    for key, numbers in expected.items():
        np.testing.assert_allclose(t[key], numbers, rtol=1e-11, atol=1e-12, strict=True, err_msg=key)


# ---- what the page asks to think about


def test_identical_keys_give_the_plain_mean_of_the_values():
    same = np.ones((2, 5, 2))
    t = tm.run("o gato subiu no", causal=False, replace={"blocks.0.attn.k": same})
    np.testing.assert_allclose(t["blocks.0.attn.pattern"], np.full((2, 5, 5), 0.2), atol=1e-15)
    means = t["blocks.0.attn.v"].mean(axis=1, keepdims=True)
    np.testing.assert_allclose(t["blocks.0.attn.z"], np.broadcast_to(means, (2, 5, 2)), atol=1e-15)


def test_without_attention_the_last_token_says_the_same_whatever_stood_before():
    first, second = (
        tm.run(text, replace={"blocks.0.attn.out": np.zeros((5, 4))})["probs"]
        for text in ("o gato subiu no", "iu muro. sofá no")
    )
    np.testing.assert_array_equal(first[-1], second[-1])


def test_a_positive_temperature_divides_all_logits_and_keeps_their_order():
    cold, hot = (tm.run("o gato subiu no", temperature=T) for T in (0.5, 3))
    np.testing.assert_array_equal(cold["logits"], hot["logits"])
    np.testing.assert_array_equal(np.argsort(cold["probs"][-1]), np.argsort(hot["probs"][-1]))
    assert hot["probs"][-1].max() < cold["probs"][-1].max()


def test_adding_10_to_all_logits_of_a_row_changes_no_probability():
    t = tm.run("o gato subiu no")
    shifted = tm.run("o gato subiu no", replace={"logits": t["logits"] + 10})
    np.testing.assert_allclose(shifted["probs"], t["probs"], atol=1e-14)


def test_the_mask_never_changes_the_last_row_of_one_block():
    with_mask, without = (tm.run("o gato subiu no", causal=causal)["probs"] for causal in (True, False))
    np.testing.assert_allclose(with_mask[-1], without[-1], atol=1e-15)
    assert np.abs(with_mask[:-1] - without[:-1]).max() > 0.01


def test_a_later_token_changes_nothing_before_it():
    short, long = tm.run("o gato subiu"), tm.run("o gato subiu no telhado.")
    np.testing.assert_allclose(long["probs"][:4], short["probs"], atol=1e-15)


# ---- what a run refuses

OTHER_HEADS = [3, 0, -2, 8, 2.0, 2.5, True, "2", None, [2], {}, float("nan"), 2 + 0j, np.array([1, 2])]
OTHER_CAUSES = [None, "yes", [], 2, 1, 0, 1.0, np.array([True, False])]
OTHER_TEMPERATURES = [
    -1,
    -1e-320,
    float("nan"),
    float("inf"),
    "hot",
    None,
    True,
    1j,
    [1],
    np.array([1.0, 2.0]),
    10**400,
]


@pytest.mark.parametrize(
    ("setting", "value", "allowed"),
    [("n_heads", value, "1, 2 or 4") for value in OTHER_HEADS]
    + [("causal", value, "True or False") for value in OTHER_CAUSES]
    + [("temperature", value, "a finite number from 0 up") for value in OTHER_TEMPERATURES],
    ids=lambda value: str(value)[:20],
)
def test_a_setting_that_makes_no_sense_is_refused_with_what_is_allowed(setting, value, allowed):
    with pytest.raises(ValueError, match=f"^{setting} must be .*{allowed}"):
        tm.run("o gato", **{setting: value})


@pytest.mark.parametrize(
    ("n_heads", "causal", "temperature"), [(2, True, 1), (np.int64(2), np.True_, np.float32(1)), (2, True, np.int8(1))]
)
def test_numbers_of_any_kind_will_do_as_settings_and_are_kept_as_plain_ones(n_heads, causal, temperature):
    t = tm.run("o gato", n_heads=n_heads, causal=causal, temperature=temperature)
    assert repr(t.settings) == "{'n_heads': 2, 'causal': True, 'temperature': 1.0}"


def test_text_longer_than_the_context_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match=r"9 tokens.*8"):
        tm.run("o" * 9)


def changed(**weights):
    return {**tm.toy_weights(), **weights}


E = tm.toy_weights()["W_E"]

BAD_WEIGHTS = {
    "a list": ([1], "dict of named arrays"),
    "a string": ("W_E", "dict of named arrays"),
    "nothing": ({}, "W_E"),
    "one missing": ({name: w for name, w in tm.toy_weights().items() if name != "W_U"}, "W_U"),
    "one too many": (changed(W_X=E), "W_X.*W_pos"),
    "a key that is no string": ({**tm.toy_weights(), 3: E}, "3.*W_pos"),
    "transposed": (changed(W_E=E.T), r"^weights\['W_E'\] has the shape \(4, 12\); needed is \(12, 4\)\.$"),
    "a longer context": (
        changed(W_pos=np.zeros((16, 4))),
        r"^weights\['W_pos'\] has the shape \(16, 4\); needed is \(8, 4\)\.$",
    ),
    "one number": (changed(W_E=3), r"W_E.*\(\).*\(12, 4\)"),
    "ragged": (changed(W_E=[[1], [1, 2]]), r"^weights\['W_E'\] must be a rectangle of numbers of shape \(12, 4\)\.$"),
    "NaN": (changed(W_E=E * np.nan), r"^weights\['W_E'\] must be finite; at \(0, 0\) it is nan\.$"),
    "one NaN": (changed(W_E=np.where(np.arange(48).reshape(12, 4) == 30, np.nan, E)), r"finite; at \(7, 2\) it is nan"),
    "infinite": (changed(W_E=E - np.inf), r"W_E.*must be finite; at \(0, 0\) it is -inf\.$"),
    "words": (changed(W_E=np.full((12, 4), "um")), "W_E.*rectangle of numbers"),
    "objects": (changed(W_E=np.full((12, 4), None)), "W_E.*rectangle of numbers"),
    "complex": (changed(W_E=E + 1j), "W_E.*rectangle of numbers"),
    "larger than a float": (changed(W_E=[[10**400] * 4] * 12), "W_E.*rectangle of numbers"),
    "a Trace": (tm.run("o"), "dict of named arrays"),
    "so large that a run overflows": (
        {name: w * 1e160 for name, w in tm.toy_weights().items()},
        "^these numbers.*larger than float",
    ),
}


@pytest.mark.parametrize("what", BAD_WEIGHTS)
def test_weights_that_do_not_fit_are_refused_by_name(what):
    weights, message = BAD_WEIGHTS[what]
    with pytest.raises(ValueError, match=message):
        tm.run("o gato", weights=weights)


def test_weights_may_be_lists_whole_numbers_or_float32():
    plain = tm.run("o gato subiu no", weights={name: w.tolist() for name, w in tm.toy_weights().items()})
    single = tm.run("o gato subiu no", weights={name: w.astype(np.float32) for name, w in tm.toy_weights().items()})
    zeros = tm.run("o gato subiu no", weights={name: w.astype(int) * 0 for name, w in tm.toy_weights().items()})
    assert plain["probs"].tolist() == single["probs"].tolist() == tm.run("o gato subiu no")["probs"].tolist()
    assert zeros["probs"].dtype == np.float64
    np.testing.assert_allclose(zeros["probs"], np.full((5, 12), 1 / 12), atol=1e-15)


def test_toy_weights_are_a_fresh_copy_each_time():
    tm.toy_weights()["W_E"][:] = 7
    assert tm.toy_weights()["W_E"].max() == 1
