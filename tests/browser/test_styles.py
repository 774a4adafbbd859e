"""Every view looks in the company of the others as it does alone: their stylesheets meet in one page."""

import pytest

from toymodel import views

from .lab import LOOKS, SETUP

CELLS = [SETUP, "for name in tm.views.__all__:\n    display(getattr(tm.views, name)())"]
# What is different about a view's elements, one of each kind, where the stylesheets of the others are gone. (Which of
# them comes first depends on what a reader opens first.)
CHANGES = """([k, style]) => {
    const view = document.querySelectorAll(".jp-OutputArea-output .tm-view")[k];
    const own_kind = (it) => `${it.localName}.${it.getAttribute("class")}`;
    const kind = (it) => (it === view ? "" : `${kind(it.parentElement)} ${own_kind(it)}`);
    const all = [...new Map([...view.querySelectorAll("*")].map((it) => [kind(it), it])).values()];
    for (const it of document.querySelectorAll(".jp-OutputArea-child")) // what is not looked at costs no time
        if (it.querySelector(".tm-view")) it.style.display = it.contains(view) ? "" : "none";
    const others = [...document.querySelectorAll("style")].filter((it) => it.textContent.includes(".tm-view"));
    const named = [...new Set(others.flatMap((it) => it.textContent.match(/(?<=^ *)[a-z-]+(?=: )/gm)))];
    const looks = () => all.map((it) => {
        const style = getComputedStyle(it);
        return named.map((name) => `${name}: ${style.getPropertyValue(name)}`);
    });
    const own = others.find((it) => it.textContent === style);
    if (own !== others[0]) others[0].before(own); // what comes later wins: so this is the worst that may happen
    const among = looks();
    others.forEach((it) => (it.disabled = it !== own));
    const alone = looks();
    others.forEach((it) => (it.disabled = false));
    const changed = (i) => among[i].filter((it, j) => it !== alone[i][j]).slice(0, 3).join();
    const faults = all.map((it, i) => changed(i) && `${own_kind(it)}: ${changed(i)}`);
    return [own !== undefined, [...new Set(faults)].filter(Boolean)];
}"""


@pytest.mark.parametrize("width", ["light", "narrow"])
def test_a_view_looks_among_the_others_as_it_does_alone(lesson, width):
    lesson.look(**LOOKS[width])
    lesson.views.nth(len(views.__all__) - 1).wait_for()
    styles = enumerate(getattr(views, name)._css for name in views.__all__)
    assert [lesson.page.evaluate(CHANGES, list(it)) for it in styles] == [[True, []]] * len(views.__all__)
