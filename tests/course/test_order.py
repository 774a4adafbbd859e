"""Whoever runs the cells again, in whatever order, sees what is stored, and nothing piles up."""

import json
from contextlib import contextmanager
from itertools import combinations, permutations, product

import nbformat
import nbformat.v4 as v4
import numpy as np
import pytest
from jupyter_client.manager import start_new_kernel
from refresh_notebooks import NOTEBOOKS, tidy_output

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))

# Prints how many functions are called when a widget changes or a cell is run: the largest number for each kind of
# widget, and for each event of IPython. Where every run of a cell adds one more, it grows.
WAITING = """
def waiting():
    import json, sys
    widgets = sys.modules.get("ipywidgets.widgets.widget")
    found = {event: len(functions) for event, functions in get_ipython().events.callbacks.items()}
    for widget in widgets._instances.values() if widgets else ():
        counts = [len(functions) for kinds in widget._trait_notifiers.values() for functions in kinds.values()]
        counts += [len(it.callbacks) for it in vars(widget).values() if hasattr(it, "callbacks")]
        found[type(widget).__name__] = max(found.get(type(widget).__name__, 0), sum(counts))
    print(json.dumps(found))
waiting()
"""


@contextmanager
def kernel():
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(NOTEBOOKS))
    try:
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def run(client, sources):
    """The outputs of each cell. All are sent at once, and an error stops none of the rest.

    No history is kept: with more than a thousand results in it, IPython warns.
    """
    outputs = {client.execute(source, store_history=False, stop_on_error=False): [] for source in sources}
    busy = set(outputs)
    while busy:
        message = client.get_iopub_msg(timeout=120)
        cell, kind = message["parent_header"].get("msg_id"), message["msg_type"]
        if kind in ("stream", "display_data", "execute_result", "error") and cell in outputs:
            outputs[cell].append(v4.output_from_msg(message))
        elif kind == "status" and message["content"]["execution_state"] == "idle":
            busy.discard(cell)
    return list(outputs.values())


def compared(outputs):
    """What a cell shows, whenever it is run and however its printed lines are cut."""
    shown = []
    for output in outputs:
        tidy_output(output, "")
        output.pop("execution_count", None)
        if shown and output.output_type == "stream" and shown[-1].get("name") == output.name:
            shown[-1].text += output.text
        else:
            shown.append(output)
    return shown


def waiting(client):
    return json.loads(run(client, [WAITING])[0][0].text)


def mixed(n):
    """Which of n cells to run one after another, first each from top to bottom: [place, ...].

    In the end every cell has been run after any two, itself among them, both with the first of the two run more
    recently and with the second. So one that shows what another left behind is found, though a third puts it right.
    Whoever meets most of that next is run next: shuffled orders would take twice as long.
    """
    met = np.zeros((n, n, n), bool)  # (who is run, who was run more recently, than whom)
    last = np.full(n, -1)  # when each was run
    way = []
    while len(way) < n or met.sum() < n * n * (n - 1):
        recent = last[:, None] > last
        gains = np.count_nonzero(recent & ~met, axis=(1, 2))
        cell = len(way) if len(way) < n else max(range(n), key=lambda it: (gains[it], -last[it]))
        met[cell] |= recent
        last[cell] = len(way)
        way.append(cell)
    return way


def unsteady(nb):
    """What changes when the cells, run once from top to bottom, are run again in other orders: {what: sentence}.

    That is a cell (its place), or a kind of widget or event (its name) for which more functions wait than before.
    """
    cells = [(place, cell) for place, cell in enumerate(nb.cells) if cell.cell_type == "code"]
    stored = [compared(cell.outputs) for _place, cell in cells]
    way, found, since = mixed(len(cells)), {}, {}

    def run_along(way):
        for k, outputs in zip(way, run(client, [cells[k][1].source for k in way]), strict=True):
            place, _cell = cells[k]
            if compared(outputs) != stored[k]:
                found.setdefault(place, f"cell {place} shows something else after {since.get(place, 'those above')}")
            for others in since.values():
                others.append(place)
            since[place] = []

    with kernel() as client:
        run_along(way[: len(cells)])
        before = waiting(client)
        run_along(way[len(cells) :])
        after = waiting(client)
    for name in after:
        if after[name] > before.get(name, 0):
            found[name] = f"{after[name]} functions wait on {name}; after one Run All, {before.get(name, 0)}"
    return found


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_the_cells_show_the_same_in_any_order(path):
    found = "\n".join(unsteady(nbformat.read(path, as_version=4)).values())
    assert not found, f"{path.name}\n{found}"


def test_what_depends_on_the_order_and_what_stacks_is_found():
    shown = {
        "import ipywidgets; x = 1": "",
        "print(x)": "1\n",
        "x = 2": "",
        "n = 0": "",
        "n += 1; print(n)": "1\n",
        "slider = ipywidgets.IntSlider()": "",
        "slider.observe(lambda change: None)": "",
        "button = ipywidgets.Button(); button.on_click(lambda b: None)": "",
        "get_ipython().events.register('pre_run_cell', lambda info: None)": "",
    }
    cells = [v4.new_code_cell(c, outputs=[v4.new_output("stream", text=t)] if t else []) for c, t in shown.items()]
    assert unsteady(v4.new_notebook(cells=cells)).keys() == {1, 4, "IntSlider", "pre_run_cell"}


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_each_cell_is_run_after_any_two_in_both_orders(n):
    way, met = mixed(n), set()
    assert way[:n] == list(range(n))
    for k, cell in enumerate(way):
        recent = list(dict.fromkeys(reversed(way[:k])))  # who was run, the last one first
        never = [it for it in range(n) if it not in recent]
        met |= {(cell, *pair) for pair in [*combinations(recent, 2), *product(recent, never)]}
    assert met == {(cell, *pair) for cell in range(n) for pair in permutations(range(n), 2)}
