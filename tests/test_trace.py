"""The recorder and the trace it leaves: steps cannot be spoiled, and are replaced on these terms only."""

import numpy as np
import pandas as pd
import pytest

import toymodel as tm
from toymodel.models.layers import attention
from toymodel.ops import by_hand, causal_mask, given, identity, wired
from toymodel.trace import Recorder

pytestmark = pytest.mark.filterwarnings("error")

TEXT = "o gato subiu no"
t = tm.run(TEXT)
KEYS = t.keys()
PATTERN = "blocks.0.attn.pattern"
EVEN = np.full((2, 5, 5), 0.2)


# ---- what a trace keeps


@pytest.mark.parametrize("key", [*KEYS, *t.weights])
def test_each_array_is_read_only_float64(key):
    assert type(t[key]) is np.ndarray and t[key].dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        t[key][...] = 0
    with pytest.raises(ValueError, match="read-only"):
        t.weights["W_E"][0, 0] = 0


def test_what_is_changed_after_the_run_does_not_reach_the_trace():
    weights, pattern = tm.toy_weights(), EVEN.copy()
    changing = tm.run(TEXT, weights=weights, replace={PATTERN: pattern})
    before = {key: changing[key].copy() for key in [*KEYS, *weights]}
    for array in [*weights.values(), pattern]:
        array[...] = 7
    changing.keys().clear()
    changing.weights.clear()
    for key, was in before.items():
        np.testing.assert_array_equal(changing[key], was)


def test_a_run_leaves_weights_and_replacements_as_they_were():
    weights, pattern = tm.toy_weights(), EVEN.copy()
    replace = {PATTERN: pattern}
    tm.gradients(tm.run(TEXT, weights=weights, replace=replace))
    assert replace == {PATTERN: pattern} and (pattern == 0.2).all()
    assert weights.keys() == tm.toy_weights().keys()
    for name, was in tm.toy_weights().items():
        np.testing.assert_array_equal(weights[name], was)


def test_weights_that_share_their_memory_are_each_kept_as_they_were():
    weights = tm.toy_weights()
    weights["blocks.0.attn.W_V"] = weights["blocks.0.attn.W_O"]
    g, plain = tm.gradients(tm.run(TEXT, weights=weights)), tm.gradients(t)
    np.testing.assert_array_equal(g["blocks.0.attn.W_V"], plain["blocks.0.attn.W_V"])


def test_a_trace_says_what_was_read_and_how():
    assert t.tokens == ["o", "␣gato", "␣sub", "iu", "␣no"] and t.ids == [0, 2, 4, 5, 1]
    assert t.settings == {"n_heads": 2, "causal": True, "temperature": 1.0}
    assert t.chosen is None
    assert "o ␣gato ␣sub iu ␣no" in repr(t) and "34 steps" in repr(t)


def test_a_trace_is_gone_through_like_a_dict():
    assert list(t) == KEYS
    assert PATTERN in t and "nonsense" not in t


@pytest.mark.parametrize(
    "key",
    ["nonsense", "", "blocks.0.attn", "blocks.1.attn.q", None, 0, -1, 3.5, (), [], {}, slice(None), b"q", np.ones(2)],
)
def test_an_unknown_step_is_both_a_key_error_and_a_value_error_with_a_sentence(key):
    with pytest.raises(tm.UnknownStep, match=r"^There is no step `"):
        t[key]
    with pytest.raises(KeyError):
        t[key]


def test_an_unknown_step_suggests_near_ones():
    with pytest.raises(ValueError, match=r"There is no step `patern`. Did you mean blocks\.0\.attn\.pattern\?"):
        t["patern"]


@pytest.mark.parametrize(
    "call", [lambda x: tm.explain(x, "embed", (0, 0)), lambda x: tm.table(x, "embed"), tm.gradients]
)
@pytest.mark.parametrize("given", [None, TEXT, t["embed"]], ids=type)
def test_what_is_no_trace_is_refused(call, given):
    with pytest.raises(ValueError, match="Trace"):
        call(given)


# ---- replacing a step


@pytest.mark.parametrize("numbers", [EVEN, EVEN.tolist(), EVEN.astype(np.float32), EVEN.astype(object)], ids=type)
def test_numbers_take_the_place_of_a_step_and_all_that_follows_reads_them(numbers):
    replaced = tm.run(TEXT, replace={PATTERN: numbers})
    np.testing.assert_allclose(replaced[PATTERN], EVEN, rtol=1e-7)
    np.testing.assert_allclose(replaced["blocks.0.attn.z"], EVEN @ t["blocks.0.attn.v"], rtol=1e-7, atol=1e-8)
    for key in KEYS[: KEYS.index(PATTERN)]:
        np.testing.assert_array_equal(replaced[key], t[key])
    assert replaced.array(PATTERN).op is by_hand


def test_a_table_that_was_changed_may_be_put_back():
    table = pd.DataFrame(np.zeros((5, 4)), index=t.tokens)
    assert not tm.run(TEXT, replace={"blocks.0.mlp.out": table})["blocks.0.mlp.out"].any()


def test_an_earlier_step_takes_the_place_of_a_later_one():
    replaced = tm.run(TEXT, replace={"blocks.0.ln1.out": "blocks.0.resid_pre"})
    np.testing.assert_array_equal(replaced["blocks.0.ln1.out"], t["blocks.0.resid_pre"])
    expected = t["blocks.0.resid_pre"] @ t.weights["blocks.0.attn.W_V"]
    np.testing.assert_array_equal(np.hstack(list(replaced["blocks.0.attn.v"])), expected)
    assert replaced.array("blocks.0.ln1.out").op is wired


def test_a_name_may_be_a_numpy_string():
    by_numpy = tm.run(TEXT, replace={"blocks.0.ln1.out": np.str_("blocks.0.resid_pre")})
    np.testing.assert_array_equal(by_numpy["blocks.0.ln1.out"], t["blocks.0.resid_pre"])


def test_a_step_replaced_by_its_own_numbers_changes_nothing():
    for key in KEYS:
        if not t.is_aside(key):
            again = tm.run(TEXT, replace={key: t[key]})
            np.testing.assert_array_equal(again["probs"], t["probs"])


def test_a_wire_may_start_at_a_replaced_step():
    replaced = tm.run(TEXT, replace={"blocks.0.attn.out": np.ones((5, 4)), "blocks.0.mlp.out": "blocks.0.attn.out"})
    np.testing.assert_array_equal(replaced["blocks.0.mlp.out"], np.ones((5, 4)))


def test_scores_may_be_hidden_by_hand():
    hidden = np.where(np.eye(5)[::-1] > 0, -np.inf, t["blocks.0.attn.scores"])
    replaced = tm.run(TEXT, replace={"blocks.0.attn.masked_scores": hidden})
    np.testing.assert_array_equal(replaced[PATTERN] == 0, [np.eye(5)[::-1] > 0] * 2)


REFUSED = {
    "a step that is not there": ({"nonsense": EVEN}, "no step `nonsense`"),
    "a misspelt step": ({"blocks.0.attn.patern": EVEN}, "Did you mean blocks.0.attn.pattern"),
    "half a name": ({"ln1.out": "blocks.0.resid_pre"}, "Did you mean blocks.0.ln1.out"),
    "the loss": ({"loss": 1.0}, "no step `loss`"),
    "a weight": ({"W_E": tm.toy_weights()["W_E"]}, "no step `W_E`"),
    "a key that is no name": ({3: EVEN}, "no step `3`"),
    "another shape": ({PATTERN: EVEN[0]}, r"pattern.*\(5, 5\).*\(2, 5, 5\)"),
    "the right size in another shape": ({PATTERN: EVEN.reshape(5, 2, 5)}, r"pattern.*\(5, 2, 5\).*\(2, 5, 5\)"),
    "one number": ({PATTERN: 1}, r"pattern.*\(\).*\(2, 5, 5\)"),
    "nothing": ({PATTERN: None}, "pattern.*numbers"),
    "ragged": ({PATTERN: [[1], [1, 2]]}, "pattern.*rectangle"),
    "a function": ({PATTERN: np.tanh}, "pattern.*numbers"),
    "complex": ({PATTERN: EVEN + 1j}, "pattern.*numbers"),
    "NaN": ({PATTERN: EVEN * np.nan}, "pattern.*finite"),
    "infinite": ({PATTERN: EVEN + np.inf}, "pattern.*finite"),
    "minus infinity where no mask stands": ({PATTERN: EVEN - np.inf}, "pattern.*finite"),
    "minus infinity before the mask": ({"blocks.0.attn.scores": EVEN - np.inf}, "scores.*finite"),
    "a row hidden whole": ({"blocks.0.attn.masked_scores": EVEN - np.inf}, "masked whole"),
    "an earlier step of another shape": ({PATTERN: "embed"}, r"pattern.*\(5, 4\).*\(2, 5, 5\)"),
    "an earlier step that is not there": ({PATTERN: "blocks.0.attn.score"}, "Did you mean blocks.0.attn.scores"),
    "an earlier aside": ({PATTERN: "blocks.0.attn.exp_scores"}, "`blocks.0.attn.exp_scores` is an aside"),
    "a later step": ({PATTERN: "logits"}, "`?logits`?.*(earlier|before|later)"),
    "itself": ({PATTERN: PATTERN}, "pattern.*(earlier|before|itself)"),
    "a list": ([PATTERN], "dict"),
    "a string": (PATTERN, "dict"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_replacement_that_does_not_fit_is_refused_by_name(what):
    replace, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        tm.run(TEXT, replace=replace)


@pytest.mark.parametrize("key", [key for key in KEYS if t.is_aside(key)])
@pytest.mark.parametrize("new", [None, "embed"])
def test_an_aside_cannot_be_replaced(key, new):
    with pytest.raises(ValueError, match=f"`{key}` is an aside.*cannot be replaced"):
        tm.run(TEXT, replace={key: t[key] if new is None else new})


@pytest.mark.parametrize("size", [1e100, 1e308])
def test_a_replacement_so_large_that_what_follows_overflows_is_refused_or_carried_through(size):
    for key in KEYS:
        if not t.is_aside(key):
            try:
                large = tm.run(
                    TEXT, replace={key: size * np.sign(t[key], where=np.isfinite(t[key]), out=np.zeros(t[key].shape))}
                )
            except ValueError as error:
                assert "large" in str(error) or "overflow" in str(error), (key, error)
            else:
                assert not np.isnan(large["probs"]).any(), key


# ---- the recorder


def test_no_step_is_recorded_twice():
    step = Recorder({})
    step("q", given(numbers=np.ones(2)))
    with pytest.raises(ValueError, match="q twice"):
        step("q", given(numbers=np.ones(2)))


def test_names_are_relative_to_a_part_of_the_path():
    step = Recorder(tm.toy_weights())
    u = step("u", given(numbers=np.ones((3, 4))))
    attention(step.within("blocks.0").within("attn"), u, n_heads=2, causal=True)
    assert list(step.steps) == ["u", *[key for key in KEYS if ".attn." in key]]


def test_a_second_name_for_the_same_numbers_is_an_identity():
    assert tm.run(TEXT, causal=False).array("blocks.0.attn.masked_scores").op is identity
    assert t.array("blocks.0.attn.masked_scores").op is causal_mask
    unmasked = tm.run(TEXT, causal=False)
    np.testing.assert_array_equal(unmasked["blocks.0.attn.masked_scores"], unmasked["blocks.0.attn.scores"])
