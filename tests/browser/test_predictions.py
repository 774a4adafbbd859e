"""The predictions view, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import soon
from .reading import (
    BAD_SENTENCES,
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
    write,
)

START = {"text": "o gato subiu no", "n_heads": 2, "causal": True, "temperature": 1.0}
MAKE, SHOW_AGAIN = "view = tm.views.Predictions()\nview", "view"
CELLS = [counting("predictions", "run"), MAKE, SHOW_AGAIN]  # the runs of the model are counted


def begins(view):
    soon(lambda: read(view), Picture(expected(**START), {}))


def expected(**settings):
    """The picture that toymodel's numbers make."""
    t = tm.run(**settings)
    tokens, places = [spoken(token) for token in t.tokens], range(len(t.tokens))
    best = [[spoken(token), f"{p:.3f}"] for token, p in tm.predictions(t).itertuples(index=False)]
    picture = {"What each position predicts": [["after", "likeliest next", "p"], *labelled(tokens, best)]}
    for head, a in enumerate(t["blocks.0.attn.pattern"]):
        cells = [[f"{a[q, k]:.3f}" if k <= q or not t.settings["causal"] else "" for k in places] for q in places]
        picture[f"Attention weights, head {head}"] = [["query ↓ key →", *tokens], *labelled(tokens, cells)]
    last = [[f"{p:.3f}"] for p in t["probs"][-1]]
    picture[f"{LAST} {tokens[-1]}"] = [["next", "p"], *labelled(map(spoken, t.vocab), last)]
    return picture


LAST = "All that may follow"


def name(caption):
    """What a table is called, whatever token it is about."""
    return LAST if caption.startswith(LAST) else caption


def assert_moved(view, before, after):
    """The view shows, marks and says what a move between these settings makes of it."""
    before, after = expected(**before), expected(**after)
    changed, said = changes(before, after, name)
    soon(lambda: read(view), Picture(after, dict.fromkeys(changed, CHANGED)))
    expect(view.get_by_role("status")).to_have_text(said)
    expect(view.get_by_role("alert")).to_have_count(0)


MOVES = [
    (press, "checkbox", "Causal mask", "Space", {"causal": False}),
    (press, "radio", "2", "ArrowRight", {"n_heads": 4}),
    (press, "slider", "Temperature", "ArrowLeft", {"temperature": 0.9}),
    (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}),
    (press, "slider", "Temperature", "Home", {"temperature": 0.0}),
    (press, "radio", "4", "ArrowRight", {"n_heads": 1}),
    (press, "slider", "Temperature", "End", {"temperature": 3.0}),
    (press, "checkbox", "Causal mask", "Space", {"causal": True}),
    (write, "o gato", "Tab", {"text": "o gato"}),
    (press, "slider", "Temperature", "ArrowRight", {}),  # there is no more
    (press, "radio", "1", "ArrowRight", {"n_heads": 2}),
]


def test_every_control_moves_the_numbers(view):
    settings = START
    for move, *how, moved in MOVES:
        move(view, *how)
        if moved:
            before, settings = settings, settings | moved
        assert_moved(view, before, settings)
        slider = view.get_by_role("slider", name="Temperature")
        expect(slider).to_have_attribute("aria-valuetext", f"{settings['temperature']:.3f}")


def test_tab_leads_from_the_cell_through_the_controls_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        view.get_by_role("group", name="Heads", exact=True).get_by_role("radio", checked=True),
        view.get_by_role("checkbox", name="Causal mask", exact=True),
        view.get_by_role("slider", name="Temperature", exact=True),
    ]
    lesson.run(1)  # the focus is on its cell now
    soon(lambda: read(view), Picture(expected(**START), {}))
    assert_tab_leads_through(lesson, order)


def test_a_cell_sets_more_than_the_slider_has_and_it_stands_beside(lesson, view):
    lesson.ask("setattr(view, 'temperature', 5.0)")
    assert_moved(view, START, START | {"temperature": 5.0})
    expect(view.get_by_role("slider", name="Temperature")).to_have_value("5")
    expect(view.get_by_text("5.000", exact=True)).to_be_visible()


def test_two_displays_of_a_view_follow_each_other(lesson, view):
    lesson.run(2)
    second = lesson.views.nth(1)
    press(second, "radio", "2", "ArrowRight")
    write(second, "o gato")
    settings = START | {"n_heads": 4, "text": "o gato"}
    assert_moved(view, START | {"n_heads": 4}, settings)
    expect(view.get_by_role("textbox")).to_have_value("o gato")
    expect(view.get_by_role("radio", name="4")).to_be_checked()
    press(view, "checkbox", "Causal mask", "Space")
    assert_moved(second, settings, settings | {"causal": False})
    expect(second.get_by_role("checkbox")).not_to_be_checked()


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    press(view, "checkbox", "Causal mask", "Space")
    good = START | {"causal": False}
    assert_moved(view, START, good)
    assert_bad_sentences_are_answered(view, good["text"], lambda: assert_moved(view, good, good), BAD_SENTENCES)


def test_a_move_is_one_run_of_the_model_however_often_the_cell_was_run(lesson, view):
    for _ in range(3):
        lesson.run(1)
    expect(lesson.views).to_have_count(2)
    runs = lesson.ask("len(calls)")
    press(view, "slider", "Temperature", "ArrowRight")
    assert_moved(view, START, START | {"temperature": 1.1})
    # What the first move sets off has ended when a second one is answered.
    press(view, "checkbox", "Causal mask", "Space")
    assert_moved(view, START | {"temperature": 1.1}, START | {"temperature": 1.1, "causal": False})
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato subiu no', 2, True, 1.1), ('o gato subiu no', 2, False, 1.1)]"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_objects_to_nothing_after_a_move_and_a_bad_sentence(lesson, view, theme, screenshots):
    lesson.look(theme)
    press(view, "checkbox", "Causal mask", "Space")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"predictions-{theme}-moved.png")
    assert lesson.violations(view) == []
