"""The view of the tree: its branches against the second implementation, its products by hand, and where it is cut."""

import json
import re
from math import prod

import plain_model
import pytest
import traitlets
from drawn import assign, part, send, tables, texts

import toymodel as tm
from toymodel.views import Tree

START = {"text": "o gato subiu no", "width": 3, "depth": 3, "temperature": 1.0, "branch": [0, 0, 0]}
DEEPEST = {1: 5, 2: 5, 3: 3, 4: 3}  # how deep a tree of each width may be: 64 ends at most
three = plain_model.three_decimals


def plain(ids, width, depth, temperature):
    """The tree from the formulas alone: [(id, p, what follows)], the lowest id first on ties."""
    p = plain_model.forward(tm.toy_weights(), ids, temperature=temperature)["probs"][-1]
    found = []
    for i in sorted(range(12), key=lambda i: (-round(p[i], 9), i))[:width]:
        goes_on = depth > 1 and i != 11 and len(ids) < 8
        found.append((i, p[i], plain([*ids, i], width, depth - 1, temperature) if goes_on else []))
    return found


def paths(branches, before=()):
    """Each way to an end: [(id, p), ...]."""
    for i, p, further in branches:
        way = (*before, (i, p))
        yield from paths(further, way) if further else [way]


def product(way):
    return prod(p for _i, p in way)


def assert_drawn(drawn, branches, before=1, greedy=True):
    assert len(drawn) == len(branches)
    for k, (it, (i, p, further)) in enumerate(zip(drawn, branches, strict=True)):
        on_greedy_path = greedy and k == 0
        assert (it["token"], it["p"], it["product"]) == (tm.run("o").vocab[i], three(p), three(before * p))
        assert it["greedy"] == on_greedy_path
        assert_drawn(it["branches"], further, before * p, on_greedy_path)


def written(math):
    """The lines of a sum, without their marks."""
    return [re.sub("<[^>]*>", "", "".join(parts)) for parts in math[1]]


def assert_shows(view, text, width, depth, temperature, branch):
    """Tree, product, ends and sentences are those of these settings."""
    assert [getattr(view, name) for name in view.controls] == [text, width, depth, temperature, branch]
    state, ids, vocab = view.state, tm.encode(text), tm.run("o").vocab
    possible = min(depth, 9 - len(ids))  # the context holds 8 tokens, and the last one need not be read
    cut = min(possible, DEEPEST[width])
    branches = plain(ids, width, cut, temperature)
    assert_drawn(state["tree"], branches)
    assert state["full"] == pytest.approx(branches[0][1]) and state["branch"] == branch

    way, there = [], branches
    for k in branch:
        way.append(there[k][:2])
        there = there[k][2]
    value = three(product(way))
    given = " ".join(vocab[i] for i, _p in way) + f" | {text}"
    assert " ".join(map(part, state["sum"]["place"])) == f"p( {given} ) = {value}"
    assert written(state["sum"]["math"]) == ["·".join(three(p) for _i, p in way), value]
    assert state["sum"]["note"].startswith(f"`{text}` is given")
    assert state["sum"]["note"].endswith(f" at temperature {three(temperature)}.")

    ends = list(paths(branches))
    greedy, likeliest = ends[0], sorted(ends, key=lambda it: -round(product(it), 9))
    listed = [" ".join(vocab[i] for i, _p in it) for it in likeliest[:8]]
    (grid,) = tables(view).values()
    assert [" ".join(map(part, row["label"])) for row in grid["rows"]] == listed
    assert texts(grid) == [[three(product(it))] for it in likeliest[:8]]
    assert [row["chosen"] for row in grid["rows"]] == [it == greedy for it in likeliest[:8]]

    likelier = sum(round(product(it), 9) > round(product(greedy), 9) for it in ends)
    verdict = {0: "no end is likelier.", 1: "1 end is likelier."}.get(likelier, f"{likelier} ends are likelier.")
    if cut < possible:
        verdict = "the tree is cut, so it does not tell whether another end is likelier."
    tokens = " ".join(vocab[i] for i, _p in greedy)
    assert " ".join(map(part, state["greedy"])).endswith(f" {tokens} ({three(product(greedy))}); {verdict}")
    assert f" {three(sum(map(product, ends)))} of all" in state["together"]
    assert state["together"].startswith(f"{len(ends)} end")
    said, after = "", f"{cut} token{'s'[: cut > 1]}"
    if cut < possible:
        said = f"Up to {width**possible} ends are possible and 64 can be drawn: the tree is cut after {after}."
    elif possible < depth:
        said = f"After {after} the context is full."
    assert state["cut"] == said
    assert [state[name] for name in ("width", "depth", "temperature")] == [str(width), str(depth), three(temperature)]
    assert view.problem == ""


# ---- the numbers


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_the_picture_of_a_new_view_is_that_of_the_second_implementation(width, depth):
    for text in ["o gato subiu no", "o", "o gato subiu no telhado."]:
        view = Tree(text=text, width=width, depth=depth, branch=[0])
        assert_shows(view, text, width, depth, 1.0, [0])


def test_the_numbers_of_the_first_picture_by_hand():
    view = Tree()
    assert_shows(view, **START)
    assert written(view.state["sum"]["math"]) == ["0.395·0.538·0.405", "0.086"]
    assert [it["token"] for it in view.state["tree"]] == ["␣telhado", "␣muro", "␣sofá"]
    assert "no end is likelier" in view.state["greedy"][-1]


def test_greedy_may_miss_the_likeliest_end():
    view = Tree(text="o", width=2, depth=5)
    assert view.state["greedy"][-1] == "1 end is likelier."
    first, second = tables(view)["ends"]["rows"][:2]
    assert second["chosen"] and not first["chosen"] and float(first["cells"][0]) > float(second["cells"][0])


@pytest.mark.parametrize(("width", "depth"), [(4, 3), (2, 4), (3, 5), (4, 5)])
def test_in_the_lesson_s_tree_the_end_stays_likelier_however_wide_and_deep_and_only_the_context_stops_it(width, depth):
    state = Tree(text="o gato subiu no muro", width=width, depth=depth).state
    full = "After 3 tokens the context is full." if depth > 3 else ""
    assert state["greedy"][-1] == ("1 end is likelier." if width > 2 else "no end is likelier.")
    assert state["cut"] == full


def test_a_tree_that_is_cut_gives_no_verdict_and_says_why():
    state = Tree(text="o", width=4, depth=4).state
    assert "does not tell" in state["greedy"][-1] and "Up to 256 ends are possible and 64 can be drawn" in state["cut"]


@pytest.mark.parametrize("temperature", [0.0, 0.5, 3.0])
def test_the_temperature_changes_every_product_and_at_0_one_path_has_all(temperature):
    if temperature:
        return assert_shows(Tree(temperature=temperature), **START | {"temperature": temperature})
    view = Tree(temperature=0)
    assert [it["product"] for it in view.state["tree"]] == ["1.000", "0.000", "0.000"]
    assert view.state["sum"]["place"][-1] == ") = 1.000" and "together 1.000 of all" in view.state["together"]


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Tree(), START
    for moved, settled in [
        *[({"width": 2}, {}), ({"branch": [1, 0]}, {}), ({"depth": 5}, {}), ({"branch": [1, 0, 1, 1]}, {})],
        *[({"depth": 2}, {"branch": [1, 0]}), ({"width": 1}, {"branch": [0, 0]}), ({"temperature": 2.0}, {})],
        *[({"text": "o cão"}, {}), ({"width": 4}, {}), ({"branch": [3, 9]}, {"branch": [3, 3]}), ({"depth": 5}, {})],
        *[({"branch": []}, {"branch": [0]}), ({"branch": [-1, -2, 0, 0, 0, 0]}, {"branch": [0, 0, 0]})],
    ]:
        settings = settings | moved | settled
        move(view, **moved)
        assert_shows(view, **settings)


@pytest.mark.parametrize(("text", "depth"), [("o gato subiu no telhado.", 2), ("o gato subiu no telhado.<eot>", 1)])
def test_a_branch_ends_where_the_context_is_full(text, depth):
    def deep(branches):
        return 1 + max(deep(it["branches"]) for it in branches) if branches else 0

    assert deep(Tree(text=text, width=2, depth=5).state["tree"]) == depth


def test_the_html_has_the_likeliest_ends_of_the_last_good_picture():
    view = Tree()
    send(view, text="xyz")
    shown = re.findall(r"<td>(.*?)</td>", view._repr_mimebundle_()[0]["text/html"])
    assert shown[::2][:2] == ["␣telhado . &lt;eot&gt;", "␣telhado . iu"]
    assert shown[1::2] == [cells[0] for cells in texts(tables(view)["ends"])]


# ---- bad input


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("bad", [{"text": "xyz"}, {"text": ""}, {"text": "o" * 9}, {"temperature": -1.0}], ids=str)
def test_what_cannot_be_run_is_told_and_the_last_good_picture_stays(bad, move):
    view = Tree(branch=[1, 1])
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        Tree(**bad)
    move(view, **bad)
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    assert json.dumps(view.state) == before
    move(view, text="o gato", temperature=1.0)
    assert_shows(view, **START | {"text": "o gato", "branch": [1, 1]})


@pytest.mark.parametrize(
    "bad", [{"width": 0}, {"width": 5}, {"depth": 6}, {"depth": 0}, {"branch": ["a"]}, {"branch": 3}], ids=str
)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Tree()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Tree(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""
