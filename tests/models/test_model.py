"""Every call works on a model that nothing in toymodel knows, as it does on the toy: see character_model.py."""

import dataclasses
import math
from itertools import islice

import autograd
import autograd.numpy
import character_model as chars
import numpy as np
import pytest

import toymodel as tm
from toymodel.core.array import Aside
from toymodel.core.expression import Element, Node
from toymodel.learning.training import learn, loss_for
from toymodel.reading.stream import read_off, stages

pytestmark = pytest.mark.filterwarnings("error")

MODEL = chars.MODEL
TEXT, IDS = "banco"[:4] + "o", [5, 1, 0, 3, 2, 4]
WEIGHTS = chars.weights()
t = tm.run(TEXT, model=MODEL)
g = tm.gradients(t)
ATTN = "blocks.1.attn."


# ---- a run


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_a_run_is_that_of_the_formulas(n_heads):
    it = tm.run(TEXT, n_heads=n_heads, model=MODEL)
    np.testing.assert_allclose(it["logits"], chars.plain_forward(WEIGHTS, IDS, n_heads), rtol=1e-12, atol=1e-13)
    e = np.exp(it["logits"])
    np.testing.assert_allclose(it["probs"], e / e.sum(axis=1, keepdims=True), rtol=1e-12)


def test_the_end_stands_before_the_text_and_is_expected_after_it():
    assert t.ids == IDS and t.tokens == ["·", *TEXT] and t.next_ids == [*IDS[1:], 5]
    assert list(tm.likelihood(t).index) == [*TEXT, "·"]
    assert tm.likelihood(t)["sum"].iloc[-1] / 6 == pytest.approx(chars.plain_loss(WEIGHTS, IDS), abs=1e-3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"n_heads": 3}, r"^n_heads must be 1, 2 or 4, not 3\.$"),
        ({"causal": True}, r"^there is no setting `causal`\. There are: n_heads\.$"),
        ({"temperature": -1}, "temperature must be"),
        ({"weights": {"W_E": 1}}, r"^weights has no `W_pos`: start from a copy of t\.weights and change it\.$"),
        ({"replace": {"blocks.2.mlp.out": 0}}, r"There is no step `blocks\.2\.mlp\.out`\. Did you mean"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_its_own_words(given, said):
    with pytest.raises(ValueError, match=said):
        tm.run(TEXT, model=MODEL, **given)
    with pytest.raises(ValueError, match=r"^`x` is not in the vocabulary: .*Known tokens .*: a b c n o ·$"):
        tm.run("bax", model=MODEL)
    with pytest.raises(ValueError, match="8 tokens; the model's context holds 7"):
        tm.run("bananab", model=MODEL)


@pytest.mark.parametrize("model", [None, "toy", tm.run("o"), chars])
def test_a_model_is_a_model(model):
    for call in (
        lambda: tm.run("o", model=model),
        lambda: tm.fresh_weights(model=model),
        lambda: tm.train(["o"], model=model),
    ):
        with pytest.raises(ValueError, match=r"^model must be a Model, not "):
            call()


# ---- the same run with one thing changed


def test_again_changes_what_is_named_and_nothing_else():
    W_U = t["W_U"] + 1
    new = t.again(ids=[5, 0], weights={"W_U": W_U}, replace={"blocks.0.mlp.out": np.zeros((2, 4))}, temperature=0.5)
    whole = tm.run(
        "a",
        temperature=0.5,
        weights={**WEIGHTS, "W_U": W_U},
        replace={"blocks.0.mlp.out": np.zeros((2, 4))},
        model=MODEL,
    )
    for key in whole:
        np.testing.assert_array_equal(new[key], whole[key])
    assert (
        new.settings == {"n_heads": 2, "temperature": 0.5}
        and "set by hand" in tm.explain(new, "blocks.0.mlp.out", (0, 0)).note
    )
    more = new.again(replace={"blocks.1.mlp.out": np.zeros((2, 4))})
    assert more.replaced.keys() == {"blocks.0.mlp.out", "blocks.1.mlp.out"}
    for key in t:
        np.testing.assert_array_equal(t.again()[key], t[key])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"weights": 5}, "weights must be a dict"),
        ({"replace": []}, "replace must be a dict"),
        ({"weights": {"W_X": 1}}, "unknown name, 'W_X'"),
        ({"ids": [9]}, "9 is no token id: ids are whole numbers from 0 to 5"),
        ({"ids": [True]}, "True is no token id"),
        ({"ids": [-1]}, "-1 is no token id"),
        ({"ids": []}, "there are no tokens"),
        ({"ids": 5}, "ids must be a list"),
        ({"colour": 1}, "there is no setting `colour`"),
    ],
    ids=str,
)
def test_again_refuses_what_cannot_be(given, said):
    with pytest.raises(ValueError, match=said):
        t.again(**given)


def test_where_no_model_was_run_nothing_is_run_again():
    with pytest.raises(ValueError, match="no model was run here"):
        tm.cosines({"a": [1, 0]}).again()


def test_a_replaced_step_is_what_the_rest_reads():
    for key in [key for key in t if not issubclass(t.array(key).op, Aside)]:
        by_hand = t.again(replace={key: t[key]})
        assert all(np.array_equal(by_hand[other], t[other]) for other in t), key
        other = t[key] + np.linspace(1, 2, t[key].size).reshape(
            t[key].shape
        )  # not the same for all, which a norm undoes
        by_hand = t.again(replace={key: other})
        np.testing.assert_array_equal(by_hand[key], other)
        assert not np.allclose(by_hand["probs"], t["probs"], atol=1e-6), key
    off = t.again(replace={"blocks.1.attn.out": np.zeros((6, 4))})
    assert not np.allclose(off["logits"], t["logits"])
    np.testing.assert_array_equal(off["blocks.1.resid_mid"], t["blocks.1.resid_pre"])


# ---- every number, written out


def leaves_of(expression):
    if isinstance(expression, Node):
        return [leaf for a in expression.args for leaf in leaves_of(a)]
    return [expression] if isinstance(expression, Element) else []


@pytest.mark.parametrize("key", t.keys())
def test_every_sum_gives_its_number_and_no_symbol_in_it_stands_for_two_things(key):
    for index in np.ndindex(t[key].shape):
        sum_ = tm.explain(t, key, index)
        worked_out = sum_.expression.value
        assert worked_out == sum_.value or abs(worked_out - sum_.value) <= 1e-12 * max(1, abs(sum_.value))
        keys = {key} | {leaf.array.name for leaf in leaves_of(sum_.expression)}
        assert len({t.about(it).symbol for it in keys}) == len(keys), keys
        assert sum_.text.startswith(f"{key}: ") and sum_.latex


@pytest.mark.parametrize("key", g.keys())
def test_every_derivative_written_out_gives_its_number_and_no_symbol_in_it_stands_for_two_things(key):
    for index in islice(np.ndindex(g[key].shape), 0, None, 3):
        sum_ = tm.explain(g, key, index)
        assert abs(sum_.expression.value - sum_.value) <= 1e-12
        keys = {"∂" + key} | {leaf.array.name for leaf in leaves_of(sum_.expression)}
        assert len({g.about(it).symbol for it in keys}) == len(keys), keys


def test_tables_path_and_ranking():
    assert tm.table(t, ATTN + "pattern", head=1).index.tolist() == t.tokens
    assert tm.table(t, "blocks.0.mlp.pre").shape == (6, 6) and tm.table(t, "logits").columns.tolist() == list(
        chars.VOCAB
    )
    assert tm.table(t, "blocks.0.mlp.b_in").shape == (6, 1)
    assert list(tm.path(t).index) == t.keys()
    assert tm.ranking(t)["p"].is_monotonic_decreasing and len(tm.ranking(t)) == 6
    assert tm.predictions(t).index.tolist() == t.tokens
    assert tm.candidates(t, top_k=2).shape == (6, 3) and tm.draws(t, n=10)["drawn"].sum() == 10


# ---- gradients


@pytest.mark.parametrize("text", ["", "a", TEXT])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_the_gradients_are_those_of_an_independent_library(text, n_heads):
    it = tm.run(text, n_heads=n_heads, model=MODEL) if text else MODEL.run([5], n_heads=n_heads)
    ours = tm.gradients(it)
    theirs = autograd.grad(lambda w: chars.plain_loss(w, it.ids, n_heads, autograd.numpy))(WEIGHTS)
    assert abs(ours.loss - chars.plain_loss(WEIGHTS, it.ids, n_heads)) < 1e-12
    for name, expected in theirs.items():
        np.testing.assert_allclose(ours[name], expected, rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("key", g.keys())
def test_the_gradients_are_central_differences(key):
    for index in islice(np.ndindex(g[key].shape), 0, None, 5):
        nudged, analytic = tm.central_difference(t, key, index).slope, g[key][index]
        assert abs(analytic - nudged) <= 1e-8 + 1e-7 * abs(analytic), index


# ---- writing


def test_what_is_written_is_what_a_loop_over_whole_runs_writes_with_and_without_a_cache():
    for temperature, seed in [(0, 0), (1, 0), (1, 1), (2, 5)]:
        whole = list(tm.generate("b", temperature, seed, model=MODEL))
        cached = list(tm.generate("b", temperature, seed, model=MODEL, cache=True))
        assert [it.chosen for it in whole] == [it.chosen for it in cached]
        assert whole[-1].chosen == "·" or whole[-1].length == 7
        for a, b in zip(whole, cached, strict=True):
            np.testing.assert_allclose(a["logits"][-1], b["logits"][-1], rtol=0, atol=1e-12)
        ids = [5, 1]
        if temperature == 0:
            for it in whole:
                i = int(np.argmax(chars.plain_forward(WEIGHTS, ids)[-1]))
                assert it.chosen == chars.VOCAB[i]
                ids.append(i)


def test_a_tree_ends_at_its_own_end_and_where_its_own_context_is_full():
    branches = tm.tree("bananb"[:5], width=6, depth=4, model=MODEL)
    assert sum(it.p for it in branches) == pytest.approx(1)
    by_token = {it.token: it for it in branches}
    assert by_token["·"].branches == [] and len(by_token["a"].branches) == 6
    assert all(deeper.branches == [] for deeper in by_token["a"].branches)  # the seventh token is chosen, not read on
    assert tm.ends(branches).iloc[:, 0].sum() == pytest.approx(1, abs=0.02)


# ---- the stream and the counts


def test_the_lens_is_what_the_rest_of_the_path_makes_of_each_stage():
    table = tm.lens(t)
    names = ["token", "block 0: + position"]
    names += [f"block {i}: {part}" for i in (0, 1) for part in ("+ attention", "+ MLP")]
    assert list(table.index) == names
    for key, row in zip(stages(t), table.to_numpy(), strict=True):
        logits = t[key] @ WEIGHTS["W_U"] + WEIGHTS["b_U"]
        e = np.exp(logits)
        expected = e / e.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(read_off(t, key), expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(row, expected[-1], rtol=0, atol=5.1e-4)
    np.testing.assert_array_equal(read_off(t, "blocks.1.resid_post"), t["probs"])


def test_the_ledger_adds_up_to_each_logit_or_says_why_not():
    it = dataclasses.replace(MODEL, forward=without_bias).run(IDS)
    table, rows = tm.ledger(it), ["ln_embed.out"]
    for i in (0, 1):
        rows += [f"block {i}: {part}" for part in ("head 0", "head 1", "MLP")] + [f"blocks.{i}.mlp.b_out"]
    assert list(table.index) == [*rows, "sum", "logit"]
    np.testing.assert_allclose(table.to_numpy()[:-2].sum(axis=0), it["logits"][-1], rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="no parts add up to them"):
        tm.ledger(t)


def without_bias(step, ids, n_heads):
    x = chars.rms_norm(step.within("ln_embed"), chars.embedding(step, ids))
    for i in range(chars.N_LAYERS):
        x = chars.block(step.within(f"blocks.{i}"), x, n_heads)
    return step("logits", x @ step.weight("W_U"))


def test_every_product_is_counted_one_with_a_bias_too():
    n = len(IDS)
    one_block = {f"attn.{name}": n * 16 for name in "qkv"} | {"attn.dots": n * n * 4, "attn.z": n * n * 4}
    one_block |= {"attn.out": n * 16, "mlp.pre": n * 24, "mlp.out": n * 24}
    expected = {f"blocks.{i}.{name}": each for i in (0, 1) for name, each in one_block.items()} | {"logits": n * 24}
    assert tm.multiplications(t) == expected
    row = {key: each // n for key, each in expected.items()}
    assert tm.multiplications(tm.extend(tm.run(TEXT[:-1], model=MODEL), "o")) == row


# ---- learning


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_training_goes_the_way_of_the_steps_that_lessons_show(optimizer):
    texts, weights, before = ["anna", "bob"[:1] + "oc"], tm.fresh_weights(3, model=MODEL), None
    assert {name: w.shape for name, w in weights.items()} == chars.SHAPES
    for n, it in enumerate(islice(tm.train(texts, 0.1, optimizer, seed=3, n_heads=4, model=MODEL), 8)):
        ids = [MODEL.encode(text) for text in texts]
        assert it.n == n and it.loss == pytest.approx(
            np.mean([chars.plain_loss(weights, i, 4) for i in ids]), abs=1e-12
        )
        for name, w in weights.items():
            np.testing.assert_array_equal(it.weights[name], w)
        g = tm.gradients(tm.run(texts[n % 2], n_heads=4, weights=weights, model=MODEL))
        if optimizer == "sgd":
            weights = tm.sgd_step(weights, g, 0.1)
        else:
            before = tm.adam_step(weights, g, before, 0.1)
            weights = before.weights


def test_it_learns_to_write_a_word_and_to_end_it():
    *_others, last = islice(tm.train(["banco"], 0.05, model=MODEL), 200)
    assert last.loss < 0.01 < math.log(6)
    assert "".join(it.chosen for it in tm.generate("b", weights=last.weights, model=MODEL)) == "anco·"
    assert tm.gradients(tm.run("banco", weights=last.weights, model=MODEL)).loss == pytest.approx(last.loss, abs=1e-12)


def test_learning_is_given_losses_and_runs_one_for_each_step():
    runs, count = [tm.run(text, model=MODEL) for text in ("anna", "a", "boa")], []

    def counted(k, loss):
        return lambda leaves: (count.append(k), loss(leaves))[1]

    losses = [counted(k, loss_for(MODEL, it.ids)) for k, it in enumerate(runs)]
    steps = list(islice(learn(losses, WEIGHTS, lambda row, g, n, rate: row - rate * g, lambda n: 0.1), 7))
    assert count == [0, 1, 2, 0, 1, 2, 0] and [n for n, _loss, _leaves in steps] == list(range(7))
    assert steps[0][1].value == pytest.approx(chars.plain_loss(WEIGHTS, runs[0].ids), abs=1e-12)
