"""What every live view keeps to, without a browser: what it sends, what it says of mistakes, its words and traits."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import traitlets
from drawn import assign, by_name, expected_changes, marked, send, texts

from toymodel import views
from toymodel.views import hello
from toymodel.views.attention import Attention
from toymodel.views.shared import view as view_module
from toymodel.views.shared.grids import grid, largest, mark_changes, token
from toymodel.views.shared.traits import ChoiceOf
from toymodel.views.shared.view import WIDGET, View, placed, within

VIEWS = [getattr(views, name) for name in views.__all__]
FOLDER = Path(views.__file__).parent
every_view = pytest.mark.parametrize("view", VIEWS, ids=views.__all__)


def test_every_view_is_made_of_a_file_of_its_own():
    files = [view.__module__.removeprefix("toymodel.views.").replace(".", "/") for view in VIEWS]
    assert len(set(files)) == len(VIEWS) and all((FOLDER / f"{file}.js").exists() for file in files)
    assert all(issubclass(view, View) and view.__doc__ and view.controls for view in VIEWS)


def moved(view):
    """A control and another value for it, which draws another picture: the first choice, or else the first number.

    (A number from 1 to 4: all that count anything have so many.)
    """
    traits = {name: view.class_traits()[name] for name in view.controls}
    choices = {name: trait.values for name, trait in traits.items() if isinstance(trait, traitlets.Enum)}
    choices |= {name: list(trait.of(view)) for name, trait in traits.items() if isinstance(trait, ChoiceOf)}
    choices = {name: choices[name] for name in traits if name in choices}
    numbers = {
        name: [n % 4 + 1] for name, it in traits.items() if isinstance(it, traitlets.Int) for n in [getattr(view, name)]
    }
    name, values = next(iter((choices | numbers).items()))
    return {name: next(value for value in values if value != getattr(view, name))}


# ---- what is sent


@every_view
def test_what_is_sent_is_json(view):
    made = view()
    for _time in range(2):
        for name in ("state", "labels", "problem", *made.controls):
            value = getattr(made, name)
            assert made.trait_metadata(name, "sync")
            assert json.loads(json.dumps(value, allow_nan=False)) == value, name
        assert made.state and made.problem == ""
        send(made, **moved(made))


@every_view
def test_two_views_share_nothing(view):
    first, second = view(), view()
    before = json.dumps(second.state)
    assert first.model_id != second.model_id and first.state is not second.state
    send(first, **moved(first))
    assert json.dumps(first.state) != before
    assert json.dumps(second.state) == before == json.dumps(view().state) and second.problem == ""


@every_view
def test_a_move_is_drawn_once_and_no_move_is_not_drawn(view, monkeypatch):
    made, drawn, picture = view(), [], view.picture
    monkeypatch.setattr(view, "picture", lambda self: drawn.append(1) or picture(self))
    move = moved(made)
    with made.hold_trait_notifications():  # there and back
        was = {name: getattr(made, name) for name in move}
        assign(made, **move)
        assign(made, **was)
    assert not drawn
    for _time in range(2):  # the second time nothing moves
        send(made, **move)
        assert len(drawn) == 1
    assign(made, **{name: getattr(made, name) for name in made.controls})
    assert len(drawn) == 1


@every_view
def test_a_view_prints_as_the_call_that_makes_it(view):
    made = view()
    ((name, value),) = moved(made).items()
    for _time in range(2):
        again = eval(repr(made), {view.__name__: view})
        assert repr(again) == repr(made)
        assert [getattr(again, name) for name in view.controls] == [getattr(made, name) for name in view.controls]
        send(made, **{name: value})
    assert f"{name}={value!r}" in repr(made)


@every_view
def test_a_notebook_that_was_not_run_shows_the_numbers_as_html(view):
    made = view()
    data, _metadata = made._repr_mimebundle_()
    assert data["application/vnd.jupyter.widget-view+json"]["model_id"] == made.model_id
    assert data["text/plain"] == repr(made)  # whole, with every version of the widgets: nbval compares it
    assert "Run this cell" in data["text/html"] and made.fallback() in data["text/html"]
    assert made.fallback().count("<table") == made.fallback().count("</table>")
    assert re.sub("<[^>]*>", "", made.fallback()).strip()


def test_a_cell_shows_how_it_begins_and_then_the_live_view(monkeypatch):
    """As two outputs: of one alone, a page that is opened again shows an error instead of the numbers."""
    made, shown = Attention(), []
    monkeypatch.setattr(view_module, "display", lambda data, **how: shown.append(data) if how["raw"] else None)
    made._ipython_display_()
    still, live = shown
    assert made.fallback() in still["text/html"] and still["text/plain"] == repr(made)
    assert live == {"application/vnd.jupyter.widget-view+json": made._repr_mimebundle_()[0][WIDGET]}


# ---- mistakes


@every_view
@pytest.mark.parametrize("error", [RuntimeError("no such luck"), KeyError("x"), ZeroDivisionError()], ids=repr)
def test_a_fault_of_the_course_is_told_and_the_last_good_picture_stays(view, error, monkeypatch):
    made = view()
    ((name, value),) = moved(made).items()
    was, before = getattr(made, name), json.dumps(made.state)

    def fail():
        raise error

    monkeypatch.setattr(made, "picture", fail)
    send(made, **{name: value})
    assert repr(error) in made.problem and "tell its authors" in made.problem
    assert json.dumps(made.state) == before
    monkeypatch.undo()
    send(made, **{name: was})
    assert made.problem == "" and made.state and getattr(made, name) == was


@every_view
def test_a_mistake_of_the_reader_is_told_with_what_stands_below(view, monkeypatch):
    made = view()
    before = json.dumps(made.state)

    def refuse():
        raise ValueError("`x` is {no} number.")

    monkeypatch.setattr(made, "picture", refuse)
    send(made, **moved(made))
    assert made.problem == "`x` is {no} number. What worked last is still shown below."
    assert json.dumps(made.state) == before


@pytest.mark.parametrize(
    ("i", "n", "place"), [(0, 3, 0), (2, 3, 2), (3, 3, 2), (99, 3, 2), (-1, 3, 0), (-99, 3, 0), (0, 1, 0), (5, 1, 0)]
)
def test_within_is_the_nearest_place(i, n, place):
    assert within(i, n) == place
    assert placed(i, n) == (n - 1 if i == -1 else place)


# ---- scripts, words and traits

SCRIPTS = {file.name: file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.js")}
OF_ALL = ["elements.js", "controls.js", "view.js"]


def scripts_of(view):
    """The names of the files that a view's script is put together from: those of all views first, its own last."""
    own, rest, names = f"{view.__module__.split('.')[-1]}.js", view._esm, []
    while rest:
        (name,) = [name for name, text in SCRIPTS.items() if text and rest.startswith(text)]
        names, rest = [*names, name], rest.removeprefix(SCRIPTS[name])
    assert names[: len(OF_ALL)] == OF_ALL and names[-1] == own and len(set(names)) == len(names)
    return names


def ties(view):
    """The traits to which a view's scripts tie a control."""
    scripts = "".join(SCRIPTS[name] for name in scripts_of(view))
    tied = set(re.findall(r'controls\.\w+\("(\w+)"', scripts))
    if "matrices.forEach((name) => controls.lines(name" in scripts:
        tied |= set(view().state["matrices"])
    return tied


def words_in(script):
    """The labels that a script uses: by name, or one for each way that a cell can stand out."""
    flags = re.findall(r'"(\w+)"', "".join(re.findall(r"FLAGS = \[(.*?)\]", script)))
    return {*re.findall(r"\blabels\.(\w+)", script), *flags}


@every_view
def test_every_word_that_the_scripts_use_comes_from_python_and_none_is_left_over(view):
    made, names = view(), scripts_of(view)
    used = ties(view) | words_in("".join(SCRIPTS[name] for name in names))
    assert used <= set(made.labels) and all(made.labels.values())
    of_all = set.intersection(*(set(it().labels) for it in VIEWS))
    assert set(made.labels) - used <= of_all  # a word that all views have is used by some
    assert of_all <= words_in("".join(SCRIPTS.values()))


@every_view
def test_every_trait_that_the_script_uses_is_there_and_every_control_can_be_moved(view):
    made, scripts = view(), "".join(SCRIPTS[name] for name in scripts_of(view))
    read = set(re.findall(r'model\.get\("(\w+)"\)', scripts))
    assert ties(view) | read <= set(made.keys)
    own = "".join(SCRIPTS[name] for name in scripts_of(view)[len(OF_ALL) :])
    assert set(made.controls) <= {*re.findall(r"\w+", own), *ties(view)}


@every_view
def test_every_part_of_the_state_is_drawn(view):
    scripts = "".join(SCRIPTS[name] for name in scripts_of(view)[len(OF_ALL) :])
    state = view().state
    assert [name for name in state if not re.search(rf"[.{{,] ?{name}\b", scripts)] == []
    assert set(re.findall(r"\bstate\.(\w+)", SCRIPTS[scripts_of(view)[-1]])) <= set(state)


def test_no_script_writes_a_word_of_its_own():
    for name, script in SCRIPTS.items():
        code = re.sub(r"//.*|`[^`]*`", "", script)
        assert not [it for it in re.findall(r'"([^"]*)"', code) if re.fullmatch(r"[A-Z][a-z]+( [a-z]+)+.?", it)], name


# ---- grids: what shades a number, and marks of change


@pytest.mark.parametrize(
    ("numbers", "full"), [([[1, -3], [2, 0]], 3), ([[0, 0]], 1), ([[-np.inf, 0.5]], 0.5), ([[-np.inf]], 1)]
)
def test_a_number_is_shaded_by_its_share_of_the_largest_finite_one(numbers, full):
    assert largest(np.array(numbers)) == full


def small(name, *rows):
    return grid(
        name,
        [f"Grid {name}"],
        ["", *map(str, range(len(rows[0]) - 1))],
        [token(label) for label, *_cells in rows],
        [cells for _l, *cells in rows],
    )


@pytest.mark.parametrize(
    ("before", "after", "marks", "said"),
    [
        ([("o", "1", "2")], [("o", "1", "2")], set(), "Nothing changed."),
        ([("o", "1", "2")], [("o", "1", "3")], {("g", 0, 1)}, "Grid g: 1 of 1 rows changed."),
        ([("o", "1", "2")], [("a", "1", "2")], {("g", 0, 0), ("g", 0, 1)}, "Grid g: 1 of 1 rows changed."),
        ([("o", "1", "")], [("a", "1", "")], {("g", 0, 0)}, "Grid g: 1 of 1 rows changed."),
        ([("o", "1", "2")], [("o", "1", "2"), ("a", "", "")], set(), "Grid g: 1 row is new, the others stayed."),
        (
            *([("o", "1", "2")], [("o", "1", "2"), ("a", "3", "")], {("g", 1, 0)}),
            "Grid g: 1 row is new, the others stayed.",
        ),
        (
            *([("o", "1")], [("o", "1"), ("a", "3"), ("a", "3")], {("g", 1, 0), ("g", 2, 0)}),
            "Grid g: 2 rows are new, the others stayed.",
        ),
        ([("o", "1")], [("o", "2"), ("a", "3")], {("g", 0, 0), ("g", 1, 0)}, "Grid g: 2 of 2 rows changed."),
        ([("o", "1")], [("o", "1", "2")], set(), "Grid g: 1 column is new, the others stayed."),
        ([("o", "1", "2", "3")], [("o", "1")], set(), "Grid g: 2 columns fewer, the others stayed."),
        ([("o", "1", "2")], [("o", "4")], {("g", 0, 0)}, "Grid g: 1 of 1 rows changed."),
        ([("o", "1"), ("a", "2")], [("o", "1")], set(), "Grid g: 1 row fewer, the others stayed."),
        ([("o", "1"), ("a", "2")], [("o", "3")], {("g", 0, 0)}, "Grid g: 1 of 1 rows changed."),
        ([("o", "-0.000", "2")], [("o", "", "2")], {("g", 0, 0)}, "Grid g: 1 of 1 rows changed."),
    ],
)
def test_a_cell_that_shows_something_else_is_marked(before, after, marks, said):
    old, new = [small("g", *before)], [small("g", *after)]
    assert mark_changes(new, old) == said
    assert marked(new, "changed") == marks == set(expected_changes(old, new))
    assert texts(by_name(new)["g"]) == [cells for _label, *cells in map(list, after)]
    assert not marked(old, "changed")


def test_a_grid_that_was_not_there_is_marked_whole_and_each_grid_is_told():
    old, new = [small("g", ("o", "1"))], [small("g", ("o", "2")), small("h", ("o", "1", ""))]
    assert mark_changes(new, old) == "Grid g: 1 of 1 rows changed; Grid h: 1 of 1 rows changed."
    assert marked(new, "changed") == {("g", 0, 0), ("h", 0, 0)}


# ---- what a move is compared with


class Counter(views.Hello):
    """A view with a slider, a number, and another control; each picture tells the controls."""

    controls, sliders = ("number", "step"), ("number",)
    step = traitlets.Int(0).tag(sync=True)

    def picture(self):
        return {"number": self.number, "step": self.step}


def test_the_steps_of_a_slider_are_one_move():
    view = Counter(number=1)
    assert view.before == {}
    for moved, compared_with in [
        *[({"number": 2}, (1, 0)), ({"number": 3}, (1, 0)), ({"number": 1}, (1, 0)), ({"number": 5}, (1, 0))],
        *[({"step": 1}, (5, 0)), ({"step": 2}, (5, 1)), ({"number": 6}, (5, 2)), ({"number": 7}, (5, 2))],
        *[({"number": 8, "step": 3}, (7, 2)), ({"number": 9, "step": 4}, (8, 3)), ({"number": 10}, (9, 4))],
    ]:
        send(view, **moved)
        assert view.before == dict(zip(("number", "step"), compared_with, strict=True)), moved


# ---- the first view


@pytest.mark.parametrize("number", [-1, 13, 99])
def test_the_first_control_has_the_range_of_its_slider(number):
    with pytest.raises(traitlets.TraitError):
        views.Hello(number=number)


def test_the_first_control_works_where_jupyterlab_lives_in_another_environment(monkeypatch):
    def version(name):
        if name == "jupyterlab":
            raise hello.PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(hello, "version", version)
    versions = views.Hello().state["versions"]
    assert "jupyterlab" not in versions and "numpy 1.2.3" in versions
