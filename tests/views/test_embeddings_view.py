"""The view of embeddings: the tables, the row that is read, every cosine and its sum."""

import json

import numpy as np
import pytest
from drawn import assign, by_name, columns, labels, marked, part, send, texts, written

import toymodel as tm
from toymodel.views import Embeddings

VOCAB = tm.run("o").vocab
LEARNED = tm.learned_tables(["o gato subiu no muro", "o cão subiu no muro"])
TABLES = {"fresh": LEARNED[0], "10 steps": LEARNED[10], "30 steps": LEARNED[30], "by hand": tm.toy_weights()["W_E"]}


def grids(view):
    return [it for it in [*view.state["product"], view.state["cosines"]] if isinstance(it, dict)]


def assert_shows(view, table, token, other):
    """Every number is that of plain numpy on this table."""
    W_E, drawn = TABLES[table], by_name(grids(view))
    assert texts(drawn["W_E"]) == written(W_E) and labels(drawn["W_E"]) == list(VOCAB)
    one_hot = ["1" if i == token else "0" for i in range(12)]
    assert texts(drawn["one-hot"]) == [one_hot] and columns(drawn["one-hot"]) == list(VOCAB)
    assert texts(drawn["row"]) == written(W_E[[token]]) and labels(drawn["row"]) == [VOCAB[token]]
    unit = W_E / np.linalg.norm(W_E, axis=1, keepdims=True)
    assert texts(drawn["cosines"]) == written(unit @ unit.T)
    assert labels(drawn["cosines"]) == columns(drawn["cosines"]) == list(VOCAB)
    assert marked(grids(view), "picked") == {("cosines", token, other)}
    assert marked(grids(view), "used") == {("W_E", i, k) for i in (token, other) for k in range(4)}
    assert [row.get("chosen", False) for row in drawn["W_E"]["rows"]] == [i == token for i in range(12)]
    place = " ".join(map(part, view.state["sum"]["place"]))
    value = written([[unit[token] @ unit[other]]])[0][0]
    assert place == f"cosines: vector {VOCAB[token]} · other {VOCAB[other]} = {value}"
    assert (view.table, view.token, view.other, view.problem) == (table, token, other, "")


@pytest.mark.parametrize("table", TABLES)
def test_every_table_shows_its_numbers(table):
    assert_shows(Embeddings(table=table, token=1, other=11), table, 1, 11)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, at = Embeddings(), {"table": "by hand", "token": 2, "other": 3}
    assert_shows(view, **at)
    for moved in ({"table": "fresh"}, {"token": 0}, {"other": 0}, {"token": 6, "other": 10}, {"table": "30 steps"}):
        at |= moved
        move(view, **moved)
        assert_shows(view, **at)


def test_a_token_that_is_not_there_becomes_the_nearest():
    view = Embeddings(token=99, other=-5)
    assert_shows(view, "by hand", 11, 0)


def test_the_tables_have_names_that_a_reader_understands():
    assert [name for name, _words in view_sources()] == list(TABLES)
    assert len({words for _name, words in view_sources()}) == 4


def view_sources():
    return Embeddings().state["sources"]


def test_the_html_holds_every_cosine():
    view = Embeddings()
    send(view, table="fresh")
    html = view._repr_mimebundle_()[0]["text/html"]
    assert all(f"<td>{text}</td>" in html for row in texts(view.state["cosines"]) for text in row)


def test_a_move_takes_few_bytes():
    view = Embeddings()
    assert len(json.dumps(view.state)) < 9_000


def test_its_tokens_are_tokens_to_a_screen_reader_too():
    cells = [row["label"] for row in Embeddings().state["cosines"]["rows"]]
    assert cells == [{"token": token} for token in tm.run("o").vocab]
