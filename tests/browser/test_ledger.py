"""The view of the ledger, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import LOOKS, soon
from .reading import (
    CHANGED,
    Picture,
    assert_bad_sentences_are_answered,
    assert_tab_leads_through,
    changes,
    counting,
    labelled,
    press,
    read,
    spoken,
    texts,
    write,
)

START = {"text": "o gato subiu no", "row": 4, "off": []}
SWITCHES = {  # what a box says: the step that is off, and what stands there
    "attention": ("blocks.0.attn.out", None),
    "MLP": ("blocks.0.mlp.out", None),
    "first LayerNorm": ("blocks.0.ln1.out", "blocks.0.resid_pre"),
    "second LayerNorm": ("blocks.0.ln2.out", "blocks.0.resid_mid"),
    "last LayerNorm": ("ln_final.out", "blocks.0.resid_post"),
}
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Ledger()\nview", "view", "view.row, view.off = 2, ['ln_final']"
CELLS = [counting("ledger", "run"), MAKE, SHOW_AGAIN, STEER]  # the pictures are counted


def begins(view):
    soon(lambda: read(view), Picture(expected(**START), {}))


def expected(text, row, off):
    """The tables that toymodel's numbers make."""
    whole, steps = tm.run(text), map(SWITCHES.get, off)
    t = tm.run(text, replace={step: np.zeros((len(whole.ids), 4)) if it is None else it for step, it in steps})
    ledger = tm.ledger(t, row).drop("sum")
    parts = ["logit", *ledger.index[:-1]]
    labels, token = list(map(spoken, t.vocab)), spoken(t.tokens[row])
    return {
        f"The ledger after {token}": [["next", *parts], *labelled(labels, texts(ledger.T[parts].to_numpy()))],
        "Probabilities": [
            ["next", "all on", "now"],
            *labelled(labels, texts(np.array([whole["probs"][row], t["probs"][row]]).T)),
        ],
    }


def most_probable(text, row, off):
    """What the view says above its tables. (Each ␣ stands there twice: as a word to hear and as a sign to see.)"""
    _columns, *rows = expected(text, row, off)["Probabilities"]
    now, all_on = (max(rows, key=lambda it: float(it[k])) for k in (2, 1))
    said = f"Most probable now: {now[0]}, {now[2]}. With all parts on: {all_on[0]}, {all_on[1]}."
    return said.replace("space ", "space ␣")


def name(caption):
    """What a table is called, whatever token it is about."""
    return caption.split(" after")[0]


def assert_moved(view, before, after):
    """The view shows, marks and says what a move between these settings makes of it."""
    old, new = ({"Probabilities": expected(**it)["Probabilities"]} for it in (before, after))
    changed, said = changes(old, new, name)
    soon(lambda: read(view), Picture(expected(**after), dict.fromkeys(changed, CHANGED)))
    expect(view.get_by_role("status").first).to_have_text(most_probable(**after))
    expect(view.get_by_role("status").last).to_have_text(said)
    expect(view.get_by_role("alert")).to_have_count(0)
    expect(view.get_by_role("combobox")).to_have_value(str(after["row"]))
    for words in SWITCHES:
        expect(view.get_by_role("checkbox", name=words, exact=True)).to_be_checked(checked=words in after["off"])


def test_every_control_moves_the_numbers(view):
    settings = START
    for move, *how, moved in [
        (write, "o gato subiu no muro", {"text": "o gato subiu no muro", "row": 5}),  # the last is followed
        (write, START["text"], START),
        (press, "checkbox", "attention", "Space", {"off": ["attention"]}),
        (press, "checkbox", "last LayerNorm", "Space", {"off": ["attention", "last LayerNorm"]}),
        (press, "combobox", "Row", "Home", {"row": 0}),
        (press, "checkbox", "attention", "Space", {"off": ["last LayerNorm"]}),
        (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}),
        (press, "combobox", "Row", "End", {"row": 5}),
        (press, "checkbox", "MLP", "Space", {"off": ["MLP", "last LayerNorm"]}),
        (write, "o gato", "Tab", {"text": "o gato", "row": 1}),  # there is no row 5
        (press, "checkbox", "first LayerNorm", "Space", {"off": ["MLP", "first LayerNorm", "last LayerNorm"]}),
        (press, "checkbox", "MLP", "Space", {"off": ["first LayerNorm", "last LayerNorm"]}),
        (press, "checkbox", "second LayerNorm", "Space", {"off": list(SWITCHES)[2:]}),
    ]:
        move(view, *how)
        before, settings = settings, settings | moved
        assert_moved(view, before, settings)


def test_tab_leads_from_the_cell_through_the_controls_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        view.get_by_role("combobox", name="Row", exact=True),
        *[view.get_by_role("checkbox", name=words, exact=True) for words in SWITCHES],
    ]
    lesson.run(1)  # the focus is on its cell now
    soon(lambda: read(view), Picture(expected(**START), {}))
    assert_tab_leads_through(lesson, order)


def test_two_displays_of_a_view_follow_each_other_and_a_cell_steers_both(lesson, view):
    lesson.run(2)
    second = lesson.views.nth(1)
    press(second, "checkbox", "attention", "Space")
    off = START | {"off": ["attention"]}
    assert_moved(view, START, off)
    press(view, "combobox", "Row", "ArrowUp")
    assert_moved(second, off, off | {"row": 3})
    lesson.run(3)
    soon(lambda: read(view).tables, expected(START["text"], 2, ["last LayerNorm"]))


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    begins = Picture(expected(**START), {})
    assert_bad_sentences_are_answered(view, START["text"], lambda: soon(lambda: read(view), begins))


def test_a_move_is_one_picture_however_often_the_cell_was_run(lesson, view):
    for _ in range(3):
        lesson.run(1)
    expect(lesson.views).to_have_count(2)
    runs = lesson.ask("len(calls)")
    press(view, "checkbox", "MLP", "Space")
    off = START | {"off": ["MLP"]}
    assert_moved(view, START, off)
    write(view, "o gato")
    assert_moved(view, off, off | {"text": "o gato", "row": 1})
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato subiu no',), ('o gato',)]"


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    press(view, "checkbox", "attention", "Space")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"ledger-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
