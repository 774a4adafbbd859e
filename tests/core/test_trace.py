"""The recorder and the trace it leaves: steps cannot be spoiled, and are replaced on these terms only."""

from types import MappingProxyType

import numpy as np
import pandas as pd
import plain_model
import pytest

import toymodel as tm
from toymodel.core.arguments import checked_numbers
from toymodel.core.moves import causal_mask, given, identity
from toymodel.core.recorder import Recorder
from toymodel.core.trace import Trace
from toymodel.models.layers import attention
from toymodel.models.model import leaf

pytestmark = pytest.mark.filterwarnings("error")

TEXT = "o gato subiu no"
t = tm.run(TEXT)
KEYS = t.keys()
PATTERN = "blocks.0.attn.pattern"
EVEN = np.full((2, 5, 5), 0.2)
REPLACEABLE = [key for key in KEYS if key not in plain_model.ASIDES]
TOO_LARGE = "^these numbers lead to others that are larger than float64 can hold"


def recorder(weights=(), replace=None):
    """A recorder as a run of a model hands it on."""
    return Recorder(
        Trace([], [], {}, leaves={name: leaf(name, w) for name, w in dict(weights).items()}, replace=replace)
    )


# ---- what a trace keeps


@pytest.mark.parametrize("key", [*KEYS, *t.weights])
def test_each_array_is_read_only_float64(key):
    assert type(t[key]) is np.ndarray and t[key].dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        t[key][...] = 0
    with pytest.raises(ValueError, match="read-only"):
        t.weights["W_E"][0, 0] = 0


@pytest.mark.parametrize("name", t.weights)
def test_the_weights_that_every_run_reads_are_locked_for_good(name):
    with pytest.raises(ValueError, match="WRITEABLE"):
        t[name].setflags(write=True)
    with pytest.raises(ValueError, match="WRITEABLE"):
        t.weights[name].flags.writeable = True


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
    assert "o ␣gato ␣sub iu ␣no" in repr(t) and "34 named arrays" in repr(t)


def test_a_trace_is_gone_through_like_a_dict():
    assert list(t) == [*t] == KEYS
    assert PATTERN in t and "nonsense" not in t
    assert {key: t[key].shape for key in t}["logits"] == (5, 12)


@pytest.mark.parametrize(
    ("axis", "n", "labels"),
    [
        *[(axis, 5, ["o", "␣gato", "␣sub", "iu", "␣no"]) for axis in ("pos", "query", "key")],
        ("d_vocab", 12, list(t.vocab)),
        *[
            (axis, n, list(range(n)))
            for axis, n in [("head", 2), ("d_model", 4), ("d_mlp", 8), ("n_ctx", 8), ("head", 4)]
        ],
    ],
)
def test_the_places_along_an_axis_are_called_by_their_tokens_or_counted(axis, n, labels):
    assert list(t.labels(axis, n)) == list(tm.gradients(t).labels(axis, n)) == labels


def test_a_model_names_the_places_of_a_text_that_it_reads_besides():
    step = recorder()
    step.within("a.part").label(["the", "cat"], "source pos", "source key")
    labels = step.trace.labels
    assert labels("source key", 2) == labels("source pos", 2) == ("the", "cat")
    assert list(labels("d_head", 3)) == [0, 1, 2]


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
    "call",
    [
        *(lambda x: tm.explain(x, "embed", (0, 0)), lambda x: tm.table(x, "embed")),
        *(tm.gradients, tm.path, tm.ranking, tm.predictions),
    ],
)
@pytest.mark.parametrize("given", [None, TEXT, t["embed"]], ids=type)
def test_what_is_no_trace_is_refused(call, given):
    with pytest.raises(ValueError, match=r"the first argument must be a Trace, t = tm\.run\('o gato'\), not "):
        call(given)


@pytest.mark.parametrize("call", [tm.gradients, tm.path, tm.ranking], ids=lambda call: call.__name__)
def test_gradients_are_refused_where_only_a_run_will_do(call):
    with pytest.raises(ValueError, match="Trace"):
        call(tm.gradients(t))


# ---- replacing a step


@pytest.mark.parametrize("numbers", [EVEN, EVEN.tolist(), EVEN.astype(np.float32)], ids=type)
def test_numbers_take_the_place_of_a_step_and_all_that_follows_reads_them(numbers):
    replaced = tm.run(TEXT, replace={PATTERN: numbers})
    np.testing.assert_allclose(replaced[PATTERN], EVEN, rtol=1e-7)
    np.testing.assert_allclose(replaced["blocks.0.attn.z"], EVEN @ t["blocks.0.attn.v"], rtol=1e-7, atol=1e-8)
    for key in KEYS[: KEYS.index(PATTERN)]:
        np.testing.assert_array_equal(replaced[key], t[key])
    assert replaced.array(PATTERN).op is given and replaced.array(PATTERN).note == "set by hand"


def test_replacements_may_come_in_any_mapping():
    replaced = tm.run(TEXT, replace=MappingProxyType({PATTERN: EVEN}))
    np.testing.assert_array_equal(replaced[PATTERN], EVEN)
    for none in ({}, None):
        np.testing.assert_array_equal(tm.run(TEXT, replace=none)["probs"], t["probs"])


def test_a_table_that_was_changed_may_be_put_back():
    table = pd.DataFrame(np.zeros((5, 4)), index=t.tokens)
    assert not tm.run(TEXT, replace={"blocks.0.mlp.out": table})["blocks.0.mlp.out"].any()


def test_an_earlier_step_takes_the_place_of_a_later_one():
    replaced = tm.run(TEXT, replace={"blocks.0.ln1.out": "blocks.0.resid_pre"})
    np.testing.assert_array_equal(replaced["blocks.0.ln1.out"], t["blocks.0.resid_pre"])
    expected = t["blocks.0.resid_pre"] @ t.weights["blocks.0.attn.W_V"]
    np.testing.assert_array_equal(np.hstack(list(replaced["blocks.0.attn.v"])), expected)
    wired = replaced.array("blocks.0.ln1.out")
    assert wired.op is identity and wired.note == "set by hand: an earlier step in its place"
    assert wired.inputs == (replaced.array("blocks.0.resid_pre"),) and wired.inputs[0].note == ""


def test_a_step_with_hidden_scores_may_be_wired_to_where_they_may_stand_and_nowhere_else():
    hidden = np.where(np.eye(5)[::-1] > 0, -np.inf, t["blocks.0.attn.scores"])
    step = recorder(replace={"a.masked_scores": "masked_scores", "a.scores": "masked_scores"})
    step("masked_scores", given(numbers=hidden))
    np.testing.assert_array_equal(step("a.masked_scores", given(numbers=EVEN)).value, hidden)
    with pytest.raises(ValueError, match=r"^`masked_scores` cannot stand in for `a\.scores`\. Fit: none\.$"):
        step("a.scores", given(numbers=EVEN))


def test_a_name_may_be_a_numpy_string():
    by_numpy = tm.run(TEXT, replace={"blocks.0.ln1.out": np.str_("blocks.0.resid_pre")})
    np.testing.assert_array_equal(by_numpy["blocks.0.ln1.out"], t["blocks.0.resid_pre"])


def test_a_step_replaced_by_its_own_numbers_changes_nothing():
    for key in REPLACEABLE:
        again = tm.run(TEXT, replace={key: t[key]})
        np.testing.assert_array_equal(again["probs"], t["probs"])


def test_a_wire_may_start_at_a_replaced_step():
    replaced = tm.run(TEXT, replace={"blocks.0.attn.out": np.ones((5, 4)), "blocks.0.mlp.out": "blocks.0.attn.out"})
    np.testing.assert_array_equal(replaced["blocks.0.mlp.out"], np.ones((5, 4)))


def test_scores_may_be_hidden_by_hand():
    hidden = np.where(np.eye(5)[::-1] > 0, -np.inf, t["blocks.0.attn.scores"])
    replaced = tm.run(TEXT, replace={"blocks.0.attn.masked_scores": hidden})
    np.testing.assert_array_equal(replaced[PATTERN] == 0, [np.eye(5)[::-1] > 0] * 2)


def no_fit(new, fits="blocks.0.attn.dots, blocks.0.attn.scores", key=PATTERN):
    return f"^`{new}` cannot stand in for `{key}`. Fit: {fits}.$"


THERE = rf"^replace\['{PATTERN}'\] "
NO_RECTANGLE = rf"{THERE}must be a rectangle of numbers of shape \(2, 5, 5\)\.$"
REFUSED = {
    "a step that is not there": ({"nonsense": EVEN}, "no step `nonsense`"),
    "a misspelt step": ({"blocks.0.attn.patern": EVEN}, "Did you mean blocks.0.attn.pattern"),
    "half a name": ({"ln1.out": "blocks.0.resid_pre"}, "Did you mean blocks.0.ln1.out"),
    "the loss": ({"loss": 1.0}, "no step `loss`"),
    "a weight": ({"W_E": tm.toy_weights()["W_E"]}, "^`W_E` is a weight, not a step: change it with weights=.$"),
    "a weight by name": ({"blocks.0.attn.W_Q": "embed"}, "^`blocks.0.attn.W_Q` is a weight.* weights="),
    "a key that is no name": ({3: EVEN}, "no step `3`"),
    "another shape": ({PATTERN: EVEN[0]}, rf"{THERE}has the shape \(5, 5\); needed is \(2, 5, 5\)\.$"),
    "the right size in another shape": (
        {PATTERN: EVEN.reshape(5, 2, 5)},
        rf"{THERE}has the shape \(5, 2, 5\); needed is \(2, 5, 5\)\.$",
    ),
    "one number": ({PATTERN: 1}, rf"{THERE}has the shape \(\); needed is \(2, 5, 5\)\.$"),
    "nothing": ({PATTERN: None}, NO_RECTANGLE),
    "ragged": ({PATTERN: [[1], [1, 2]]}, NO_RECTANGLE),
    "a function": ({PATTERN: np.tanh}, NO_RECTANGLE),
    "complex": ({PATTERN: EVEN + 1j}, NO_RECTANGLE),
    "objects": ({PATTERN: EVEN.astype(object)}, NO_RECTANGLE),
    "True and False": ({PATTERN: EVEN > 0}, NO_RECTANGLE),
    "NaN": ({PATTERN: EVEN * np.nan}, rf"{THERE}must be finite; at \(0, 0, 0\) it is nan\.$"),
    "one NaN": (
        {PATTERN: np.where(np.arange(50).reshape(2, 5, 5) == 38, np.nan, 0)},
        rf"{THERE}must be finite; at \(1, 2, 3\) it is nan\.$",
    ),
    "infinite": ({PATTERN: EVEN + np.inf}, rf"{THERE}must be finite; at \(0, 0, 0\) it is inf\.$"),
    "minus infinity where no mask stands": ({PATTERN: EVEN - np.inf}, rf"{THERE}must be finite; .* is -inf\.$"),
    "minus infinity before the mask": ({"blocks.0.attn.scores": EVEN - np.inf}, r"scores'\] must be finite; .*-inf"),
    "NaN for a masked score": (
        {"blocks.0.attn.masked_scores": EVEN * np.nan},
        r"masked_scores'\] must be finite; .*nan",
    ),
    "infinity for a masked score": ({"blocks.0.attn.masked_scores": EVEN + np.inf}, "must be finite; .*it is inf"),
    "a row hidden whole": ({"blocks.0.attn.masked_scores": EVEN - np.inf}, "masked whole"),
    "an earlier step of another shape": ({PATTERN: "embed"}, no_fit("embed")),
    "an earlier step that is not there": ({PATTERN: "blocks.0.attn.score"}, no_fit("blocks.0.attn.score")),
    "an earlier aside": ({PATTERN: "blocks.0.attn.exp_scores"}, no_fit("blocks.0.attn.exp_scores")),
    "an earlier step with hidden scores": (
        {PATTERN: "blocks.0.attn.masked_scores"},
        no_fit("blocks.0.attn.masked_scores"),
    ),
    "a later step": ({PATTERN: "logits"}, no_fit("logits")),
    "a later step of the same shape": (
        {"blocks.0.ln1.out": "blocks.0.ln2.out"},
        no_fit("blocks.0.ln2.out", "embed, pos_embed, blocks.0.resid_pre", "blocks.0.ln1.out"),
    ),
    "itself": ({PATTERN: PATTERN}, no_fit(PATTERN)),
    "the name of a weight": ({PATTERN: "W_E"}, no_fit("W_E")),
    "an earlier step where there is none": ({"embed": "pos_embed"}, no_fit("pos_embed", "none", "embed")),
    "a list": ([PATTERN], r"^replace must be a dict, step: numbers or step: earlier step, not \['blocks"),
    "a string": (PATTERN, "^replace must be a dict, .* not 'blocks"),
    "an empty list": ([], r"^replace must be a dict, .* not \[\]"),
    "False": (False, "^replace must be a dict, .* not False"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_replacement_that_does_not_fit_is_refused_by_name(what):
    replace, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        tm.run(TEXT, replace=replace)


@pytest.mark.parametrize("key", sorted(plain_model.ASIDES))
@pytest.mark.parametrize("new", [None, "embed"])
def test_an_aside_cannot_be_replaced(key, new):
    with pytest.raises(ValueError, match=f"`{key}` is an aside: it only shows part of a later sum. Replace that step."):
        tm.run(TEXT, replace={key: t[key] if new is None else new})


def test_without_a_mask_the_scores_behind_it_may_be_wired_too():
    masked = "blocks.0.attn.masked_scores"
    replaced = tm.run(TEXT, causal=False, replace={PATTERN: masked})
    np.testing.assert_array_equal(replaced[PATTERN], replaced[masked])


@pytest.mark.parametrize("size", [1e100, 1e308])
def test_a_replacement_so_large_that_what_follows_overflows_is_refused_or_carried_through(size):
    refused = 0
    for key in REPLACEABLE:
        large = size * np.sign(t[key], where=np.isfinite(t[key]), out=np.zeros(t[key].shape))
        try:
            carried = tm.run(TEXT, replace={key: large})
        except ValueError as error:
            assert str(error).startswith(TOO_LARGE[1:]), (key, error)
            refused += 1
        else:
            assert not np.isnan(carried["probs"]).any(), key
    assert refused or size < 1e308


def test_weights_whose_gradients_overflow_are_refused_in_the_same_words():
    weights = tm.toy_weights()
    weights["blocks.0.attn.W_V"] *= 0  # so that attention adds nothing, however large W_O is
    weights["blocks.0.attn.W_O"] *= 1e200
    weights["W_U"] *= 1e200
    large = tm.run(TEXT, weights=weights)
    with pytest.raises(ValueError, match=TOO_LARGE):
        tm.gradients(large, "o")


def test_sums_of_powers_that_overflow_are_infinite():
    large = tm.run(TEXT, replace={"logits": np.full((5, 12), 709.5), "blocks.0.attn.masked_scores": 0 * EVEN + 709.5})
    assert np.isinf(large["exp_logits_sum"]).all() and np.isinf(large["blocks.0.attn.exp_scores_sum"]).all()


# ---- numbers of a given shape


@pytest.mark.parametrize("shape", [(2, 3), (None, 3), (2, None), (None, None)])
def test_none_in_a_shape_allows_any_length(shape):
    for numbers in ([[1, 2, 3], [4, 5, 6]], np.arange(1, 7).reshape(2, 3)):
        checked = checked_numbers(numbers, "X", shape)
        assert checked.dtype == np.float64 and checked.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert checked_numbers(np.zeros((0, 3)), "X", (None, 3)).shape == (0, 3)


IN_WORDS = {(3, 3): "(3, 3)", (None, 2): "(any, 2)", (3, None): "(3, any)", (None,): "(any,)", (): "()"}


@pytest.mark.parametrize(("shape", "words"), IN_WORDS.items())
def test_another_shape_is_refused_with_the_lengths_that_are_needed(shape, words):
    with pytest.raises(ValueError) as refused:
        checked_numbers(np.ones((2, 3)), "X", shape)
    assert str(refused.value) == f"X has the shape (2, 3); needed is {words}."
    with pytest.raises(ValueError) as refused:
        checked_numbers([[1], [2, 3]], "X", shape)
    assert str(refused.value) == f"X must be a rectangle of numbers of shape {words}."


def test_checked_numbers_are_a_copy():
    numbers = np.ones((2, 3))
    checked_numbers(numbers, "X", (None, 3))[:] = 7
    assert (numbers == 1).all()


def test_minus_infinity_is_allowed_where_a_mask_may_stand_and_nothing_else():
    masked = [[0, -np.inf]]
    np.testing.assert_array_equal(checked_numbers(masked, "X", (None, 2), may_be_masked=True), masked)
    for bad in (np.inf, np.nan):
        with pytest.raises(ValueError, match=rf"^X must be finite; at \(0, 1\) it is {bad}\.$"):
            checked_numbers([[0, bad]], "X", (None, 2), may_be_masked=True)


# ---- the recorder


def test_no_step_is_recorded_twice():
    step = recorder()
    step("q", given(numbers=np.ones(2)))
    with pytest.raises(ValueError, match="q twice"):
        step("q", given(numbers=np.ones(2)))


def test_names_are_relative_to_a_part_of_the_path():
    step = recorder(tm.toy_weights())
    u = step("u", given(numbers=np.ones((3, 4))))
    attention(step.within("blocks.0").within("attn"), u, n_heads=2, causal=True)
    assert step.trace.keys() == ["u", *[key for key in KEYS if ".attn." in key]]


def test_a_second_name_for_the_same_numbers_is_an_identity():
    assert tm.run(TEXT, causal=False).array("blocks.0.attn.masked_scores").op is identity
    assert t.array("blocks.0.attn.masked_scores").op is causal_mask
    unmasked = tm.run(TEXT, causal=False)
    np.testing.assert_array_equal(unmasked["blocks.0.attn.masked_scores"], unmasked["blocks.0.attn.scores"])
