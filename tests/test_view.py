"""The live views without a browser: what they send to be drawn, say of bad input, and mark as changed."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import traitlets

import toymodel as tm
from toymodel import views
from toymodel.views import hello
from toymodel.views.view import View

PATTERN = "blocks.0.attn.pattern"
VIEWS = [getattr(views, name) for name in views.__all__]
SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]


def send(view, **moved):
    """Move controls as the front end does: one message, whatever it holds."""
    data = {"method": "update", "state": moved, "buffer_paths": []}
    view._handle_msg({"content": {"data": data}, "buffers": []})


def assign(view, **moved):
    """Move controls as a cell does: one after the other."""
    for name, value in moved.items():
        setattr(view, name, value)


def tables(view):
    return {table["name"]: table for table in view.state["tables"]}


def labels(table):
    return [row["label"]["token"] for row in table["rows"]]


def texts(table):
    """What the cells of a table show: rows of tokens and numbers, "" where nothing is drawn."""
    return [[cell.get("token", cell.get("number", "")) for cell in row["cells"]] for row in table["rows"]]


def written(numbers):
    return [[f"{x:.3f}" for x in row] for row in np.asarray(numbers, float)]


def assert_shows(view, text, n_heads, causal, temperature):
    """Every number and word in the picture is the one of a run at these settings."""
    t, drawn = tm.run(text, n_heads, causal, temperature), tables(view)
    assert list(drawn) == ["predictions", *[f"head {head}" for head in range(n_heads)], "all"]

    predictions = tm.predictions(t)
    assert labels(drawn["predictions"]) == t.tokens == list(predictions.index)
    expected = [[token, f"{p:.3f}"] for token, p in predictions.itertuples(index=False)]
    assert texts(drawn["predictions"]) == expected

    for head in range(n_heads):
        grid, weights = drawn[f"head {head}"], written(tm.table(t, PATTERN, head=head))
        seen = [
            [x if not causal or key <= query else "" for key, x in enumerate(row)] for query, row in enumerate(weights)
        ]
        assert texts(grid) == seen
        assert labels(grid) == [column["token"] for column in grid["columns"][1:]] == t.tokens
        assert str(head) in grid["caption"][0]

    p = tm.ranking(t)["p"]
    assert texts(drawn["all"]) == written(p.loc[list(t.vocab)].to_frame())
    assert labels(drawn["all"]) == list(t.vocab)
    assert drawn["all"]["caption"][-1] == {"token": t.tokens[-1]}

    for table, numbers in [("all", t["probs"][-1]), *[(f"head {h}", t[PATTERN][h].ravel()) for h in range(n_heads)]]:
        cells = [cell for row in drawn[table]["rows"] for cell in row["cells"]]
        shares = [cell.get("share", 0.0) for cell in cells]
        np.testing.assert_allclose(shares, numbers, rtol=0, atol=1e-15)
    assert view.state["temperature"] == f"{temperature:.3f}"


# ---- the numbers


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_the_picture_of_a_new_view_is_that_of_a_run(n_heads, causal, text):
    settings = {"text": text, "n_heads": n_heads, "causal": causal}
    assert_shows(views.Predictions(**settings), temperature=1.0, **settings)


@pytest.mark.parametrize("temperature", [0, 1e-310, 0.5, 1, 3, 1000])
def test_the_picture_at_each_temperature_is_that_of_a_run(temperature):
    settings = {"text": SENTENCES[0], "n_heads": 2, "causal": True, "temperature": temperature}
    assert_shows(views.Predictions(temperature=temperature), **settings)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view = views.Predictions()
    settings = {"text": "o gato subiu no", "n_heads": 2, "causal": True, "temperature": 1.0}
    assert_shows(view, **settings)
    for moved in [
        *[{"n_heads": 4}, {"causal": False}, {"temperature": 0.5}, {"text": "o cão subiu no muro"}, {"n_heads": 1}],
        *[{"temperature": 0}, {"causal": True}, {"text": "o"}, {"text": "o" * 8, "n_heads": 2, "temperature": 2}],
    ]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)
        assert view.problem == ""


def test_several_controls_in_one_message_are_drawn_once(monkeypatch):
    view, drawn = views.Predictions(), []
    picture = view.picture
    monkeypatch.setattr(view, "picture", lambda: drawn.append(1) or picture())
    send(view, n_heads=1, causal=False, temperature=0.5)
    assert len(drawn) == 1
    send(view, temperature=0.5)
    assert len(drawn) == 1  # nothing moved
    assert_shows(view, "o gato subiu no", 1, False, 0.5)


def test_a_cell_may_link_two_views():
    first, second = views.Predictions(), views.Predictions(text="o")
    link = traitlets.link((first, "temperature"), (second, "temperature"))
    send(first, temperature=3)
    assert_shows(second, "o", 2, True, 3)
    link.unlink()


# ---- bad input

BAD = {
    "unknown text": {"text": "xyz"},
    "an unknown word": {"text": "o rato"},
    "a missing accent": {"text": "o cao"},
    "a space too many": {"text": "o gato "},
    "no text": {"text": ""},
    "too long a text": {"text": "o" * 9},
    "a temperature below 0": {"temperature": -1.0},
    "a temperature that is no number": {"temperature": float("nan")},
    "an infinite temperature": {"temperature": float("inf")},
}


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_told_in_the_sentence_of_run_and_the_last_good_picture_stays(what, move):
    bad = BAD[what]
    view = views.Predictions()
    move(view, n_heads=4)
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.run(**{"text": "o gato subiu no", "n_heads": 4, **bad})
    move(view, **bad)
    assert view.problem.startswith(str(refused.value)) and "what worked last" in view.problem
    assert json.dumps(view.state) == before
    move(view, n_heads=1)  # still bad
    assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
    move(view, text="o gato", temperature=0.5)
    assert view.problem == ""
    assert_shows(view, "o gato", 1, True, 0.5)


def test_going_back_to_what_was_drawn_takes_the_sentence_away():
    view = views.Predictions()
    send(view, text="xyz")
    send(view, text="o gato subiu no")
    assert view.problem == "" and not changed(view)
    assert_shows(view, "o gato subiu no", 2, True, 1.0)


@pytest.mark.parametrize("what", BAD)
def test_a_mistake_in_the_cell_is_raised_in_the_cell(what):
    with pytest.raises(ValueError, match=r"\w"):
        views.Predictions(**BAD[what])


@pytest.mark.parametrize("bad", [{"n_heads": 3}, {"causal": "yes"}, {"temperature": "hot"}, {"text": None}], ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = views.Predictions()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        views.Predictions(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""


@pytest.mark.parametrize("error", [RuntimeError("no such luck"), KeyError("x"), ZeroDivisionError()], ids=repr)
def test_a_fault_of_the_course_is_told_too(error, monkeypatch):
    view = views.Predictions()
    before = json.dumps(view.state)

    def fail():
        raise error

    monkeypatch.setattr(view, "picture", fail)
    send(view, temperature=0.5)
    assert repr(error) in view.problem and "tell its authors" in view.problem
    assert json.dumps(view.state) == before
    monkeypatch.undo()
    send(view, temperature=0.6)
    assert view.problem == ""
    assert_shows(view, "o gato subiu no", 2, True, 0.6)


# ---- what changed


def changed(view):
    """The marked cells, as (table, row, place)."""
    return {
        (name, j, k)
        for name, table in tables(view).items()
        for j, row in enumerate(table["rows"])
        for k, cell in enumerate(row["cells"])
        if cell.get("changed")
    }


def expected_changes(before, after):
    """Cells that show something else than in their place before; in a row of another token, all that show something."""
    for name, table in after.items():
        old = before.get(name, {"rows": []})
        for j, (label, row) in enumerate(zip(labels(table), texts(table), strict=True)):
            was = texts(old)[j] if labels(old)[j : j + 1] == [label] else None
            for k, text in enumerate(row):
                if text if was is None else k < len(was) and text != was[k]:
                    yield name, j, k


MOVES = [
    *[{"causal": False}, {"temperature": 0.5}, {"n_heads": 4}, {"n_heads": 1}, {"causal": True}, {"temperature": 0}],
    *[{"text": "o gato subiu no muro"}, {"text": "o cão subiu no muro"}, {"text": "o gato"}, {"text": "iu"}],
    *[{"text": "o gato subiu", "n_heads": 2, "causal": False, "temperature": 3}, {"temperature": 3.0000001}],
]


def test_what_the_last_move_changed_is_marked_and_counted():
    view = views.Predictions()
    assert not changed(view) and view.state["changes"] == "A dot will mark what your last move has changed."
    for moved in MOVES:
        before = tables(view)
        send(view, **moved)
        assert changed(view) == set(expected_changes(before, tables(view))), moved
        rows = {(name, j) for name, j, _place in changed(view)}
        counts = [
            (table["caption"][0], str(n), str(len(table["rows"])))
            for name, table in tables(view).items()
            if (n := len([j for where, j in rows if where == name]))
        ]
        assert re.findall(r"([^;]+?): (\d+) of (\d+) rows changed", view.state["changes"].replace("; ", ";")) == counts
        assert counts or view.state["changes"] == "Nothing changed."


def test_the_mask_changes_no_last_row():
    view = views.Predictions()
    send(view, causal=False)
    marked = {(name, j) for name, j, _place in changed(view)}
    assert {j for name, j in marked if name == "predictions"} and "all" not in {name for name, _j in marked}
    assert 4 not in {j for _name, j in marked} and ("head 0", 0) in marked


def test_the_temperature_changes_no_attention_and_no_likeliest_token():
    view = views.Predictions()
    send(view, temperature=2)
    assert {name for name, _j, _place in changed(view)} == {"predictions", "all"}
    assert {k for name, _j, k in changed(view) if name == "predictions"} == {1}


def test_a_new_head_is_marked_whole_and_a_token_more_marks_its_row_only():
    view = views.Predictions(n_heads=1)
    send(view, n_heads=2)
    assert {("head 1", query, key) for query in range(5) for key in range(query + 1)} <= changed(view)
    send(view, text="o gato subiu no muro")
    assert {j for name, j, _place in changed(view) if name != "all"} == {5}


def test_after_a_sentence_of_refusal_changes_count_from_the_last_good_picture():
    view = views.Predictions()
    before = tables(view)
    send(view, text="xyz")
    send(view, text="o gato subiu no", temperature=0.5)
    assert changed(view) == set(expected_changes(before, tables(view))) != set()


# ---- what every view keeps to


@pytest.mark.parametrize("view", VIEWS)
def test_what_is_sent_is_json(view):
    made = view()
    for name in ("state", "labels", "problem", *made.controls):
        value = getattr(made, name)
        assert made.trait_metadata(name, "sync")
        assert json.loads(json.dumps(value, allow_nan=False)) == value, name
    assert made.state and made.problem == ""


@pytest.mark.parametrize("view", VIEWS)
def test_two_views_share_nothing(view):
    first, second = view(), view()
    before = json.dumps(second.state)
    assert first.model_id != second.model_id and first.state is not second.state
    if view is views.Predictions:
        send(first, text="o", n_heads=1, causal=False, temperature=0)
        assert_shows(first, "o", 1, False, 0)
    assert json.dumps(second.state) == before and second.problem == ""


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_prints_as_the_call_that_makes_it(view):
    made = view()
    assert repr(eval(repr(made), {view.__name__: view})) == repr(made)
    if view is views.Predictions:
        send(made, temperature=0.5, causal=False)
        assert repr(made) == "Predictions(text='o gato subiu no', n_heads=2, causal=False, temperature=0.5)"


@pytest.mark.parametrize("view", VIEWS)
def test_a_notebook_that_was_not_run_shows_the_numbers_as_html(view):
    made = view()
    data, _metadata = made._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == made.model_id
    assert "Run this cell" in data["text/html"] and made.fallback() in data["text/html"]
    assert made.fallback().count("<table") == made.fallback().count("</table>")


def test_the_html_holds_the_numbers_of_the_last_good_picture():
    view = views.Predictions()
    send(view, text="o gato", n_heads=1)
    send(view, text="xyz")
    t = tm.run("o gato", n_heads=1)
    shown = re.findall(r"<td>(.*?)</td>", view._repr_mimebundle_()[0]["text/html"])
    predicted = [text for row in tm.predictions(t).itertuples(index=False) for text in (row[0], f"{row[1]:.3f}")]
    assert shown == predicted + [x for row in written(tm.table(t, PATTERN)) for x in row]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_one_python_file_with_its_script_and_its_words_come_from_python(view):
    assert issubclass(view, View) and set(view.controls) <= set(view.class_trait_names(sync=True))
    file = Path(views.__file__).parent / f"{view.__module__.split('.')[-1]}.js"
    script = file.read_text(encoding="utf-8")
    made, shared = view(), (file.parent / "view.js").read_text(encoding="utf-8")
    assert made._esm == shared + script
    own, all_used = (set(re.findall(r"\blabels\.(\w+)", text)) for text in (script, shared + script))
    assert own <= set(made.labels) <= all_used and all(made.labels.values())
    assert set(re.findall(r'model\.(?:get|set)\("(\w+)"', script)) <= set(made.keys)


@pytest.mark.parametrize("number", [-1, 13, 99])
def test_the_first_control_has_the_range_of_its_slider(number):
    with pytest.raises(traitlets.TraitError):
        views.Hello(number=number)


def test_the_first_control_works_where_jupyterlab_lives_in_another_environment(monkeypatch):
    def version(name):
        if name == "jupyterlab":
            raise hello.PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(hello, "version", version)
    versions = views.Hello().state["versions"]
    assert "jupyterlab" not in versions and "numpy 1.2.3" in versions
