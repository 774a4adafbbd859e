"""The view of byte-pair encoding as it learns, moved by keyboard alone; what it shows is compared with toymodel."""

import re
from collections import Counter

import pytest
from playwright.sync_api import expect

import toymodel as tm

from .lab import soon
from .reading import HEARD, PICKED, counting, press, reach, read, spoken, write

MAKE, SHOW_AGAIN = "view = tm.views.Merges()\nview", "view"
SMALL = "low low low lower lower newer newer"
WORDS = f"""view => [...view.querySelectorAll(".tm-corpus > li")].map((it) => {{
    const heard = {HEARD};
    return [...[...it.querySelectorAll("li")].map(heard), it.lastChild.data.trim()];
}})"""
CELLS = [counting("merges", "merge_sentence"), MAKE, SHOW_AGAIN]  # the pictures that are computed are counted


def begins(view):
    assert_shows(view, tm.corpus(), 0)


def heard(token):
    return spoken(token).strip()


def assert_shows(view, corpus, merge):
    """The words, pairs and sentence of a merge, as they are heard."""
    full = tm.train_bpe(corpus, 100)
    bpe, before = full.with_merges(merge), full.with_merges(max(merge - 1, 0))
    made = "".join(full.merges[merge - 1][:2]) if merge else None
    counts = Counter(re.findall("␣[^␣]*|[^␣]+", " ".join(corpus.splitlines()).replace(" ", "␣")))
    words = [
        [*(heard(it) + " made just now" * (it == made) for it in bpe.split(word)), f"× {n}"]
        for word, n in counts.items()
    ]
    soon(lambda: view.evaluate(WORDS), words)
    pairs = [[heard(left), heard(right), str(n)] for (left, right), n in before.pair_counts().most_common(10)]
    picture = read(view)
    caption = "Most frequent before the merge" if merge else "Most frequent now"
    assert picture.tables == {caption: [["token", "and the next", "count"], *pairs]}
    assert picture.marks == ({(caption, 1, 2): PICKED - {"selected"}} if merge else {})
    said = "Before the first merge"
    if merge:
        left, right, n = pairs[0]
        said = f"{left} and {right} stood side by side {n} times"
    assert view.get_by_role("status").evaluate(HEARD).startswith(said)
    value = f"{merge} of {len(full.merges)}"
    expect(slider(view)).to_have_attribute("aria-valuetext", value)
    expect(view.get_by_role("alert")).to_have_count(0)


def slider(view):
    return view.get_by_role("slider", name="Merge", exact=True)


def open_corpus(view):
    view.locator("summary").press("Enter")
    expect(view.get_by_role("textbox")).to_be_visible()


def test_the_slider_goes_from_merge_to_merge(view):
    merge = 0
    for key, step in [("ArrowRight", 1), ("ArrowRight", 1), ("ArrowLeft", -1), ("End", 88), ("ArrowRight", 0)]:
        slider(view).press(key)
        merge += step
        assert_shows(view, tm.corpus(), merge)


def test_a_corpus_of_ones_own_is_learned_from_and_the_slider_ends_where_its_merges_end(view):
    open_corpus(view)
    write(view, SMALL, "ControlOrMeta+Enter", "Corpus")
    assert_shows(view, SMALL, 0)
    press(view, "slider", "Merge", "End")
    assert_shows(view, SMALL, 9)
    write(view, "ab ab", "ControlOrMeta+Enter", "Corpus")
    assert_shows(view, "ab ab", 1)
    write(view, "abc", "ControlOrMeta+Enter", "Corpus")
    expect(view.get_by_role("status")).to_have_text(re.compile("there is nothing to merge"))
    write(view, "ab ab", "ControlOrMeta+Enter", "Corpus")
    press(view, "slider", "Merge", "End")
    assert_shows(view, "ab ab", 1)
    write(view, SMALL, "Tab", "Corpus")
    assert_shows(view, SMALL, 1)
    press(view, "slider", "Merge", "End")
    assert_shows(view, SMALL, 9)


def test_a_bad_corpus_is_answered_and_the_last_good_picture_stays(view):
    slider(view).press("ArrowRight")
    assert_shows(view, tm.corpus(), 1)
    open_corpus(view)
    stays = read(view)
    for corpus, said in {"": "the corpus is empty", "a␣b": "cannot hold ␣", "a" * 5001: "room for 5000"}.items():
        reach(view, "textbox", "Corpus").fill(corpus)
        view.page.keyboard.press("ControlOrMeta+Enter")
        expect(view.get_by_role("alert")).to_contain_text(said)
        soon(lambda: read(view), stays)


def test_text_of_any_language_is_not_said_to_be_portuguese(view):
    open_corpus(view)
    slider(view).press("ArrowRight")
    expect(view.get_by_role("textbox")).to_have_attribute("lang", "")
    assert view.locator(".tm-corpus, table, p").locator("[lang]").evaluate_all("all => all.every((it) => !it.lang)")


def test_two_displays_follow_each_other_and_a_move_is_one_picture(lesson, view):
    for _ in range(3):
        lesson.run(1)
    lesson.run(2)
    second, pictures = lesson.views.nth(1), int(lesson.ask("len(calls)"))
    slider(second).press("ArrowRight")
    for it in (view, second):
        assert_shows(it, tm.corpus(), 1)
    slider(view).press("ArrowRight")
    assert_shows(second, tm.corpus(), 2)
    assert int(lesson.ask("len(calls)")) == pictures + 2


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_objects_to_nothing_after_a_move_and_a_bad_corpus(lesson, view, theme, screenshots):
    lesson.look(theme)
    slider(view).press("End")
    open_corpus(view)
    write(view, "a␣b", "ControlOrMeta+Enter", "Corpus")
    expect(view.get_by_role("alert")).to_contain_text("cannot hold")
    lesson.photograph(view, screenshots, f"merges-{theme}-moved.png")
    assert lesson.violations(view) == []
