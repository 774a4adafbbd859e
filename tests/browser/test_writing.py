"""The view of the loop that writes, moved by keyboard alone: what it shows and says is compared with toymodel."""

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import LOOKS, soon
from .reading import (
    HEARD,
    assert_bars,
    assert_refused,
    assert_tab_leads_through,
    counting,
    has_focus,
    labelled,
    press,
    reach,
    read,
    spoken,
    texts,
    write,
)

START = {"text": "o gato", "temperature": 0.0, "top_k": 12, "top_p": 1.0, "seed": 0, "chosen": []}
VOCAB = tm.run("o").vocab
MAKE, SHOW_AGAIN = "view = tm.views.Writing()\nview", "view"
STEER = "view.text, view.chosen = 'o', ['␣cão', '␣sub']"
END, FULL = "The end was chosen: <eot>.", "8 of 8 tokens: the context is full; token 9 could be chosen but not read."
PIECES = f"""view => [...view.querySelectorAll(".tm-pieces > li")].map((it) => [
    ({HEARD})(it), getComputedStyle(it).fontWeight >= 700,
])"""
BUTTONS = ("Next token", "Undo", "To the end", "Start again")
CELLS = [counting("writing", "ending"), MAKE, SHOW_AGAIN, STEER]  # the pictures are counted


def begins(view):
    assert_shows(view, **START)


def why_over(text, chosen):
    if chosen[-1:] == ["<eot>"]:
        return END
    return FULL if len(tm.encode(text)) + len(chosen) == 9 else ""


def expected(text, temperature, top_k, top_p, seed, chosen):
    """The tables that toymodel's numbers make, as they are heard; and the two bars of each row."""
    words = [*tm.run(text).tokens, *chosen]
    read = "".join(words[: len(words) - bool(why_over(text, chosen))]).replace("␣", " ")
    own, t = tm.run(read), tm.run(read, temperature=temperature)
    kept = tm.next_probs(t, top_k, top_p)
    order = [VOCAB.index(it) for it in tm.ranking(t).index]
    cut = (kept == 0) & (t["probs"][-1] > 0)
    numbers = np.array([own["probs"][-1], kept]).T[order]
    rows = [["", shown(p), "cut" if cut[i] else shown(k)] for i, (p, k) in zip(order, numbers, strict=True)]
    labels = [spoken(VOCAB[i]) + " picked" * (why_over(text, chosen) != "" and VOCAB[i] == chosen[-1]) for i in order]
    tables = {
        f"{'What could have followed' if why_over(text, chosen) else 'What may follow'} {spoken(t.tokens[-1])}": [
            ["next", "p drawn from 0 to 1", "p", "drawn from"],
            *labelled(labels, rows),
        ]
    }
    if chosen:
        p = []
        for k, token in enumerate(chosen):
            before = "".join(words[: len(words) - len(chosen) + k]).replace("␣", " ")
            p.append(tm.run(before)["probs"][-1, VOCAB.index(token)])
        columns = [p, np.cumprod(p), -np.log(p), np.cumsum(-np.log(p))]
        tables["How probable was that?"] = [
            ["written", "p", "product", "-ln p", "sum"],
            *labelled(map(spoken, chosen), texts(np.array(columns).T)),
        ]
    return tables, numbers


def assert_shows(view, **settings):
    """The tokens, tables, bars, sentences and buttons are those of these settings."""
    tables, bars = expected(**settings)
    soon(lambda: seen(view), tables)
    assert_bars(view, bars)
    chosen, over = settings["chosen"], why_over(settings["text"], settings["chosen"])
    given = [[f"{spoken(it)} given", False] for it in tm.run(settings["text"]).tokens]
    assert view.evaluate(PIECES) == given + [[f"{spoken(it)} written", True] for it in chosen]
    said = "Nothing is written yet."
    if chosen:
        _token, p, product, *_rest = tables["How probable was that?"][-1]
        said = f"{spoken(chosen[-1])} was written, p {p}. The product of all p so far: {product}."
    assert view.get_by_role("status").last.evaluate(HEARD) == f"{said} {over}".strip()
    idle = "Another seed shows only after an Undo." if over else ""
    if settings["temperature"] == 0:
        idle = "At temperature 0 top-k, top-p and the seed change nothing."
    expect(view.get_by_role("status").first).to_have_text(idle)
    nothing = "" if chosen else "Nothing is written yet."
    for name, why_not in zip(BUTTONS, (over, nothing, over, nothing), strict=True):
        button = view.get_by_role("button", name=name, exact=True)
        expect(button).to_have_attribute("aria-disabled", "true" if why_not else "false")
        expect(button).to_have_attribute("aria-description", why_not)
    expect(view.locator("th > button[tabindex='0']")).to_have_count(1)
    expect(view.get_by_role("alert")).to_have_count(0)


def seen(view):
    """The tables, where a name's row says that it is picked, too."""
    tables, marks = read(view)
    for (caption, row, column), how in marks.items():
        tables[caption][row][column] += " picked" * ("picked" in how)
    return tables


def choose(view, place, *keys):
    """Go to the first choice with Tab, to another place with these keys, and press Enter: the focus stays there."""
    (_columns, (first, *_cells), *_rows), *_tables = seen(view).values()
    reach(view, "button", first)
    for key in [*keys, "Enter"]:
        view.page.keyboard.press(key)
    soon(lambda: has_focus(view.get_by_role("row").nth(place + 1).get_by_role("button")), True)


def test_the_buttons_write_what_generate_writes(view):
    settings, rest = START, [t.chosen for t in tm.generate("o gato")]
    for k in range(2):
        press(view, "button", "Next token", "Enter")
        settings = settings | {"chosen": rest[: k + 1]}
        assert_shows(view, **settings)
    press(view, "button", "Undo", "Space")
    assert_shows(view, **START | {"chosen": rest[:1]})
    press(view, "button", "To the end", "Enter")
    assert_shows(view, **START | {"chosen": rest})
    assert has_focus(view.get_by_role("button", name="To the end"))
    for name in ("To the end", "Next token"):  # they say why they are off, and do nothing
        press(view, "button", name, "Enter")
    press(view, "button", "Undo", "Enter")
    assert_shows(view, **START | {"chosen": rest[:-1]})
    press(view, "button", "Start again", "Enter")
    assert_shows(view, **START)


def test_the_controls_change_what_comes_and_not_what_is_written(view):
    settings = START | {"chosen": ["␣sub"]}
    press(view, "button", "Next token", "Enter")
    for role, name, key, moved in [
        ("slider", "Temperature", "End", {"temperature": 3.0}),
        ("slider", "Top-k", "ArrowLeft", {"top_k": 11}),
        ("button", "Next seed", "Enter", {"seed": 1}),
        ("slider", "Top-p", "ArrowLeft", {"top_p": 0.95}),
    ]:
        press(view, role, name, key)
        settings = settings | moved
        assert_shows(view, **settings)
    press(view, "button", "Start again", "Enter")
    press(view, "button", "Next token", "Enter")
    view.page.keyboard.press("Enter")  # at once: nothing is lost
    way = {name: value for name, value in settings.items() if name != "chosen"}
    written = [t.chosen for t in tm.generate(**way)]
    assert_shows(view, **settings | {"chosen": written[:2]})
    write(view, "o cão")
    assert_shows(view, **settings | {"text": "o cão", "chosen": []})
    press(view, "button", "To the end", "Enter")
    assert_shows(
        view, **settings | {"text": "o cão", "chosen": [t.chosen for t in tm.generate(**way | {"text": "o cão"})]}
    )


def test_another_token_is_chosen_with_arrow_keys_and_enter(view):
    likely = list(tm.ranking(tm.run("o gato")).index)
    choose(view, 2, "ArrowDown", "ArrowDown")
    settings = START | {"chosen": [likely[2]]}
    assert_shows(view, **settings)
    press(view, "button", "Undo", "Enter")
    assert_shows(view, **START)
    choose(view, 10, "End", "ArrowDown", "ArrowUp")
    assert_shows(view, **START | {"chosen": [likely[10]]})
    press(view, "button", "Undo", "Enter")
    assert_shows(view, **START)
    choose(view, 0, "ArrowDown", "Home", "ArrowUp")
    settings = START | {"chosen": [likely[0]]}
    assert_shows(view, **settings)


def test_at_the_end_and_in_a_full_context_another_choice_takes_the_last_one_back(view):
    write(view, "o" * 7)
    for _ in range(2):
        press(view, "button", "Next token", "Enter")
    written = [t.chosen for t in tm.generate("o" * 7)]
    full = START | {"text": "o" * 7}
    assert_shows(view, **full | {"chosen": written})
    likely = list(tm.ranking(tm.run("o" * 7 + written[0].replace("␣", " "))).index)
    choose(view, 3, *["ArrowDown"] * 3)
    assert_shows(view, **full | {"chosen": [written[0], likely[3]]})


def test_tab_leads_from_the_cell_through_the_controls_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        *[view.get_by_role("slider", name=name, exact=True) for name in ("Temperature", "Top-k", "Top-p")],
        *[view.get_by_role("button", name=name, exact=True) for name in ("Next seed", *BUTTONS)],
        view.get_by_role("row").nth(1).get_by_role("button"),
    ]
    lesson.run(1)  # the focus is on its cell now
    assert_shows(view, **START)
    assert_tab_leads_through(lesson, order)


def test_two_displays_follow_each_other_a_cell_steers_both_and_a_move_is_one_picture(lesson, view):
    for _ in range(2):
        lesson.run(1)
    lesson.run(2)
    second, pictures = lesson.views.nth(1), int(lesson.ask("len(calls)"))
    press(second, "button", "Next token", "Enter")
    assert_shows(view, **START | {"chosen": ["␣sub"]})
    press(view, "button", "Next token", "Enter")
    assert_shows(second, **START | {"chosen": ["␣sub", "iu"]})
    assert int(lesson.ask("len(calls)")) == pictures + 2
    lesson.run(3)
    assert_shows(view, **START | {"text": "o", "chosen": ["␣cão", "␣sub"]})


def test_a_bad_sentence_is_answered_and_what_was_written_stays(view):
    press(view, "button", "Next token", "Enter")
    assert_shows(view, **START | {"chosen": ["␣sub"]})
    for text in ("xyz", "o" * 9):
        stays = read(view)
        with pytest.raises(ValueError, match=r"\w") as refused:
            tm.run(text)
        write(view, text)
        assert_refused(view, refused.value, stays)
    write(view, "o gato", "Tab")
    assert_shows(view, **START | {"chosen": ["␣sub"]})


def test_in_a_narrow_window_all_is_in_sight_with_a_long_token_picked_too(lesson, view):
    lesson.look(**LOOKS["narrow"])
    lesson.ask("[setattr(view, 'text', 'o gato subiu no no no no'), setattr(view, 'chosen', ['␣telhado'])]")
    assert_shows(view, **START | {"text": "o gato subiu no no no no", "chosen": ["␣telhado"]})
    assert view.locator(".tm-scroll[tabindex]").count() == 0


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    lesson.ask("[setattr(view, 'temperature', 1.0), setattr(view, 'top_p', 0.7)]")
    press(view, "button", "To the end", "Enter")
    expect(view.get_by_role("button", name="Undo")).to_have_attribute("aria-disabled", "false")
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"writing-{look}-moved.png")
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
