"""The vocabulary of steps: complete, in order, and good at guessing what was meant."""

import dataclasses
import re

import plain_model
import pytest

import toymodel as tm
from toymodel.core.array import Aside
from toymodel.core.steps import near, without_words
from toymodel.models.head import HEAD
from toymodel.models.sizes import TOY_SIZES
from toymodel.models.toy import TOY

t = tm.run("o gato subiu no")

PATH = """
embed pos_embed blocks.0.resid_pre
blocks.0.ln1.mean blocks.0.ln1.std blocks.0.ln1.out
blocks.0.attn.q blocks.0.attn.k blocks.0.attn.v blocks.0.attn.dots blocks.0.attn.scores blocks.0.attn.masked_scores
blocks.0.attn.exp_scores blocks.0.attn.exp_scores_sum blocks.0.attn.pattern
blocks.0.attn.z blocks.0.attn.concat blocks.0.attn.result blocks.0.attn.out
blocks.0.resid_mid
blocks.0.ln2.mean blocks.0.ln2.std blocks.0.ln2.out
blocks.0.mlp.pre blocks.0.mlp.post blocks.0.mlp.out
blocks.0.resid_post
ln_final.mean ln_final.std ln_final.out
logits exp_logits exp_logits_sum probs
"""
PATH = PATH.split()
STEPS, WEIGHTS = ({key: TOY.about[key] for key in keys} for keys in (PATH, t.weights))
KNOWN = STEPS | WEIGHTS
SIZES = {"pos": 5, "query": 5, "key": 5, "head": 2, "d_head": 2, "n_heads * d_head": 4, **TOY_SIZES._asdict()}


def test_the_steps_of_a_run_stand_in_the_order_of_the_path():
    assert t.keys() == PATH


@pytest.mark.parametrize(("n_heads", "causal"), [(1, True), (4, False)])
def test_neither_heads_nor_mask_change_the_names(n_heads, causal):
    assert tm.run("o", n_heads=n_heads, causal=causal).keys() == PATH


def test_what_is_told_of_the_toy_is_told_of_each_step_and_weight_and_of_nothing_else():
    assert TOY.about.keys() == {*PATH, *tm.toy_weights()} and list(tm.toy_weights()) == list(t.weights)


def test_a_step_that_a_model_says_nothing_of_still_has_a_name_and_axes():
    assert without_words("encoder.0.self.q", 3) == ("encoder.0.self.q", ("axis 0", "axis 1", "axis 2"), "", "")
    bare = dataclasses.replace(TOY, about={})
    nameless = bare.run([0, 2])
    with pytest.raises(tm.UnknownStep, match="Did you mean"):
        nameless["probz"]
    assert str(tm.explain(nameless, "logits", (1, 6))).startswith(
        "logits: axis 0 1, axis 1 6\nlogits[1,6] = ln_final.out[1,0]"
    )
    assert tm.table(nameless, "logits").shape == (2, 12) and len(tm.path(nameless)) == len(PATH)
    assert tm.table(nameless, "blocks.0.attn.pattern").shape == (4, 2)
    assert tm.table(nameless, "blocks.0.attn.pattern", head=1).shape == (2, 2)


def test_without_words_two_steps_of_one_sum_are_told_apart_and_latex_can_write_them():
    about = {key: step for key, step in TOY.about.items() if not key.endswith(".out")}
    t = dataclasses.replace(TOY, about=about).run([0, 2])
    assert "blocks.0.attn.out[1,0]" in tm.explain(t, "blocks.0.resid_mid", (1, 0)).text
    s = tm.explain(dataclasses.replace(TOY, about={}).run([0, 2]), "blocks.0.attn.masked_scores", (0, 1, 0))
    assert r"\mathrm{blocks.0.attn.masked}_{\mathrm{scores}}[0,1,0]" in s.latex


def test_the_asides_are_those_that_nothing_reads():
    assert {key for key in PATH if issubclass(t.array(key).op, Aside)} == plain_model.ASIDES


@pytest.mark.parametrize("key", [*PATH, *t.weights])
def test_the_axes_say_what_shape_a_step_has(key):
    assert t[key].shape == tuple(SIZES[axis] for axis in t.about(key).axes)


@pytest.mark.parametrize("vocabulary", [KNOWN, HEAD], ids=["toy", "head"])
def test_each_is_told_in_a_sentence_with_a_symbol_of_its_own(vocabulary):
    for key, step in vocabulary.items():
        assert step.gloss[0].isupper() or step.gloss.startswith(("e to", "-ln"))
        assert step.gloss.endswith(".") and len(step.gloss) < 80
        assert [other for other, it in vocabulary.items() if it.symbol == step.symbol] == [key]


def test_a_gloss_uses_no_name_that_is_not_a_weight_or_a_size():
    known = {step.symbol for step in WEIGHTS.values()}
    for vocabulary, width in ((KNOWN, "d_head"), (HEAD, "d_k")):
        for key, step in vocabulary.items():
            assert set(re.findall(r"\w*_\w+", step.gloss)) <= known | {width}, key


def test_no_alias_stands_for_two_steps_but_softmax_of_which_there_are_two():
    aliases = [alias for step in STEPS.values() for alias in step.aliases.lower().split(", ") if alias]
    aliases.remove("softmax")
    assert sorted(set(aliases)) == sorted(aliases)
    assert near("softmax", STEPS) == ["blocks.0.attn.pattern", "probs"]


def test_no_alias_is_the_symbol_of_another_step():
    symbols = {step.symbol.lower(): key for key, step in STEPS.items()}
    for key, step in STEPS.items():
        assert all(symbols.get(alias, key) == key for alias in step.aliases.lower().split(", ")), key


@pytest.mark.parametrize("key", PATH)
def test_each_symbol_leads_to_its_step(key):
    assert near(t.about(key).symbol, KNOWN)[0] == key


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("Q", "blocks.0.attn.q"),
        ("queries", "blocks.0.attn.q"),
        ("attention weights", "blocks.0.attn.pattern"),
        ("pattern", "blocks.0.attn.pattern"),
        ("blocks.1.attn.pattern", "blocks.0.attn.pattern"),
        ("blocks.0.attn.patern", "blocks.0.attn.pattern"),
        ("probabilities", "probs"),
        ("LOGITS", "logits"),
        ("W_e", "W_E"),
        ("W_Q", "blocks.0.attn.W_Q"),
        ("x", "blocks.0.resid_pre"),
        ("u'", "blocks.0.ln2.out"),
        ("mix", "blocks.0.attn.z"),
        ("Z", "logits"),
        ("head output", "blocks.0.attn.z"),
    ],
)
def test_an_unknown_name_suggests_what_was_meant(asked, meant):
    suggested = near(asked, KNOWN)
    assert suggested[0] == meant and len(suggested) <= 3


@pytest.mark.parametrize("key", [key for key in STEPS if STEPS[key].aliases])
def test_each_alias_leads_to_its_step(key):
    for alias in t.about(key).aliases.split(", "):
        assert key in near(alias, STEPS), alias


@pytest.mark.parametrize("asked", ["", " ", "?", None, 0, (), "a" * 10**5, ".", "\ud800"], ids=lambda x: repr(x)[:10])
def test_where_nothing_is_near_nothing_is_suggested(asked):
    assert near(asked, KNOWN) == []


# ---- one head by itself

alone = tm.attend(X=[[1, 0, 2]] * 5, W_Q=[[1, 2]] * 3, W_K=[[0, 1]] * 3, W_V=[[1, 2, 3, 4]] * 3, causal=True)
SIZES_ALONE = {"pos": 5, "query": 5, "key": 5, "d_model": 3, "d_k": 2, "d_v": 4}


def test_the_vocabulary_of_a_head_lists_its_steps_in_the_order_of_the_path_and_its_weights():
    assert list(HEAD) == [*alone.keys(), *alone.weights]
    in_the_toy = [key.removeprefix("blocks.0.attn.") for key in [*PATH, *t.weights] if ".attn." in key]
    assert list(HEAD) == ["x", *[name for name in in_the_toy if name not in ("concat", "result", "out", "W_O")]]


@pytest.mark.parametrize("key", HEAD)
def test_the_axes_say_what_shape_a_step_of_a_head_has(key):
    assert alone[key].shape == tuple(SIZES_ALONE[axis] for axis in alone.about(key).axes)


@pytest.mark.parametrize("key", [key for key in HEAD if key != "x"])
def test_a_step_of_a_head_is_written_and_told_as_in_the_toy(key):
    here, there = alone.about(key), t.about(f"blocks.0.attn.{key}")
    assert (here.symbol, here.aliases) == (there.symbol, there.aliases)
    assert "head" not in here.gloss
    assert here.gloss == there.gloss.replace("d_head", "d_k") or key == "z"


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("queries", "q"), ("attention weights", "pattern"), ("patern", "pattern"), ("w_q", "W_Q"), ("input", "x")],
)
def test_an_unknown_name_of_a_head_suggests_what_was_meant(asked, meant):
    assert near(asked, HEAD)[0] == meant
