"""The view of positions, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.models.toy import TOY

from .lab import LOOKS, SETUP, soon
from .reading import CHANGED, Picture, assert_bad_sentences_are_answered, labelled, press, read, spoken, texts, write

KINDS = {"learned: W_pos": None, "sine and cosine": tm.sinusoids(8, 4), "none": np.zeros((8, 4))}
START = {"text": "o cão no muro subiu no", "first": 1, "second": 3, "kind": "learned: W_pos"}
CELLS = [SETUP, "view = tm.views.Positions()\nview"]


def begins(view):
    assert_shows(view, **START)


def assert_shows(view, text, first, second, kind):
    ids = tm.encode(text)
    swapped, n = list(ids), len(ids)
    swapped[first], swapped[second] = ids[second], ids[first]
    by_hand = None if KINDS[kind] is None else {"pos_embed": KINDS[kind][:n]}
    before, after = (TOY.run(it, replace=by_hand) for it in (ids, swapped))
    columns, places = [str(k) for k in range(4)], list(map(str, range(n)))
    x, tables = "blocks.0.resid_pre", {}
    for t, how in ((before, "as it is"), (after, "swapped")):
        best = np.round(t["logits"], 9).argmax(axis=1)
        rows = [
            [spoken(it), spoken(t.vocab[j]), f"{p[j]:.3f}"] for it, j, p in zip(t.tokens, best, t["probs"], strict=True)
        ]
        tables[f"Predictions, {how}"] = [["place", "token", "next", "p"], *labelled(places, rows)]
    tables |= {
        f"x = tok + place, as it is ({n} × 4)": [
            ["", *columns],
            *labelled(map(spoken, before.tokens), texts(before[x])),
        ],
        f"x = tok + place, swapped ({n} × 4)": [["", *columns], *labelled(map(spoken, after.tokens), texts(after[x]))],
        f"place, for each token ({n} × 4)": [["", *columns], *labelled(places, texts(before["pos_embed"]))],
    }
    notice = [i for i in range(n) if abs(before["probs"][i] - after["probs"][i]).max() > 1e-9]
    marks = {("Predictions, swapped", 1 + i, 3): CHANGED for i in notice}
    soon(lambda: read(view), Picture(tables, marks))
    last = "The last one does." if n - 1 in notice else "The last one predicts the same as before."
    expect(view.get_by_role("status")).to_have_text(
        f"{len(notice)} of {n} places predict something else (a dot marks them). {last}"
    )
    expect(view.get_by_role("radio", name=kind, exact=True)).to_be_checked()
    for name, place in [("Swap", first), ("with", second)]:
        expect(view.get_by_role("combobox", name=name, exact=True)).to_have_value(str(place))
    expect(view.get_by_role("alert")).to_have_count(0)


def test_every_control_moves_the_numbers(view):
    at = dict(START)
    for kind, was in [("sine and cosine", "learned: W_pos"), ("none", "sine and cosine")]:
        press(view, "radio", was, "ArrowRight")
        at["kind"] = kind
        assert_shows(view, **at)
    view.get_by_role("combobox", name="Swap", exact=True).press("Home")
    assert_shows(view, **at | {"first": 0})
    view.get_by_role("combobox", name="with", exact=True).press("End")
    at |= {"first": 0, "second": 6}
    assert_shows(view, **at)
    write(view, "o gato subiu no")
    assert_shows(view, **at | {"text": "o gato subiu no", "second": 4})


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    assert_bad_sentences_are_answered(view, START["text"], lambda: assert_shows(view, **START))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    lesson.ask("setattr(view, 'kind', 'none')")
    assert_shows(view, **START | {"kind": "none"})
    lesson.photograph(view, screenshots, f"positions-{look}.png")
    assert lesson.untidy() == [] and lesson.violations(view) == []
