"""The view of sampling, moved by keyboard alone: what it shows, marks and says is compared with toymodel."""

import base64

import numpy as np
import pytest
from playwright.sync_api import expect

import toymodel as tm
from toymodel.shown import shown

from .lab import LOOKS, soon
from .reading import (
    CHANGED,
    HEARD,
    Picture,
    assert_bars,
    assert_refused,
    assert_tab_leads_through,
    changes,
    counting,
    labelled,
    press,
    read,
    spoken,
    write,
)

START = {"text": "o gato subiu no", "temperature": 1.0, "top_k": 12, "top_p": 1.0, "n": 1000, "seed": 0}
COLUMNS = ["next", "kept drawn share 0 to 1", "p", "kept", "drawn", "share", "logit"]
MAKE, SHOW_AGAIN, STEER = "view = tm.views.Sampling()\nview", "view", "view.top_k, view.seed = 2, 7"
CELLS = [counting("sampling", "run"), MAKE, SHOW_AGAIN, STEER]  # the pictures are counted


def begins(view):
    soon(lambda: read(view), Picture(expected(**START), {}))


def numbers(text, temperature, top_k, top_p, n, seed):
    """The run, the tokens in their order, and for each what is kept of it and the share that was drawn."""
    t = tm.run(text, temperature=temperature)
    order = [t.vocab.index(it) for it in tm.ranking(t).index]
    drawn = tm.draws(t, n, seed, top_k, top_p)["drawn"]
    return t, order, tm.next_probs(t, top_k, top_p)[order], drawn


def expected(**settings):
    """The table that toymodel's numbers make, as it is heard."""
    t, order, kept, drawn = numbers(**settings)
    p, z = t["probs"][-1][order], t["logits"][-1][order]
    cut = (kept == 0) & (p > 0)
    rows = [
        ["", shown(p[k]), "cut" if cut[k] else shown(kept[k]), f"{n:,}", shown(n / settings["n"]), shown(z[k])]
        for k, n in enumerate(drawn)
    ]
    labels = [spoken(t.vocab[i]) for i in order]
    return {f"What may follow {spoken(t.tokens[-1])}": [COLUMNS, *labelled(labels, rows)]}


def sentence(**settings):
    t, order, kept, drawn = numbers(**settings)
    if settings["temperature"] == 0:
        idle = "At temperature 0 top-k, top-p and the seed change nothing."
        return f"{idle} Greedy: always {spoken(t.vocab[order[0]])}"
    left, mass = np.count_nonzero(kept), shown(t["probs"][-1][order][kept > 0].sum())
    are = "is left, it holds" if left == 1 else "are left, they hold"
    gap = shown(abs(drawn / settings["n"] - kept).max())
    return (
        f"{left} of 12 tokens {are} {mass} of the probability; the largest difference between share and kept is {gap}."
    )


def assert_moved(view, before, after):
    """The view shows, marks and says what a move between these settings makes of it."""
    changed, said = changes(expected(**before), expected(**after), lambda caption: "What may follow")
    soon(lambda: read(view), Picture(expected(**after), dict.fromkeys(changed, CHANGED)))
    soon(lambda: view.get_by_role("status").first.evaluate(HEARD), sentence(**after))
    expect(view.get_by_role("status").last).to_have_text(said)
    expect(view.get_by_role("alert")).to_have_count(0)
    _t, _order, kept, drawn = numbers(**after)
    assert_bars(view, np.array([kept, drawn / after["n"]]).T)
    for name, text in {
        "Temperature": shown(after["temperature"]),
        "Top-k": str(after["top_k"]),
        "Top-p": shown(after["top_p"]),
    }.items():
        expect(view.get_by_role("slider", name=name, exact=True)).to_have_attribute("aria-valuetext", text)
    expect(view.get_by_role("radio", name=f"{after['n']:,}", exact=True)).to_be_checked()
    expect(view.get_by_text(f"seed {after['seed']}", exact=True)).to_be_visible()


def test_every_control_moves_the_numbers(view):
    settings = START
    for move, *how, moved in [
        (press, "slider", "Temperature", "ArrowRight", {"temperature": 1.1}),
        (press, "button", "Draw again", "Enter", {"seed": 1}),
        (press, "slider", "Top-k", "ArrowLeft", {"top_k": 11}),
        (press, "radio", "1,000", "ArrowLeft", {"n": 100}),
        (press, "slider", "Top-p", "ArrowLeft", {"top_p": 0.95}),
        (press, "button", "Draw again", "Space", {"seed": 2}),
        (write, "o cão subiu no muro", {"text": "o cão subiu no muro"}),
        (press, "slider", "Temperature", "Home", {"temperature": 0.0}),
        (press, "slider", "Top-k", "Home", {"top_k": 1}),
        (press, "slider", "Temperature", "End", {"temperature": 3.0}),
        (press, "radio", "100", "ArrowLeft", {"n": 10}),
        (press, "slider", "Top-p", "Home", {"top_p": 0.05}),
        (press, "slider", "Top-k", "End", {"top_k": 12}),
        (write, "o gato", "Tab", {"text": "o gato"}),
    ]:
        move(view, *how)
        before, settings = settings, settings | moved
        assert_moved(view, before, settings)


def test_a_slider_that_is_dragged_makes_one_move(view):
    slider, mouse = view.get_by_role("slider", name="Top-p", exact=True), view.page.mouse
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    right, y = box["x"] + box["width"], box["y"] + box["height"] / 2
    mouse.move(right - 8, y)
    mouse.down()
    mouse.move(right - box["width"] / 3, y, steps=12)
    mouse.up()
    top_p = float(slider.input_value())
    assert 0.5 < top_p < 0.8
    assert_moved(view, START, START | {"top_p": top_p})


def test_tab_leads_from_the_cell_through_the_controls_in_order_and_back(lesson, view):
    order = [
        view.get_by_role("textbox", name="Sentence", exact=True),
        *[view.get_by_role("slider", name=name, exact=True) for name in ("Temperature", "Top-k", "Top-p")],
        view.get_by_role("group", name="Draws", exact=True).get_by_role("radio", checked=True),
        view.get_by_role("button", name="Draw again", exact=True),
    ]
    lesson.run(1)  # the focus is on its cell now
    soon(lambda: read(view), Picture(expected(**START), {}))
    assert_tab_leads_through(lesson, order)


def test_two_displays_follow_each_other_a_cell_steers_both_and_a_move_is_one_run(lesson, view):
    for _ in range(2):
        lesson.run(1)
    lesson.run(2)
    second, runs = lesson.views.nth(1), lesson.ask("len(calls)")
    press(second, "slider", "Temperature", "ArrowLeft")
    cool = START | {"temperature": 0.9}
    assert_moved(view, START, cool)
    press(view, "button", "Draw again", "Enter")
    assert_moved(second, cool, cool | {"seed": 1})
    assert lesson.ask(f"calls[{runs}:]") == "[('o gato subiu no', 0.9), ('o gato subiu no', 0.9)]"
    lesson.run(3)
    soon(lambda: read(view).tables, expected(**cool | {"top_k": 2, "seed": 7}))


def test_a_bad_sentence_is_answered_and_the_last_good_picture_stays(view):
    begins = read(view)
    for text in ("xyz", ""):
        with pytest.raises(ValueError, match=r"\w") as refused:
            tm.run(text)
        write(view, text)
        assert_refused(view, refused.value, begins)
    write(view, START["text"], "Tab")
    expect(view.get_by_role("alert")).to_have_count(0)
    soon(lambda: read(view), begins)


PIXELS = """async (png) => {
    const image = new Image();
    image.src = `data:image/png;base64,${png}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, 1).getContext("2d");
    canvas.drawImage(image, 0, 0);
    return [...canvas.getImageData(0, 0, image.width, 1).data];
}"""


def grey_line(td):
    """Where the first line behind the bars is, on the page."""
    box = {name: int(it) for name, it in td.bounding_box().items()}
    clip = {"x": box["x"] + 2, "y": box["y"] + box["height"] // 2, "width": box["width"] // 3, "height": 1}
    red = td.page.evaluate(PIXELS, base64.b64encode(td.page.screenshot(clip=clip)).decode())[::4]
    return clip["x"] + max(range(12), key=lambda k: abs(red[k] - red[0]))


@pytest.mark.parametrize("look", LOOKS)
def test_axe_objects_to_nothing_and_nothing_sticks_out(lesson, view, look, screenshots):
    lesson.look(**LOOKS[look])
    lesson.ask("setattr(view, 'top_k', 3)")
    soon(lambda: read(view).tables, expected(**START | {"top_k": 3}))
    write(view, "o rato")
    expect(view.get_by_role("alert")).to_contain_text("␣rato is not")
    lesson.photograph(view, screenshots, f"sampling-{look}-moved.png")
    td = view.locator(".tm-bars").last  # cut, and never drawn: its bars have no length
    assert grey_line(td) == pytest.approx(td.locator(".tm-bar").first.bounding_box()["x"], abs=1.5)
    table, share = view.locator(".tm-scroll").bounding_box(), view.get_by_role("row").last.locator("td").nth(4)
    assert share.bounding_box()["x"] + share.bounding_box()["width"] <= table["x"] + table["width"]
    assert lesson.untidy() == []
    assert lesson.violations(view) == []
