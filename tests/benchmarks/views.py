"""How soon the live views answer a key, beside a plain `interact`: in one notebook, in one run, in a real browser.

    python tests/benchmarks/views.py [moves] [view ...]

Of every view, or of those that are named, each control that a key can move, and the first grid with cells to pick, is
moved there and back; then the next one, the plain way among them, round after round: load on the computer hits all of
them alike. Each line has the medians, and in brackets the middle half, of

    text      from the key until something that is not a control reads differently, as the page sees it
    painted   from the key until the frame with the last change is drawn
    in, out   what the kernel's websocket carried meanwhile

and the median ratios to the plain way's move of the same round: of `painted`, and of the bytes, in and out together.
Nothing here passes or fails by the clock.
"""

import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from browser.lab import SETUP, VIEW, NoBrowser, running_lab
from playwright.sync_api import Locator

from toymodel import views

# How a view begins, where its own first picture does not show what the controls do.
SETTINGS = {"Formula": "step=7", "Path": "opened='pattern'"}
# The attention view as an instructor would write it with what the lessons' environment has.
PLAIN = """
import ipywidgets, pandas as pd, plotly.graph_objects as go
from IPython.display import display

ATTN, STAGES = "blocks.0.attn.", ["dots", "scores", "masked_scores", "exp_scores", "pattern"]

@ipywidgets.interact(n_heads=[1, 2, 4], query=(0, 4), key=(0, 4))
def attention(text="o gato subiu no", n_heads=2, causal=True, query=4, key=0):
    t = tm.run(text, n_heads, causal)
    for head in range(n_heads):
        weights = pd.DataFrame(t[ATTN + "pattern"][head], t.tokens, t.tokens)
        shaded = weights.style.map(lambda a: f"background-color: rgba(0, 110, 200, {a / 2})")
        display(shaded.format(precision=3).set_caption(f"Head {head}: weights"))
        row = pd.DataFrame([t[ATTN + stage][head, query] for stage in STAGES], STAGES, t.tokens)
        display(row.style.format(precision=3).set_caption(f"Head {head}, the row of {t.tokens[query]}"))
    print(tm.explain(t, ATTN + "pattern", (0, query, key)))
    display(go.Figure(go.Bar(x=t.vocab, y=t["probs"][query]), layout={"template": "none"}))
"""
PLAIN_MOVE = "interact: causal"

CONTROL = "[type=range], [type=checkbox], [type=radio]:checked, select, [role=grid] [tabindex='0']"
NAME = """it => it.matches("td") ? "picked cell"
    : (it.closest("fieldset")?.firstChild ?? it.labels[0]).textContent.replace(it.textContent, "").trim()"""
# Two keys that move it there and back, from wherever it is.
KEYS = """it => {
    if (it.type === "checkbox") return ["Space", "Space"];
    const isLowest = it.min ? it.value === it.min : it.matches("tr:last-child > td, :has(> option:last-child:checked)");
    return isLowest ? ["ArrowUp", "ArrowDown"] : ["ArrowDown", "ArrowUp"];
}"""
QUIET, PATIENCE = 300, 3_000  # ms without a change: then a move is over; or that nothing answers


def main(*arguments):
    moves, names = understood(arguments)
    calls = [f"tm.views.{name}({SETTINGS.get(name, '')})" for name in names]
    try:
        with tempfile.TemporaryDirectory() as home, running_lab(Path(home)) as lab:
            carried = count_bytes(lab.context)
            with lab.lesson(lab.write("views.ipynb", SETUP, PLAIN, *calls)) as lesson:
                lesson.run_all()
                assert not [it for _tags, outputs in lesson.outputs() for it in outputs if it["output_type"] == "error"]
                contestants = warmed_up(lesson.page, movable(lesson.page, names))
                measured = measure(lesson.page, contestants, carried, moves // 2)
            assert not lab.faults, lab.faults
    except NoBrowser as error:
        sys.exit(f"Not measured: {error}.")
    report(measured)


def understood(arguments):
    """How many moves are asked for, 24 if that is not said, and of which views: all, if none is named."""
    moves, *names = arguments if arguments and arguments[0].isdecimal() else (24, *arguments)
    if int(moves) < 2:
        sys.exit("At least 2 moves are needed: there and back.")
    if unknown := [name for name in names if name not in views.__all__]:
        sys.exit(f"There is no view {unknown[0]}. There are: {', '.join(views.__all__)}.")
    return int(moves), names or views.__all__


# ---- what is moved


def movable(page, names):
    """By name: the control or cell that takes the keys, and the area in which the answer appears."""
    areas = {"interact": page.locator(".widget-interact")}
    areas |= {name: page.locator(VIEW).nth(k) for k, name in enumerate(names)}
    for area in areas.values():
        area.wait_for()
    if "Attention" in areas:  # it shows every number of the plain way
        plain, view = (areas[name].locator("td").all_inner_texts() for name in ("interact", "Attention"))
        assert {*plain} <= {text.split()[0] for text in view if text}
    found = {}
    for name, area in areas.items():
        for control in filter(Locator.is_visible, area.locator(CONTROL).all()):
            found.setdefault(f"{name}: {control.evaluate(NAME)}", (control, area))
    return found


def warmed_up(page, found):
    """Those that answer. (JupyterLab keeps the arrow keys from a dropdown of ipywidgets, so that one does not.)"""
    answering = {}
    for name, (control, area) in found.items():
        answers = [move(page, control, area, key, PATIENCE) for key in control.evaluate(KEYS)]
        if all("text" in answer for answer in answers):
            answering[name] = control, area
        else:
            print(f"{name} does not answer the keyboard with other words: left out.")
    return answering


# ---- how a move is measured


def count_bytes(context):
    """How many bytes the kernels' websockets have carried, "in" and "out", since this was last cleared."""
    carried = Counter()

    def listen(websocket):
        if "/channels" in websocket.url:
            websocket.on("framereceived", lambda it: carried.update({"in": len(it)}))
            websocket.on("framesent", lambda it: carried.update({"out": len(it)}))

    for page in context.pages:
        page.on("websocket", listen)
    context.on("page", lambda page: page.on("websocket", listen))
    return carried


# A message that is sent when a frame begins arrives when that frame has been drawn. What does not count: an output area
# that JupyterLab has kept from collapsing gets its height back, a while after all is there.
WATCH = """area => {
    const parts = [...area.children].filter((it) => !it.matches(".tm-controls, .widget-inline-hbox"));
    const read = () => parts.map((it) => it.textContent).join();
    const before = read();
    const isHeight = ({ type, target }) => type === "attributes" && target.matches(".jp-OutputArea");
    const move = (window.move = {});
    const drawn = new MessageChannel();
    drawn.port1.onmessage = () => (move.painted = performance.now());
    window.addEventListener("keydown", (event) => (move.key = event.timeStamp), { capture: true, once: true });
    window.observer?.disconnect();
    window.observer = new MutationObserver((changes) => {
        if (changes.every(isHeight)) return;
        move.last = performance.now();
        if (!move.text && read() !== before) move.text = move.last;
        requestAnimationFrame(() => drawn.port2.postMessage(null));
    });
    for (const it of parts)
        observer.observe(it, { subtree: true, childList: true, characterData: true, attributes: true });
}"""
IS_OVER = """([quiet, patience]) => {
    const now = performance.now();
    return move.text ? move.painted > move.last && now - move.last > quiet : now - move.key > patience;
}"""


def move(page, control, area, key, patience):
    """Press a key; when what it does is over, the times: of the key, the first new text, the last change, its frame."""
    control.focus()
    page.wait_for_timeout(QUIET / 3)  # the notebook turns to another cell
    area.evaluate(WATCH)
    page.keyboard.press(key)
    page.wait_for_function(IS_OVER, arg=[QUIET, patience])
    return page.evaluate("move")


def measure(page, contestants, carried, rounds):
    """For each contestant its moves: [(text in ms, painted in ms, bytes in, bytes out), ...]."""
    measured = {name: [] for name in contestants}
    for _round in range(rounds):
        for name, (control, area) in contestants.items():
            for key in control.evaluate(KEYS):
                carried.clear()
                at = move(page, control, area, key, patience=float("inf"))
                times = (at[it] - at["key"] for it in ("text", "painted"))
                measured[name].append((*times, carried["in"], carried["out"]))
    return measured


def report(measured):
    print(f"{'':26}{'text, ms':>22}{'painted, ms':>22}{'in, kB':>8}{'out, kB':>9}   beside interact: time  bytes")
    for name, moves in measured.items():
        text, painted, received, sent = zip(*moves, strict=True)
        pairs = list(zip(moves, measured[PLAIN_MOVE], strict=True))
        time = statistics.median(mine[1] / plain[1] for mine, plain in pairs)
        size = statistics.median(sum(mine[2:]) / sum(plain[2:]) for mine, plain in pairs)
        kilobytes = "".join(f"  {statistics.median(sizes) / 1000:6.1f}" for sizes in (received, sent))
        print(f"{name:26}{middle(text):>22}{middle(painted):>22}{kilobytes}{time:24.2f}{size:7.2f}")
    print("The aim for Attention: at most 0.33 of the time of `interact` and 0.10 of its bytes.")


def middle(numbers):
    low, half, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return f"{half:.0f} ({low:.0f} to {high:.0f})"


if __name__ == "__main__":
    main(*sys.argv[1:])
