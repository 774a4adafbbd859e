"""The view of the ledger: shares, logits and probabilities whatever is switched off, and what it marks as changed."""

import json
import re
from itertools import combinations

import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, columns, counted, expected_changes, labels, marked, part, send, tables, texts, written

import toymodel as tm
from toymodel.views import Ledger

SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]
SWITCHES = ["attention", "mlp", "ln1", "ln2", "ln_final"]
SUBSETS = [list(some) for n in range(len(SWITCHES) + 1) for some in combinations(SWITCHES, n)]


def normed(rows):
    away = rows - rows.mean(axis=1, keepdims=True)
    return away / np.sqrt((away**2).mean(axis=1, keepdims=True) + 1e-5)


def softmax(rows):
    e = np.exp(rows)
    return e / e.sum(axis=-1, keepdims=True)


def plain(text, off):
    """What each part adds to the stream, and the logits: the toy with parts off, from the formulas alone."""
    ids, w = tm.encode(text), tm.toy_weights()
    n = len(ids)
    parts = {"token": w["W_E"][ids], "position": w["W_pos"][:n]}
    x = parts["token"] + parts["position"]
    u = x if "ln1" in off else normed(x)
    for h in range(2):
        mine = slice(2 * h, 2 * h + 2)
        q, k, v = (u @ w[f"blocks.0.attn.W_{name}"][:, mine] for name in "QKV")
        a = softmax(np.where(np.tri(n, dtype=bool), q @ k.T / 2**0.5, -np.inf))
        result = a @ v @ w["blocks.0.attn.W_O"][mine]
        parts[f"head {h}"] = np.zeros((n, 4)) if "attention" in off else result
    h = sum(parts.values())
    pre = (h if "ln2" in off else normed(h)) @ w["blocks.0.mlp.W_in"]
    post = pre / (1 + np.exp(-2 * (2 / np.pi) ** 0.5 * (pre + 0.044715 * pre**3)))
    parts["MLP"] = np.zeros((n, 4)) if "mlp" in off else post @ w["blocks.0.mlp.W_out"]
    y = sum(parts.values())
    return parts, (y if "ln_final" in off else normed(y)) @ w["W_U"]


def shares(text, off, row):
    """The columns of the ledger, by name: the logits, and each part's share. Attention that is off is one part."""
    parts, logits = plain(text, off)
    W_U = tm.toy_weights()["W_U"]
    y = sum(parts.values())[row]
    scaled = {name: rows[row] for name, rows in parts.items()}
    if "ln_final" not in off:
        std = np.sqrt(((y - y.mean()) ** 2).mean() + 1e-5)
        scaled = {name: (it - it.mean()) / std for name, it in scaled.items()}
    if "attention" in off:
        heads = scaled.pop("head 0") + scaled.pop("head 1")
        scaled = {"token": scaled["token"], "position": scaled["position"], "attention": heads, "MLP": scaled["MLP"]}
    return {"logit": logits[row]} | {name: it @ W_U for name, it in scaled.items()}


def assert_shows(view, text, row, off):
    """Every number in the picture is that of the toy at these settings. A row of -1 is the last, and stays -1."""
    assert [getattr(view, name) for name in view.controls] == [text, row, off]
    t, drawn = tm.run(text), tables(view)
    row = len(t.tokens) - 1 if row == -1 else row
    assert view.state["row"] == row
    assert list(drawn) == ["ledger", "probabilities"]
    named = shares(text, off, row)
    expected = np.array([*named.values()]).T
    np.testing.assert_allclose(expected[:, 1:].sum(axis=1), expected[:, 0], rtol=0, atol=1e-12)
    assert texts(drawn["ledger"]) == written(expected)
    assert columns(drawn["ledger"]) == [*named] and drawn["ledger"]["caption"][-1] == {"token": t.tokens[row]}
    assert drawn["ledger"]["full"] == pytest.approx(abs(expected).max())
    before, now = softmax(plain(text, [])[1])[row], softmax(plain(text, off)[1])[row]
    assert texts(drawn["probabilities"]) == written(np.array([before, now]).T)
    best = [(t.vocab[np.argmax(np.round(p, 9))], plain_model.three_decimals(p.max())) for p in (now, before)]
    said = "Most probable now: {}, {}. With all parts on: {}, {}.".format(*best[0], *best[1])
    assert "".join(map(part, view.state["best"])) == said
    assert columns(drawn["probabilities"]) == ["all on", "now"] and drawn["probabilities"]["full"] == 1
    assert labels(drawn["ledger"]) == labels(drawn["probabilities"]) == list(t.vocab)
    assert [name for name, _words in view.state["parts"]] == SWITCHES
    assert view.state["rows"] == [f"{i}: {it}" for i, it in enumerate(t.tokens)]
    assert view.problem == ""


# ---- the numbers


@pytest.mark.parametrize("off", SUBSETS, ids=lambda off: " ".join(off) or "nothing")
@pytest.mark.parametrize("text", SENTENCES)
def test_the_picture_of_a_new_view_is_that_of_the_toy_with_parts_off(text, off):
    last = len(tm.encode(text)) - 1
    for row in {0, last // 2, last}:
        assert_shows(Ledger(text=text, row=row, off=off), text, row, off)


def test_with_all_parts_on_it_is_the_ledger_of_a_run():
    view = Ledger()
    assert_shows(view, SENTENCES[0], -1, [])
    of_a_run = tm.ledger(tm.run(SENTENCES[0])).drop("sum")
    assert texts(tables(view)["ledger"]) == written(of_a_run.T[["logit", *of_a_run.index[:-1]]].to_numpy())
    steps = plain_model.forward(tm.toy_weights(), tm.encode(SENTENCES[0]))
    assert texts(tables(view)["probabilities"]) == written(np.array([steps["probs"][4]] * 2).T)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Ledger(), {"text": SENTENCES[0], "row": -1, "off": []}
    for moved in [
        *[{"off": ["attention"]}, {"row": 2}, {"text": "o cão subiu no muro"}, {"off": ["attention", "ln_final"]}],
        *[{"row": 5}, {"off": ["mlp"]}, {"row": 0}, {"text": "iu", "off": []}, {"off": SWITCHES}],
    ]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)


def test_where_there_are_fewer_rows_the_nearest_is_shown_and_one_picture_drawn(monkeypatch):
    view, drawn, picture = Ledger(row=4), [], Ledger.picture
    monkeypatch.setattr(Ledger, "picture", lambda self: drawn.append(1) or picture(self))
    send(view, text="o gato")
    assert len(drawn) == 1
    assert_shows(view, "o gato", 1, [])
    for row, settled in [(99, 1), (-2, 0), (-1, -1)]:
        send(view, row=row)
        assert_shows(view, "o gato", settled, [])


def test_a_row_of_minus_1_stays_the_last_whatever_is_read():
    view = Ledger()
    for text in ["o gato subiu no telhado", "o", "o gato subiu no muro"]:
        view.text = text
        assert_shows(view, text, -1, [])


def test_the_html_is_the_ledger_of_the_last_good_picture():
    view = Ledger(text="o gato")
    send(view, text="xyz", row=4)
    shown = re.findall(r"<td>(.*?)</td>", view._repr_mimebundle_()[0]["text/html"])
    logit, *parts = shares("o gato", [], 1).values()
    assert shown == [x for row in written(np.column_stack([*parts, logit, logit])) for x in row]


# ---- what changed


def changed(view):
    return marked(view.state["tables"], "changed")


def test_what_the_last_move_changed_is_marked_and_counted():
    view = Ledger()
    assert not changed(view) and view.state["changes"] == "A dot will mark what your last move has changed."
    for moved in [
        *[{"off": ["mlp"]}, {"off": ["mlp", "attention"]}, {"row": 2}, {"off": []}, {"text": "o cão subiu no"}],
        *[{"row": 0}, {"text": "o gato subiu no"}, {"off": ["ln_final"]}, {"text": "o gato", "off": ["ln1"]}],
    ]:
        before = view.state["tables"]
        send(view, **moved)
        expected = {it for it in expected_changes(before, view.state["tables"]) if it[0] == "probabilities"}
        assert changed(view) == expected, moved  # in the ledger, where nearly all changes, marks would say nothing
        said = view.state["changes"]
        counts = counted(view.state["tables"], "changed")
        assert all(f"{caption}: {n} of {of} rows changed" in said for caption, n, of in counts)
        assert counts or said == "Nothing changed."


def test_a_row_that_can_read_no_other_does_not_notice_another_sentence():
    view = Ledger(row=0)
    send(view, text="o cão subiu no")
    assert not changed(view) and view.state["changes"] == "Nothing changed."


def test_without_attention_another_word_before_the_last_changes_nothing_now():
    view = Ledger(off=["attention"])
    send(view, text="o muro subiu no")
    assert {(name, k) for name, _j, k in changed(view)} == {("probabilities", 0)}  # with all parts on, it does


# ---- bad input


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("text", ["xyz", "", "o rato", "o" * 9])
def test_bad_text_is_told_and_the_last_good_picture_stays(text, move):
    view = Ledger()
    move(view, off=["mlp"])
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.run(text)
    with pytest.raises(ValueError, match=r"\w"):
        Ledger(text=text)
    move(view, text=text)
    move(view, row=1)  # still bad
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    assert json.dumps(view.state) == before
    move(view, text="o gato")
    assert_shows(view, "o gato", 1, ["mlp"])


@pytest.mark.parametrize("bad", [{"row": "a"}, {"off": ["head 0"]}, {"off": 3}, {"text": None}], ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Ledger()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Ledger(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""


def test_the_words_of_the_switches_are_those_of_the_path():
    assert [part(words) for _name, words in Ledger().state["parts"]] == [
        *("attention", "MLP", "first LayerNorm", "second LayerNorm", "last LayerNorm")
    ]
