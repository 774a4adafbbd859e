"""What a model may be, at its edges: no settings, no words, whole numbers for weights, a start that nobody writes."""

import dataclasses

import character_model as chars
import numpy as np
import pytest

import toymodel as tm
from toymodel import views
from toymodel.core.moves import gather
from toymodel.core.ops import gelu, relu
from toymodel.models.model import Model

BARE, MODEL = chars.BARE, chars.MODEL
IDS = [1, 0, 3, 2, 4]
t = tm.run("banco", temperature=0.25, model=BARE)


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


PROBS = softmax(chars.plain_bare(chars.BARE_WEIGHTS, IDS) / 0.25)

# ---- a model without settings


def test_its_temperature_is_kept():
    assert t.settings == {"temperature": 0.25}
    np.testing.assert_allclose(t["probs"], PROBS, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(t.again()["probs"], t["probs"])
    np.testing.assert_allclose(tm.lens(t).iloc[-1], PROBS[-1], atol=5e-4)
    first, *_others = sorted(PROBS[-1], reverse=True)
    assert tm.tree("banco", 1, 1, temperature=0.25, model=BARE)[0].p == pytest.approx(first, rel=1e-12)


def test_every_call_answers():
    assert tm.ranking(t)["p"].tolist() == sorted(np.round(PROBS[-1], 3), reverse=True)
    np.testing.assert_allclose(tm.next_probs(t), PROBS[-1])
    assert next(tm.generate("b", model=BARE)).chosen in chars.VOCAB
    assert tm.ledger(t).loc["logit"].tolist() == pytest.approx(t["logits"][-1])
    assert tm.table(t, "blocks.0.attn.pattern").shape == (5, 5) == tm.table(t, "blocks.0.attn.pattern", head=0).shape


def test_whole_numbers_for_weights_are_nudged_as_any():
    g = tm.gradients(t, "c")
    for key in ("W_E", "blocks.0.attn.W_K", "W_U"):
        nudged = tm.central_difference(t, key, (1, 1), "c")
        assert nudged.slope == pytest.approx(g[key][1, 1], abs=1e-6)
    assert abs(g["W_U"][1, 1]) > 1e-3


def test_a_cache_is_refused_where_there_is_no_mask_whatever_the_settings_are_called():
    with pytest.raises(ValueError, match="a cache needs the causal mask"):
        tm.extend(t, "a")


@pytest.mark.parametrize(
    "name", ["Attention", "Cache", "Predictions", "Sampling", "Gradient", "Descent", "Lens", "Tree"]
)
def test_a_view_of_it_shows_what_it_has(name):
    if name == "Cache":
        with pytest.raises(ValueError, match="a cache needs the causal mask"):
            views.Cache(trace=t, n=3)
        return
    view = getattr(views, name)(trace=t)
    assert view.text == "banco" and view.problem == ""
    if name == "Attention":
        assert view.n_heads == 1 and len(view.state["rows"]) == 1 and view.state["heads"] == []
    if name in ("Gradient", "Descent"):
        assert view.key in t.weights
    view.text = "nab"
    assert view.problem == "" and view.text == "nab"


# ---- weights and numbers are a model's and a run's own


def test_what_it_was_made_of_may_change_afterwards():
    weights, by_hand, ids = chars.weights(), np.ones((3, 4)), [5, 0, 1]
    model = dataclasses.replace(MODEL, weights=weights)
    u = model.run(ids, replace={"blocks.0.mlp.out": by_hand})
    before = {key: u[key].copy() for key in u}
    weights["W_E"][0, 0], by_hand[:] = 99, 7
    ids.append(4)
    assert u.ids == [5, 0, 1] and all(np.array_equal(u.again()[key], before[key]) for key in u)
    with pytest.raises(ValueError, match="read-only"):
        model.weights["W_E"][0, 0] = 99


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"weights": {"W_E": [[1, "a"]]}}, "must be a rectangle of numbers"),
        ({"weights": {"W_E": [[np.nan]]}}, "must be finite"),
        ({"n_ctx": None}, "needs n_ctx, and the token of it that is the end"),
        ({"end": "z"}, "needs n_ctx, and the token of it that is the end"),
    ],
    ids=str,
)
def test_a_model_that_cannot_be_is_refused_where_it_is_made(given, said):
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(MODEL, **given)


def test_a_weight_of_another_name_is_no_weight_and_a_step_is_none():
    u = tm.run("o gato")
    with pytest.raises(ValueError, match="must be a rectangle of numbers"):
        u.again(weights={"W_E": u.array("W_pos")})
    with pytest.raises(ValueError, match="must be a rectangle of numbers"):
        u.again(weights={"W_E": u.array("embed")})


def test_after_extend_only_the_temperature_can_change():
    e = tm.extend(tm.run("o gato"), "␣muro")
    assert e.again(temperature=0.5).settings["temperature"] == 0.5
    for other in (
        {"n_heads": 4},
        {"weights": {"W_E": tm.toy_weights()["W_E"]}},
        {"replace": {"logits": np.zeros((1, 12))}},
    ):
        with pytest.raises(ValueError, match="only its temperature can change"):
            e.again(**other)


# ---- the end


def test_no_end_follows_an_end():
    u = MODEL.run([5, 0, 5])
    assert u.next_ids == [0, 5] and MODEL.run([5]).next_ids == [5]
    assert tm.gradients(u).loss == pytest.approx(chars.plain_loss(chars.weights(), [5, 0]), abs=1e-12)
    with pytest.raises(ValueError, match=r"^`·` stands before and after each text by itself: leave it out\.$"):
        tm.run("a·", model=MODEL)


def test_a_text_may_be_empty_where_its_start_is_unwritten():
    assert tm.run("", model=MODEL).tokens == ["·"] and tm.decode([]) == ""
    assert views.Training(texts="a", model=MODEL).state["curve"]
    with pytest.raises(ValueError, match="the text is empty"):
        tm.run("", model=BARE)


def test_a_view_never_shows_another_text():
    with pytest.raises(ValueError, match="cannot be written as a text"):
        views.Attention(trace=MODEL.run([0, 1]))
    assert MODEL.decode([0, 1]) == "ab" and MODEL.decode([5, 0, 1]) == "ab"


# ---- products


def test_a_product_that_two_steps_read_is_counted_once():
    def forward(step, ids):
        y = step("x", gather(step.weight("W_E"), ids=ids)) @ step.weight("U")
        return step("logits", step("a", relu(y)) + step("b", gelu(y)))

    shared = Model(forward, {"W_E": np.eye(3), "U": np.ones((3, 3))}, {}, {}, ("x", "y", "z"), 5, "z")
    assert tm.multiplications(shared.run([0, 1, 2])) == {"a": 27}


def test_heads_times_one_matrix_is_refused_since_its_gradient_would_be_wrong():
    from toymodel.core.moves import given, split_heads

    x = split_heads(given(numbers=np.ones((3, 4))), n_heads=2)
    with pytest.raises(ValueError, match="matmul needs as many matrices on both sides"):
        x @ given(numbers=np.ones((2, 2)))


def test_a_stream_may_be_the_sum_of_thousands():
    def forward(step, ids):
        e = x = step("embed", gather(step.weight("W_E"), ids=ids))
        for i in range(1_200):
            x = step(f"blocks.{i}.resid_post", x + e)
        return step("logits", x @ step.weight("U"))

    u = Model(forward, {"W_E": np.eye(3), "U": np.eye(3)}, {}, {}, ("x", "y", "z"), 5, "z").run([0])
    assert tm.ledger(u).loc["logit", "x"] == 1_201 == tm.ledger(u).loc["sum", "x"]


# ---- probabilities that are none


def test_wired_probabilities_are_no_probabilities():
    w = tm.run("o gato", replace={"probs": "logits"})
    with pytest.raises(ValueError, match="the probabilities were set by hand"):
        tm.next_probs(w)
    g = tm.gradients(w, "o")
    for i in range(12):
        s = tm.explain(g, "logits", (1, i))
        assert s.expression.value == pytest.approx(s.value, abs=1e-12)


# ---- settings of any kind


def test_a_setting_may_be_a_word_and_is_given_by_its_name():
    def forward(step, ids, kind):
        return step("logits", gather(step.weight(kind), ids=ids))

    model = Model(forward, {"a": np.eye(3), "b": 2 * np.eye(3)}, {"kind": ("b", "a")}, {}, ("x", "y", "z"), 5, "z")
    assert tm.run("x", model=model)["logits"][0, 0] == 2 and tm.run("x", model=model, kind="a")["logits"][0, 0] == 1
    assert tm.run("x", model=model, kind="a").again()["logits"][0, 0] == 1
    with pytest.raises(ValueError, match=r"^kind must be a or b, not 'c'\.$"):
        tm.run("x", model=model, kind="c")
    stack = tm.stack("o", 2).model
    assert tm.run("o", model=stack, residual=False).settings["residual"] is False


def test_a_setting_may_be_whatever_a_function_lets_pass():
    def even(it):
        if it is None or it % 2:
            raise ValueError("an even number, please")
        return it

    def forward(step, ids, times):
        return step("logits", gather(step.weight("W"), ids=np.repeat(ids, times)))

    model = Model(forward, {"W": np.eye(3)}, {"times": even}, {}, ("x", "y", "z"), 5, "z")
    u = tm.run("y", model=model, times=2)
    assert u["logits"].shape == (2, 3) and u.settings["times"] == 2 and u.again(times=4)["logits"].shape == (4, 3)
    for wrong in ({}, {"times": 3}):
        with pytest.raises(ValueError, match=r"^an even number, please$"):
            tm.run("y", model=model, **wrong)


def test_a_model_that_reads_no_text_is_given_rows_of_numbers():
    at = tm.attend(np.eye(2), np.eye(2), np.eye(2), np.eye(2))
    assert at.again(np.ones((3, 2)))["z"].shape == (3, 2)
    for bad in (5, "ab", np.ones((2, 5)), [[np.nan, 1]], []):
        with pytest.raises(ValueError, match=r"^X (must be|has the shape)"):
            at.again(bad)
    with pytest.raises(ValueError, match="this model has no vocabulary"):
        tm.run("o gato", model=at.model)


def test_ids_may_come_from_anything_that_can_be_listed():
    u = tm.run("o gato")
    for ids in (iter([0, 2]), (0, 2), np.array([0, 2])):
        assert u.again(ids).ids == [0, 2]


# ---- what was said wrongly


def test_the_loss_is_said_with_the_probability_that_it_is_made_of():
    view = views.Gradient(trace=tm.run("o gato subiu no", temperature=0.5))
    p = softmax(tm.run("o gato subiu no")["logits"])[-1, view.run().vocab.index(view.target)]
    assert f"−ln {p:.3f} = {-np.log(p):.3f}." in "".join(it for it in view.state["loss"] if isinstance(it, str))


def test_the_cache_of_several_blocks_holds_the_keys_and_values_of_all():
    view = views.Cache(trace=tm.run("nan", model=MODEL), n=3)
    held = sum(view.cached[-1][f"blocks.{i}.attn.{name}"].size for i in range(2) for name in "kv")
    assert held == 48 and "2 · 3 · 4 · 2 = 48 numbers" in str(view.state["sentence"])


def test_top_p_of_any_type_keeps_the_same():
    model = dataclasses.replace(BARE, weights=BARE.weights | {"W_U": np.zeros((4, 6))})
    u = tm.run("ba", model=model)
    kept = [np.count_nonzero(tm.next_probs(u, None, p)) for p in (0.5, np.float16(0.5), np.float32(0.5))]
    assert kept == [3, 3, 3]


def test_true_is_no_place():
    u = tm.run("o gato")
    for call in (
        lambda: tm.explain(u, "W_E", (True, False)),
        lambda: tm.lens(u, True),
        lambda: tm.central_difference(u, "W_E", (np.True_, 0)),
    ):
        with pytest.raises(ValueError, match="is no such place"):
            call()


def test_adam_of_another_model_is_refused():
    u, v = tm.run("o gato"), tm.run("ba", model=BARE)
    before = tm.adam_step({"W_E": v.weights["W_E"]}, tm.gradients(v))
    with pytest.raises(ValueError, match="before is of another shape in W_E"):
        tm.adam_step({"W_E": u.weights["W_E"]}, tm.gradients(u), before)


@pytest.mark.parametrize(("wrong", "meant"), [("tracee", "trace"), ("n_head", "n_heads")])
def test_a_misspelt_argument_names_what_there_is(wrong, meant):
    with pytest.raises(ValueError, match=rf"^Attention has no `{wrong}`: did you mean `{meant}`\? It has .*\btrace\."):
        views.Attention(**{wrong: 1})
    for taken in ("problem", "labels", "state"):
        with pytest.raises(ValueError, match=f"Attention has no `{taken}`"):
            views.Attention(**{taken: {}})


def test_a_control_holds_the_choice_itself():
    view = views.Predictions()
    view.n_heads = 4.0
    assert view.n_heads == 4 and isinstance(view.n_heads, int)
    view.text = "o"
    assert view.problem == ""
