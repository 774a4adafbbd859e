"""The view of predictions: its numbers, what it says of bad input, and what it marks as changed."""

import json
import re

import pytest
import traitlets
from drawn import assign, columns, counted, expected_changes, labels, marked, send, tables, texts, written

import toymodel as tm
from toymodel.views import Predictions

PATTERN = "blocks.0.attn.pattern"
SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]


def assert_shows(view, text, n_heads, causal, temperature):
    """Every number and word in the picture is the one of a run at these settings."""
    t, drawn = tm.run(text, n_heads, causal, temperature), tables(view)
    assert list(drawn) == ["predictions", *[f"head {head}" for head in range(n_heads)], "all"]

    predictions = tm.predictions(t)
    assert labels(drawn["predictions"]) == t.tokens == list(predictions.index)
    expected = [[token, f"{p:.3f}"] for token, p in predictions.itertuples(index=False)]
    assert texts(drawn["predictions"]) == expected

    for head in range(n_heads):
        grid, weights = drawn[f"head {head}"], written(t[PATTERN][head])
        seen = [
            [x if not causal or key <= query else "" for key, x in enumerate(row)] for query, row in enumerate(weights)
        ]
        assert texts(grid) == seen
        assert labels(grid) == columns(grid) == t.tokens
        assert str(head) in grid["caption"][0]

    assert texts(drawn["all"]) == written(t["probs"][-1][:, None])
    assert labels(drawn["all"]) == list(t.vocab)
    assert drawn["all"]["caption"][-1] == {"token": t.tokens[-1]}
    assert {grid["full"] for grid in drawn.values()} == {1}  # a number is shaded by its share of 1
    assert view.state["temperature"] == f"{temperature:.3f}"


# ---- the numbers


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_the_picture_of_a_new_view_is_that_of_a_run(n_heads, causal, text):
    settings = {"text": text, "n_heads": n_heads, "causal": causal}
    assert_shows(Predictions(**settings), temperature=1.0, **settings)


@pytest.mark.parametrize("temperature", [0, 1e-310, 0.5, 1, 3, 1000])
def test_the_picture_at_each_temperature_is_that_of_a_run(temperature):
    settings = {"text": SENTENCES[0], "n_heads": 2, "causal": True, "temperature": temperature}
    assert_shows(Predictions(temperature=temperature), **settings)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view = Predictions()
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


def test_a_cell_may_link_two_views():
    first, second = Predictions(), Predictions(text="o")
    link = traitlets.link((first, "temperature"), (second, "temperature"))
    send(first, temperature=3)
    assert_shows(second, "o", 2, True, 3)
    link.unlink()


def test_a_view_prints_as_the_call_that_makes_what_it_shows():
    view = Predictions()
    send(view, temperature=0.5, causal=False)
    assert repr(view) == "Predictions(text='o gato subiu no', n_heads=2, causal=False, temperature=0.5)"


def test_the_html_holds_the_numbers_of_the_last_good_picture():
    view = Predictions()
    send(view, text="o gato", n_heads=1)
    send(view, text="xyz")
    t = tm.run("o gato", n_heads=1)
    shown = re.findall(r"<td>(.*?)</td>", view._repr_mimebundle_()[0]["text/html"])
    predicted = [text for row in tm.predictions(t).itertuples(index=False) for text in (row[0], f"{row[1]:.3f}")]
    assert shown == predicted + [x for row in written(t[PATTERN][0]) for x in row]


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
    view = Predictions()
    move(view, n_heads=4)
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.run(**{"text": "o gato subiu no", "n_heads": 4, **bad})
    move(view, **bad)
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    assert json.dumps(view.state) == before
    if "text" in bad:
        move(view, n_heads=1)  # still bad
        assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
    else:
        assert view.temperature == 1.0  # as it is shown
        move(view, n_heads=1)
    move(view, text="o gato", temperature=0.5)
    assert view.problem == ""
    assert_shows(view, "o gato", 1, True, 0.5)


def test_going_back_to_what_was_drawn_takes_the_sentence_away():
    view = Predictions()
    send(view, text="xyz")
    send(view, text="o gato subiu no")
    assert view.problem == "" and not marked(view.state["tables"], "changed")
    assert_shows(view, "o gato subiu no", 2, True, 1.0)


@pytest.mark.parametrize("what", BAD)
def test_a_mistake_in_the_cell_is_raised_in_the_cell(what):
    with pytest.raises(ValueError, match=r"\w"):
        Predictions(**BAD[what])


@pytest.mark.parametrize("bad", [{"n_heads": 3}, {"causal": "yes"}, {"temperature": "hot"}, {"text": None}], ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Predictions()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Predictions(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""


# ---- what changed

MOVES = [
    *[{"causal": False}, {"temperature": 0.5}, {"n_heads": 4}, {"n_heads": 1}, {"causal": True}, {"temperature": 0}],
    *[{"text": "o gato subiu no muro"}, {"text": "o cão subiu no muro"}, {"text": "o gato"}, {"text": "iu"}],
    *[{"text": "o gato subiu", "n_heads": 2, "causal": False, "temperature": 3}, {"temperature": 3.0000001}],
]


def changed(view):
    return marked(view.state["tables"], "changed")


def test_what_the_last_move_changed_is_marked_and_counted():
    view = Predictions()
    assert not changed(view) and view.state["changes"] == "A dot will mark what your last move has changed."
    for moved in MOVES:
        before = view.state["tables"]
        send(view, **moved)
        assert changed(view) == set(expected_changes(before, view.state["tables"])), moved
        counts, said = counted(view.state["tables"], "changed"), view.state["changes"].replace("; ", ";")
        more = len(labels(tables(view)["predictions"])) - len(labels(before[0]))
        new = [
            it for it in counts if it[0] != "All that may follow" and it[1] == more
        ]  # as many as there are tokens more
        told = [f"{caption}: {more} row{' is' if more == 1 else 's are'} new" for caption, *_n in new]
        assert [it.split(",the")[0] for it in re.findall(r"[^;]+? new", said)] == told
        others = [(caption, str(n), str(of)) for caption, n, of in counts if (caption, n, of) not in new]
        assert re.findall(r"([^;]+?): (\d+) of (\d+) rows changed", said) == others
        assert counts or said == "Nothing changed."


def test_rows_that_are_gone_are_told_where_the_others_stayed():
    view = Predictions(text="o gato subiu no")
    send(view, text="o gato subiu")
    said = view.state["changes"]
    assert "What each position predicts: 1 row fewer, the others stayed" in said
    assert "Attention weights, head 0: 1 row fewer" in said and "Nothing" not in said
    assert not [it for it in changed(view) if it[0] != "all"]


def test_the_mask_changes_no_last_row():
    view = Predictions()
    send(view, causal=False)
    rows = {(name, j) for name, j, _k in changed(view)}
    assert {j for name, j in rows if name == "predictions"} and "all" not in {name for name, _j in rows}
    assert 4 not in {j for _name, j in rows} and ("head 0", 0) in rows


def test_the_temperature_changes_no_attention_and_no_likeliest_token():
    view = Predictions()
    send(view, temperature=2)
    assert {name for name, _j, _k in changed(view)} == {"predictions", "all"}
    assert {k for name, _j, k in changed(view) if name == "predictions"} == {1}


def test_a_new_head_is_marked_whole_and_a_token_more_marks_its_row_only():
    view = Predictions(n_heads=1)
    send(view, n_heads=2)
    assert {("head 1", query, key) for query in range(5) for key in range(query + 1)} <= changed(view)
    send(view, text="o gato subiu no muro")
    assert {j for name, j, _k in changed(view) if name != "all"} == {5}


def test_after_a_sentence_of_refusal_changes_count_from_the_last_good_picture():
    view = Predictions()
    before = view.state["tables"]
    send(view, text="xyz")
    send(view, text="o gato subiu no", temperature=0.5)
    assert changed(view) == set(expected_changes(before, view.state["tables"])) != set()
