"""Whoever runs the cells again, in whatever order, sees what is stored, and nothing piles up."""

import json
import random
from contextlib import contextmanager

import nbformat
import nbformat.v4 as v4
import pytest
from jupyter_client.manager import start_new_kernel
from refresh_notebooks import NOTEBOOKS, tidy_output

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
ORDERS = 20

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


def unsteady(nb):
    """What changes when the cells, run once from top to bottom, are run again in seeded orders: {what: sentence}.

    That is a cell (its place), or a kind of widget or event (its name) for which more functions wait than before.
    """
    cells = {place: cell for place, cell in enumerate(nb.cells) if cell.cell_type == "code"}
    stored = {place: compared(cell.outputs) for place, cell in cells.items()}
    found = {}

    def run_in(order, name):
        for place, outputs in zip(order, run(client, [cells[place].source for place in order]), strict=True):
            if compared(outputs) != stored[place]:
                found.setdefault(place, f"cell {place} shows something else {name} {order}")

    with kernel() as client:
        run_in(list(cells), "in the order")
        before = waiting(client)
        for seed in range(ORDERS):
            run_in(random.Random(seed).sample(list(cells), len(cells)), f"after {seed} other orders, in the order")
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
