"""The encoder-decoder: every step, table, sum and derivative against the formulas written a second time."""

import re

import autograd
import autograd.numpy
import numpy as np
import plain_encoder_decoder as plain
import pytest

import toymodel as tm
from toymodel.core.expression import Element, Node
from toymodel.models import encoder_decoder
from toymodel.models.encoder_decoder import TRANSLATOR, drawn, shapes
from toymodel.models.encoder_decoder_glosses import ABOUT
from toymodel.models.layers import attention

pytestmark = pytest.mark.filterwarnings("error")

VOCAB = TRANSLATOR.vocab
SOURCE, TARGET = "the white cat cat", "el gato el"  # a word that is read twice, on both sides


def random_weights(seed=3):
    """No gain is 1 and no bias 0."""
    random = np.random.RandomState(seed).standard_normal
    return {name: w + 0.4 * random(w.shape) for name, w in tm.translation.weights().items()}


W = random_weights()


def ids(text, start=()):
    return [*start, *(VOCAB.index(word) for word in text.split())]


WRITTEN = ids(TARGET, [VOCAB.index("SOS")])
t = tm.translation.run(SOURCE, TARGET, W)
g = tm.gradients(t)
EXPECTED = plain.steps(W, ids(SOURCE), WRITTEN)


def is_aside(key):
    return key.split(".")[-1] in plain.ASIDES


# ---- values


def test_the_steps_are_these_in_this_order():
    attention = ["q", "k", "v", *plain.PATTERN, "z", "concat", "result", "out"]
    norm, mlp = ["sum", "mean", "std", "normed", "out"], ["pre", "post", "out"]
    parts = {
        "encoder": {"self": attention, "ln1": norm, "mlp": mlp, "ln2": norm},
        "decoder": {"self": attention, "ln1": norm, "cross": attention, "ln2": norm, "mlp": mlp, "ln3": norm},
    }
    expected = []
    for side, of_side in parts.items():
        names = [f"{part}.{name}" for part, names in of_side.items() for name in names]
        expected += [f"{side}.embed", f"{side}.pos_embed", *(f"{side}.0.{it}" for it in ["resid_pre", *names])]
    assert t.keys() == [*expected, "logits", "exp_logits", "exp_logits_sum", "probs"]
    assert t.tokens == ["SOS", "el", "gato", "el"] and t.ids == WRITTEN and t.settings["source"] == SOURCE


@pytest.mark.parametrize("source", ["cat", SOURCE, "the the the the the the the the"])
@pytest.mark.parametrize("target", ["", TARGET, "y y y y y y y y"])
def test_every_step_is_that_of_the_formulas(source, target):
    u = tm.translation.run(source, target, W)
    expected = plain.steps(W, ids(source), ids(target, [VOCAB.index("SOS")]))
    assert set(u) == set(expected)
    for key, array in expected.items():
        np.testing.assert_allclose(u[key], array, rtol=1e-11, atol=1e-11, err_msg=key)


def test_it_has_6465_weights_of_these_shapes():
    assert sum(w.size for w in TRANSLATOR.weights.values()) == 6_465
    assert {name: w.shape for name, w in W.items()} == shapes(len(VOCAB)) and len(VOCAB) == 33


def test_the_decoder_does_not_see_what_comes_later_and_the_encoder_sees_all():
    other = tm.translation.run(SOURCE, "el gato mundo", W)
    np.testing.assert_array_equal(other["logits"][:3], t["logits"][:3])
    assert (np.triu(t["decoder.0.self.pattern"], 1) == 0).all()
    assert (t["encoder.0.self.pattern"] > 0).all() and (t["decoder.0.cross.pattern"] > 0).all()


def test_before_training_matrices_are_spread_by_their_rows_gains_are_1_and_biases_0():
    big = {"W_E": (400, 64), "decoder.0.mlp.W_out": (900, 64), "ln.gain": (3,), "b_U": (2,)}
    w = drawn(np.random.RandomState(0), big)
    assert abs(w["W_E"].std() - 1) < 0.02 and abs(w["decoder.0.mlp.W_out"].std() - 1 / 30) < 0.001
    assert w["ln.gain"].tolist() == [1, 1, 1] and w["b_U"].tolist() == [0, 0]


# ---- both texts label their axes


def names(table):
    return [[*table.index], [*table.columns]], [table.index.name, table.columns.name]


def test_tables_carry_the_words_of_both_texts():
    source, target = SOURCE.split(), ["SOS", *TARGET.split()]
    cross, read, written = (
        tm.table(t, f"{it}.pattern", head=1) for it in ("decoder.0.cross", "encoder.0.self", "decoder.0.self")
    )
    assert names(cross) == ([target, source], ["query", "source key"])
    assert names(read) == ([source, source], ["source query", "source key"])
    assert names(written) == ([target, target], ["query", "key"])
    np.testing.assert_allclose(cross, EXPECTED["decoder.0.cross.pattern"][1], atol=5.1e-4)
    for key, tokens in {"decoder.0.cross.k": source, "decoder.0.cross.q": target, "encoder.0.ln1.std": source}.items():
        assert [*tm.table(t, key, **({"head": 0} if key[-1] in "qk" else {})).index] == tokens
    assert [*tm.table(t, "probs").columns] == list(VOCAB)
    assert "query gato, source key white" in tm.explain(t, "decoder.0.cross.scores", (0, 2, 1)).place


def test_every_axis_that_tokens_stand_along_is_labelled():
    lengths = {"source pos": 4, "source query": 4, "source key": 4, "pos": 4, "query": 4, "key": 4}
    for key in t:
        axes = t.about(key).axes
        assert len(axes) == t[key].ndim
        side = "source" if key.startswith("encoder") else ""
        assert all(axis.startswith(side) for axis in axes if axis.split()[-1] in ("pos", "query", "key")), key
    assert all(len(t.labels(axis, n)) == n for axis, n in lengths.items())


# ---- symbols


def test_no_symbol_stands_for_two_things():
    keys = [*t, *t.weights]
    symbols = [t.about(key).symbol for key in keys]
    assert len(set(symbols)) == len(symbols) and set(ABOUT) == set(keys)
    for key in keys:
        assert ("enc" in t.about(key).symbol) == key.startswith("encoder") and t.about(key).gloss
        assert ("cross" in t.about(key).symbol) == ("cross" in key)


# ---- sums


def worked_out(it):
    """An expression's value in plain Python, each leaf read from the formulas' steps or from the weights."""
    if isinstance(it, Element):
        key = it.array.name
        return float((W[key] if key in W else EXPECTED[key])[it.index])
    if not isinstance(it, Node):
        return it.value
    args = [worked_out(arg) for arg in it.args]
    two = {"-": lambda a, b: a - b, "/": lambda a, b: a / b, "^": lambda a, b: a**b}
    one = {"sqrt": np.sqrt, "exp": np.exp, "sin": np.sin, "cos": np.cos}
    if it.op in two:
        return two[it.op](*args)
    return one[it.op](*args) if it.op in one else sum(args) if it.op == "+" else np.prod(args)


@pytest.mark.parametrize("key", t.keys())
def test_every_number_of_every_step_is_its_sum(key):
    for index in np.ndindex(t[key].shape):
        s = tm.explain(t, key, index)
        assert worked_out(s.expression) == pytest.approx(EXPECTED[key][index], abs=1e-10)
    assert s.text.startswith(f"{key}: ") and s.latex and s.mathml


def test_a_sum_shows_what_comes_from_where():
    text = tm.explain(t, "decoder.0.cross.z", (1, 0, 2)).text
    first = text.splitlines()[1]
    assert text.splitlines()[0] == "decoder.0.cross.z: head 1, pos SOS, d_head 2"
    assert first.startswith("mix_cross[1,0,2] = a_cross[1,0,0]·v_cross[1,0,2] + ")
    assert re.search(r"= u′_enc\[0,0\]·W_K,cross\[0,0\] \+", tm.explain(t, "decoder.0.cross.k", (0, 0, 0)).text)
    assert "place[2,3] = cos(2 / 10000^(2 / 16))" in tm.explain(t, "decoder.pos_embed", (2, 3)).text
    assert "u_enc[1,2] = n_enc[1,2]·γ_enc[2] + β_enc[2]" in tm.explain(t, "encoder.0.ln1.out", (1, 2)).text
    assert r"\gamma" not in tm.explain(t, "encoder.0.ln1.out", (1, 2)).latex  # signs, as everywhere
    assert r"W_{\mathrm{K,cross}}[0,0]" in tm.explain(t, "decoder.0.cross.k", (0, 0, 0)).latex


# ---- derivatives


def plain_loss(w, by_hand=None, np=np):
    return plain.loss(w, ids(SOURCE), WRITTEN, VOCAB.index("EOS"), np, by_hand)


def test_the_loss_and_the_gradient_of_every_weight_are_those_of_automatic_differentiation():
    expected = autograd.grad(lambda w: plain_loss(w, np=autograd.numpy))(W)
    assert g.loss == pytest.approx(plain_loss(W), abs=1e-12)
    for name, d in expected.items():
        np.testing.assert_allclose(g[name], d, rtol=0, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("key", [key for key in t if not is_aside(key) and key != "probs"])
def test_the_gradient_of_every_step_is_a_central_difference(key):
    if key.endswith("masked_scores") and "cross" not in key and "decoder" in key:
        places = [(0, 2, 1), (1, 3, 0)]  # those that are not hidden
    else:
        places = [tuple(np.random.RandomState(i).randint(0, t[key].shape)) for i in range(3)]
    for place in places:
        ends = []
        for h in (1e-5, -1e-5):
            nudged = EXPECTED[key].copy()
            nudged[place] += h
            ends.append(replaced_loss(key, nudged))
        slope = (ends[0] - ends[1]) / 2e-5
        assert g[key][place] == pytest.approx(slope, abs=2e-9, rel=1e-6), place


def replaced_loss(key, numbers):
    """The loss with a step set by hand, in plain numpy; of heads' parts, by the course's own nudging."""
    if key.split(".")[-1] in ("q", "k", "v", "dots", "scores", "masked_scores", "pattern"):
        return tm.gradients(t.again(replace={key: numbers})).loss
    return plain_loss(W, {key: numbers})


def test_a_derivative_is_written_out_as_the_chain_rule_and_tells_both_sides_apart():
    both = tm.translation.run("el gato", "el", W)  # a word that is read on both sides
    d = tm.gradients(both)
    s = tm.explain(d, "W_E", (VOCAB.index("el"), 3))
    assert "∂tok[1,3] + ∂tok_enc[0,3]" in s.text and s.expression.value == pytest.approx(s.value, abs=1e-12)
    for key in d:
        s = tm.explain(d, key, tuple(n // 2 for n in d[key].shape))
        assert s.expression.value == pytest.approx(s.value, abs=1e-12), key


@pytest.mark.parametrize("name", W)
def test_nudging_any_weight_agrees(name):
    place = tuple(n // 2 for n in W[name].shape)
    assert tm.central_difference(t, name, place).slope == pytest.approx(g[name][place], abs=1e-8)


# ---- setting by hand, counting


@pytest.mark.parametrize("key", ["encoder.0.ln2.out", "decoder.0.cross.out", "encoder.0.self.z", "logits"])
def test_a_step_set_by_hand_changes_what_follows(key):
    numbers = np.random.RandomState(1).standard_normal(t[key].shape)
    u = tm.translation.run(SOURCE, TARGET, W, replace={key: numbers})
    expected = plain.steps(W, ids(SOURCE), WRITTEN, by_hand={key: numbers})
    np.testing.assert_allclose(u["probs"], expected["probs"], rtol=0, atol=1e-11)
    assert tm.explain(u, key, (0,) * numbers.ndim).note == "set by hand"
    np.testing.assert_array_equal(t.again(replace={key: numbers})["probs"], u["probs"])


def test_wiring_an_earlier_step_switches_cross_attention_off():
    u = t.again(replace={"decoder.0.ln2.sum": "decoder.0.ln1.out"})
    zeros = np.zeros((4, 16))
    np.testing.assert_allclose(u["logits"], t.again(replace={"decoder.0.cross.out": zeros})["logits"], atol=1e-12)
    other = tm.translation.run("star", TARGET, W, replace={"decoder.0.cross.out": zeros})
    np.testing.assert_allclose(u["logits"], other["logits"], atol=1e-12)  # the source is not heard


def test_another_source_is_the_same_run_with_another_setting():
    u = t.again(source="star  and   moon")
    assert u.settings["source"] == "star and moon" and u.labels("source key", 3) == ("star", "and", "moon")
    np.testing.assert_array_equal(u["probs"], tm.translation.run("star and moon", TARGET, W)["probs"])


def test_multiplications_are_counted_on_both_sides():
    n, m, d, hidden = 4, 4, 16, 32
    counts = tm.multiplications(t)
    assert counts["encoder.0.self.q"] == n * d * d and counts["decoder.0.cross.k"] == n * d * d
    assert counts["decoder.0.cross.dots"] == m * n * d == counts["decoder.0.cross.z"]
    attention = lambda m, n: 2 * m * d * d + 2 * n * d * d + 2 * m * n * d  # noqa: E731
    expected = attention(n, n) + attention(m, m) + attention(m, n) + 2 * (n + m) * d * hidden + m * d * 33
    assert sum(counts.values()) == expected


# ---- token by token


def one_by_one(source, target, weights):
    u = tm.translation.run(source, "", weights)
    for word in target.split():
        u = tm.extend(u, word)
    return u


@pytest.mark.parametrize("target", ["el", TARGET, "y y y y y y y y"])
def test_word_by_word_with_kept_keys_and_values_is_the_run_at_once(target):
    whole, last = tm.translation.run(SOURCE, target, W), one_by_one(SOURCE, target, W)
    assert last.length == whole.length and last.tokens == whole.tokens[-1:]
    for key in last:
        is_kept = key.endswith((".k", ".v"))
        mine = whole[key] if is_kept else whole[key][:, -1:] if t.about(key).axes[0] == "head" else whole[key][-1:]
        np.testing.assert_allclose(last[key], mine, rtol=1e-12, atol=1e-12, err_msg=key)


def test_the_source_is_read_once():
    last = one_by_one(SOURCE, TARGET, W)
    assert not any(key.startswith("encoder") for key in last)
    assert not {"decoder.0.cross.k", "decoder.0.cross.v"} & tm.multiplications(last).keys()
    assert [*tm.table(last, "decoder.0.cross.pattern", head=0).columns] == SOURCE.split()
    s = tm.explain(last, "decoder.0.cross.k", (0, 1, 2))
    assert s.value == pytest.approx(EXPECTED["decoder.0.cross.k"][0, 1, 2]) and s.note == "kept from an earlier run"


def test_what_is_written_needs_its_mask_all_the_same(monkeypatch):
    monkeypatch.setattr(
        encoder_decoder, "attention", lambda *given, **how: attention(*given, **how | {"causal": False})
    )
    with pytest.raises(ValueError, match=r"^a cache needs the causal mask"):
        tm.extend(tm.translation.run(SOURCE, TARGET, W), "mundo")


def test_generation_writes_the_same_with_a_cache_and_without():
    for source in ("the white cat", "hello world", "star"):
        without, kept = (
            [u.chosen for u in tm.generate("", model=TRANSLATOR, source=source, cache=cache, weights=W, seed=1)]
            for cache in (False, True)
        )
        assert without == kept


# ---- calls that read any run


def test_calls_that_say_what_comes_next_answer():
    assert tm.ranking(t)["p"].is_monotonic_decreasing and len(tm.predictions(t)) == 4
    assert [*tm.likelihood(t).index] == [*TARGET.split(), "EOS"]
    assert tm.tree("", 2, 2, model=TRANSLATOR, source="the cat")[0].token == "el"
    assert len(tm.path(t)) == len(t.keys()) and "source=the white cat cat" in repr(t)


@pytest.mark.parametrize(("call", "said"), [(tm.lens, "no residual stream"), (tm.ledger, "no product of the stream")])
def test_calls_that_make_no_sense_here_say_so(call, said):
    with pytest.raises(ValueError, match=said):
        call(t)


def test_a_source_is_needed_and_a_setting_that_is_none_is_named():
    with pytest.raises(ValueError, match=r"^this model translates: give it a source, such as source='the cat'\.$"):
        tm.run("el gato", model=TRANSLATOR)
    with pytest.raises(ValueError, match=r"^there is no setting `n_heads`\. There are: source\.$"):
        tm.run("el gato", model=TRANSLATOR, source="the cat", n_heads=4)
