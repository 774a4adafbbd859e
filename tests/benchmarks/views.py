"""How soon the live views answer beside a plain `interact`, in one notebook, in one run, in a real browser.

    python tests/benchmarks/views.py [rounds]

Of every view, each control that a key can move (and the first grid whose cells can be picked) is moved there and back
once a round, and so is the plain way: load on the computer hits all of them alike. Measured in the page:

    text      from the key until something that is not a control reads differently
    painted   from the key until the frame after the last change is drawn
    in, out   what the kernel's websocket carried meanwhile

Each line has medians and, in brackets, the middle half. The last two columns are medians of ratios, each to the plain
way's mask in the same round: of `painted`, and of the bytes. Nothing here passes or fails by the clock.
"""

import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from browser.lab import VIEW, NoBrowser, running_lab
from toymodel import views

SETTINGS = {"Formula": "step=7"}  # where a view's first picture does not show what its controls do
IMPORT = 'import sys; sys.path[:0] = [".", ".."]\nimport toymodel as tm'
# The attention view as an instructor would write it with what the lessons' environment has.
PLAIN = """
import ipywidgets, pandas as pd, plotly.graph_objects as go
from IPython.display import display

def shade(weight):
    return f"background-color: rgba(0, 110, 200, {weight / 2})"

@ipywidgets.interact(n_heads=[1, 2, 4], query=(0, 4), key=(0, 4))
def attention(text="o gato subiu no", n_heads=2, causal=True, query=4, key=0):
    t = tm.run(text, n_heads, causal)
    for head, weights in enumerate(t["blocks.0.attn.pattern"]):
        weights = pd.DataFrame(weights, t.tokens, t.tokens)
        display(weights.style.format(precision=3).map(shade).set_caption(f"Head {head}: weights"))
    print(tm.explain(t, "blocks.0.attn.pattern", (0, query, key)))
    display(go.Figure(go.Bar(x=t.vocab, y=t["probs"][query]), layout={"template": "none"}))
"""
PLAIN_AREA = ".widget-interact"
REFERENCE = "interact: causal"

CONTROL = "[type=range], [type=checkbox], [type=radio]:checked, select"
CELL = "[role=grid] [tabindex='0']"
NAME = """it => (it.closest("fieldset, table")?.firstChild ?? it.labels[0]).textContent.replace(it.textContent, "")"""
QUIET = 400  # ms without a change: then a move is over


def main(rounds=12):
    try:
        with tempfile.TemporaryDirectory() as home, running_lab(Path(home)) as lab:
            traffic = count_bytes(lab.context)
            calls = [f"tm.views.{name}({SETTINGS.get(name, '')})" for name in views.__all__]
            with lab.lesson(lab.write("views.ipynb", IMPORT, PLAIN, *calls)) as lesson:
                lesson.run_all()
                moves = measure(lesson.page, contestants(lesson.page), traffic, rounds)
    except NoBrowser as error:
        sys.exit(f"Not measured: {error}.")
    report(moves)


# ---- who is moved


def contestants(page):
    """What is moved, by name: the control or cell, and the area in which the answer appears."""
    areas = {"interact": page.locator(PLAIN_AREA)}
    areas |= {name: page.locator(VIEW).nth(k) for k, name in enumerate(views.__all__)}
    for area in areas.values():
        area.wait_for()
    numbers = areas["interact"].locator("td").all_inner_texts()
    assert numbers == areas["Attention"].locator("[role=grid] td").all_inner_texts()  # they show the same weights
    return {
        f"{name}: {control.evaluate(NAME).strip()}": (control, area)
        for name, area in areas.items()
        for control in [*area.locator(CONTROL).all(), *area.locator(CELL).all()[:1]]
    }


def keys(control):
    """Two keys that move a control there and back; at its end the first one does nothing, once."""
    return ("Space", "Space") if control.get_attribute("type") == "checkbox" else ("ArrowDown", "ArrowUp")


# ---- how a move is measured


def count_bytes(context):
    """What the kernels' websockets have carried since it was last cleared: lists of sizes, by direction."""
    sizes = {"framereceived": [], "framesent": []}

    def listen(websocket):
        if "/channels" in websocket.url:
            for event, these in sizes.items():
                websocket.on(event, lambda it, these=these: these.append(len(it if isinstance(it, bytes) else it.encode())))

    context.on("page", lambda page: page.on("websocket", listen))
    return sizes


# A message sent from within a frame's callback arrives when that frame has been drawn.
WATCH = """area => {
    const parts = [...area.children].filter((it) => !it.querySelector("input, select"));
    const read = () => parts.map((it) => it.textContent).join();
    const before = read();
    const move = (window.move = {});
    const drawn = new MessageChannel();
    drawn.port1.onmessage = () => (move.painted = performance.now());
    window.addEventListener("keydown", (event) => (move.key = event.timeStamp), { capture: true, once: true });
    window.observer?.disconnect();
    window.observer = new MutationObserver(() => {
        move.last = performance.now();
        if (!move.text && read() !== before) move.text = move.last;
        requestAnimationFrame(() => drawn.port2.postMessage(null));
    });
    for (const it of parts)
        observer.observe(it, { subtree: true, childList: true, characterData: true, attributes: true });
}"""
IS_OVER = "quiet => move.text && move.painted > move.last && performance.now() - move.last > quiet"


def measure(page, moved, traffic, rounds):
    """For each contestant a list of its moves: (text ms, painted ms, bytes in, bytes out)."""
    for control, _area in moved.values():  # warming up
        for key in keys(control):
            control.press(key)
            page.wait_for_timeout(1000)
    moves = {name: [] for name in moved}
    for _round in range(rounds):
        for there_or_back in (0, 1):
            for name, (control, area) in moved.items():
                moves[name].append(move(page, control, area, keys(control)[there_or_back], traffic))
    return moves


def move(page, control, area, key, traffic):
    control.focus()
    page.wait_for_timeout(QUIET / 2)
    area.evaluate(WATCH)
    for sizes in traffic.values():
        sizes.clear()
    page.keyboard.press(key)
    page.wait_for_function(IS_OVER, arg=QUIET)
    it = page.evaluate("move")
    return it["text"] - it["key"], it["painted"] - it["key"], *map(sum, traffic.values())


# ---- what is printed


def report(moves):
    print(f"{'':40} {'text, ms':>16} {'painted, ms':>18} {'in, kB':>7} {'out, kB':>7}   beside interact")
    for name, mine in moves.items():
        text, painted, received, sent = zip(*mine, strict=True)
        pairs = list(zip(mine, moves[REFERENCE], strict=True))
        time = statistics.median(a[1] / b[1] for a, b in pairs)
        size = statistics.median(sum(a[2:]) / sum(b[2:]) for a, b in pairs)
        kilobytes = [statistics.median(sizes) / 1000 for sizes in (received, sent)]
        print(f"{name[:40]:40} {middle(text):>16} {middle(painted):>18} {kilobytes[0]:7.1f} {kilobytes[1]:7.1f}", end="")
        print(f"   {time:5.2f} {size:5.2f}")
    print("Aim for the attention view: painted in at most 0.33 of the time, with at most 0.10 of the bytes.")


def middle(numbers):
    low, half, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return f"{half:.0f} ({low:.0f} to {high:.0f})"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
