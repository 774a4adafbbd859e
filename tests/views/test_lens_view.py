"""The view of the logit lens: every stage's probabilities against the formulas alone, and what it marks and says."""

import json
import re

import numpy as np
import plain_model
import pytest
from drawn import assign, columns, counted, expected_changes, labels, marked, part, send, tables, texts, written

import toymodel as tm
from toymodel.views import Lens, lens

SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]
WORDS = ["After the token alone:", "with its position:", "after attention:", "after the MLP:"]


def plain(text, row):
    """What each stage of one row would say: the last LayerNorm, W_U and the softmax, from the formulas."""
    w, steps = tm.toy_weights(), plain_model.forward(tm.toy_weights(), tm.encode(text))
    stages = [steps["embed"], *(steps[f"blocks.0.resid_{name}"] for name in ("pre", "mid", "post"))]
    for x in (stage[row] for stage in stages):
        away = x - x.mean()
        e = np.exp(away / np.sqrt((away**2).mean() + 1e-5) @ w["W_U"])
        yield e / e.sum()


def assert_shows(view, text, row):
    """Every number is that of these settings; the likeliest of each stage is framed and said. -1 stays the last."""
    assert (view.text, view.row, view.problem) == (text, row, "")
    tokens = tm.run(text).tokens
    row = len(tokens) - 1 if row == -1 else row
    p = np.array(list(plain(text, row)))
    (drawn,) = tables(view).values()
    assert texts(drawn) == written(p.T) and labels(drawn) == list(tm.run(text).vocab)
    assert columns(drawn) == ["token", "+ position", "+ attention", "+ MLP"]
    assert drawn["caption"][-1] == {"token": tokens[row]} and drawn["full"] == pytest.approx(p.max())
    best = [[i for i in range(12) if stage.max() - stage[i] < 1e-9] for stage in p]
    assert marked([drawn], "likeliest") == {("stages", i, k) for k, ids in enumerate(best) for i in ids}
    said = []
    for words, ids, stage in zip(WORDS, best, p, strict=True):
        all_of_them = " and ".join(tm.run(text).vocab[i] for i in ids) + (", each" if len(ids) > 1 else "")
        said.append(f"{words} {all_of_them} {plain_model.three_decimals(stage.max())}")
    assert "".join(map(part, view.state["sentence"])) == "; ".join(said) + "."
    assert view.state["row"] == row and view.state["rows"] == [f"{i}: {it}" for i, it in enumerate(tokens)]


@pytest.mark.parametrize("text", SENTENCES)
def test_the_picture_of_a_new_view_is_that_of_the_formulas(text):
    last = len(tm.encode(text)) - 1
    for row in {-1, 0, last // 2, last}:
        assert_shows(Lens(text=text, row=row), text, row)


def test_it_is_the_lens_of_a_run_and_its_last_stage_is_what_the_run_says():
    t, shown = tm.run(SENTENCES[0]), texts(tables(Lens())["stages"])
    assert shown == written(tm.lens(t).T.to_numpy())
    assert [row[-1] for row in shown] == written(t["probs"][-1:])[0]


def test_after_the_token_alone_cat_and_roof_are_as_likely_and_both_are_marked_and_said():
    stage, view = next(plain(SENTENCES[0], 4)), Lens()
    assert np.isclose(stage[2], stage[6]) and stage.max() == pytest.approx(stage[2])
    assert {("stages", 2, 0), ("stages", 6, 0)} <= marked(view.state["tables"], "likeliest")
    said = "".join(map(part, view.state["sentence"]))
    assert said.startswith("After the token alone: ␣gato and ␣telhado, each 0.272; with its position: ␣gato 0.455; ")


def test_the_last_bits_of_a_processor_decide_nothing(monkeypatch):
    right = lens.read_off
    monkeypatch.setattr(lens, "read_off", lambda t, key: right(t, key) + 1e-15 * (np.arange(12) == 6))
    assert {("stages", 2, 0), ("stages", 6, 0)} <= marked(Lens().state["tables"], "likeliest")


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control_and_marks_what_another_text_changed_after_the_same_token(move):
    view, settings = Lens(), {"text": SENTENCES[0], "row": -1}
    assert view.state["changes"] == "A dot will mark what another text changes here."
    for moved, is_same_token in [
        *[({"row": 2}, False), ({"text": "o cão subiu no"}, True), ({"row": 0}, False), ({"text": "o gato"}, True)],
        *[({"row": -1}, False), ({"text": "o cão"}, False), ({"text": "o"}, False), ({"text": "ooo"}, False)],
    ]:
        before, settings = view.state["tables"], settings | moved
        move(view, **moved)
        assert_shows(view, **settings)
        changed = marked(view.state["tables"], "changed")
        assert changed == (set(expected_changes(before, view.state["tables"])) if is_same_token else set())
        counts = counted(view.state["tables"], "changed")
        said = [f"{caption}: {n} of {of} rows changed." for caption, n, of in counts] or ["Nothing changed."]
        assert view.state["changes"] == (
            said[0] if is_same_token else "A dot will mark what another text changes here."
        )


def test_where_there_are_fewer_rows_the_nearest_is_shown():
    view = Lens(row=4)
    for moved, settled in [({"text": "o gato"}, 1), ({"row": 99}, 1), ({"row": -2}, 0)]:
        send(view, **moved)
        assert_shows(view, "o gato", settled)


@pytest.mark.parametrize("text", ["xyz", "", "o" * 9])
def test_bad_text_is_told_and_the_last_good_picture_stays(text):
    view = Lens(row=1)
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        Lens(text=text)
    send(view, text=text)
    assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
    shown = re.findall(r"<td>(.*?)</td>", view._repr_mimebundle_()[0]["text/html"])
    assert shown == [x for row in written(np.array(list(plain(SENTENCES[0], 1))).T) for x in row]
    send(view, text="o gato")
    assert_shows(view, "o gato", 1)
