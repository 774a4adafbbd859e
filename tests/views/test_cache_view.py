"""The view of the key-value cache: its rows against the second implementation, its counts against hand sums."""

import json
import re

import plain_model
import pytest
import traitlets
from drawn import assign, columns, labels, marked, part, send, tables, texts, written

import toymodel as tm
from toymodel.views import Cache, cache

TEXT = "o gato subiu no telhado."
COUNTED = ["q", "k", "v", "dots q·k", "weights × v", "times W_O", "times W_in", "times W_out", "logits"]


def products(rows, keys):
    """The multiplications of so many rows that read so many keys, by hand: 4 dimensions, 8 neurons, 12 tokens."""
    return [rows * 16] * 3 + [rows * keys * 4] * 2 + [rows * 16] + [rows * 32] * 2 + [rows * 48]


def added_up(steps):
    return [sum(part) for part in zip(*steps, strict=True)]


def assert_shows(view, text, n, n_heads, head):
    """Rows, counts and sentences are those of these settings."""
    assert [getattr(view, name) for name in view.controls] == [text, n, n_heads, head]
    ids, vocab = tm.encode(text), tm.run("o").vocab
    read, drawn = [vocab[i] for i in ids[:n]], tables(view)
    steps = plain_model.forward(tm.toy_weights(), ids[:n], n_heads)
    assert list(drawn) == ["q", "k", "v", "weights"]
    at = {name: steps[f"blocks.0.attn.{name}"][head] for name in ("q", "k", "v", "pattern")}
    ages = ["kept"] * (n - 1) + ["new"]
    for name in ("k", "v"):
        assert texts(drawn[name]) == [[*row, age] for row, age in zip(written(at[name]), ages, strict=True)]
        assert labels(drawn[name]) == read and drawn[name]["full"] == pytest.approx(abs(at[name]).max() or 1)
        assert [bool(row.get("chosen")) for row in drawn[name]["rows"]] == [age == "new" for age in ages]
    assert texts(drawn["q"]) == [[*written(at["q"][-1:])[0], "new"]] and labels(drawn["q"]) == read[-1:]
    assert drawn["q"]["caption"] == ["Query q", f"(1 × {4 // n_heads})"]
    assert texts(drawn["weights"]) == written(at["pattern"][-1:]) and labels(drawn["weights"]) == read[-1:]
    assert columns(drawn["weights"]) == read

    step, so_far = view.state["counts"]
    without, cached = [products(m, m) for m in range(1, n + 1)], [products(1, m) for m in range(1, n + 1)]
    for it, ways in [(step, (without[-1], cached[-1])), (so_far, (added_up(without), added_up(cached)))]:
        assert texts(it) == [list(map(str, row)) for row in zip(*([*way, sum(way)] for way in ways), strict=True)]
        assert labels(it) == [*COUNTED, "sum"] and columns(it) == ["without cache", "with cache"]

    said = " ".join(map(part, view.state["sentence"]))
    assert said.startswith(f"Step {n} reads {read[-1]} and works out its row of q, k and v.")
    kept = {1: "", 2: "1 row of k and of v is kept"}.get(n, f"{n - 1} rows of k and of v are kept")
    assert kept in said and ("kept" in said) == (n > 1)
    s = "s"[: n > 1]
    whole = f"k and v of {n} token{s}, each d_model = 4 numbers, all heads together."
    assert said.endswith(f"Then the cache holds 2 · {n} · 4 = {8 * n} numbers: {whole}")
    assert view.state["proof"].endswith("both ways so far: 0.000 (less than 10⁻¹²).")
    assert (view.state["n"], view.state["most"]) == (f"{n} of {len(ids)}", len(ids))
    assert view.state["heads"] == [str(h) for h in range(n_heads)] and view.problem == ""


# ---- the numbers


@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("text", [TEXT, "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"])
def test_the_picture_of_a_new_view_is_that_of_the_second_implementation(text, n_heads):
    for n in range(1, len(tm.encode(text)) + 1):
        for head in {0, n_heads - 1}:
            assert_shows(Cache(text=text, n=n, n_heads=n_heads, head=head), text, n, n_heads, head)


def test_a_step_further_adds_a_row_of_k_and_of_v_and_touches_no_other():
    view = Cache()
    assert view.state["changes"] == "A dot will mark each new number of k and v."
    for n in range(2, 8):
        before = tables(view)
        send(view, n=n)
        for name in ("k", "v"):
            kept = [row["cells"][:-1] for row in before[name]["rows"]]
            assert [row["cells"][:-1] for row in tables(view)[name]["rows"][:-1]] == kept
        assert marked(view.state["tables"], "changed") == {(name, n - 1, k) for name in "kv" for k in range(2)}
        new = "1 row is new, the others stayed"
        assert view.state["changes"] == f"Keys k: {new}; Values v: {new}."
    send(view, n=5)
    assert (
        view.state["changes"] == "Keys k: 2 rows fewer, the others stayed; Values v: 2 rows fewer, the others stayed."
    )


def test_columns_that_go_and_come_are_told_and_whether_a_row_is_kept_is_no_number():
    view = Cache(n=7)
    for n_heads, told in [
        (4, "1 column fewer"),
        (2, "1 column is new"),
        (1, "2 columns are new"),
        (4, "3 columns fewer"),
    ]:
        send(view, n_heads=n_heads)
        assert view.state["changes"] == f"Keys k: {told}, the others stayed; Values v: {told}, the others stayed."
        assert not marked(view.state["tables"], "changed")


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Cache(), {"text": TEXT, "n": 1, "n_heads": 2, "head": 0}
    for moved in [{"n": 4}, {"head": 1}, {"n_heads": 4}, {"head": 3}, {"n": 7}, {"text": "o cão subiu no muro."}]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)


@pytest.mark.parametrize(
    ("moved", "n", "head"),
    [({"n": 99}, 7, 1), ({"n": 0}, 1, 1), ({"n": -5}, 1, 1), ({"head": 9}, 7, 1), ({"head": -1}, 7, 0)],
)
def test_what_is_out_of_range_becomes_the_nearest(moved, n, head):
    view = Cache(n=7, head=1)
    send(view, **moved)
    assert_shows(view, TEXT, n, 2, head)


def test_a_shorter_text_and_fewer_heads_settle_what_was_beyond():
    view = Cache(n=7, n_heads=4, head=3)
    send(view, text="o gato", n_heads=2)
    assert_shows(view, "o gato", 2, 2, 1)


def test_the_proof_is_worked_out_a_cache_that_keeps_something_else_is_found_out(monkeypatch):
    right = cache.extend

    def wrong(trace, token):
        return right(tm.run("o") if len(trace.tokens) == trace.length == 1 else trace, token)

    monkeypatch.setattr(cache, "extend", wrong)
    assert "(less than 10⁻¹²)" in Cache(text="o gato", n=2).state["proof"]
    apart = re.search(r"so far: (\d\.\d+)\.$", Cache(text="iu gato", n=2).state["proof"])
    assert float(apart[1]) > 0.01


def test_the_html_has_the_counts_of_the_last_good_picture():
    view = Cache(n=5)
    send(view, text="xyz")
    shown = re.findall(r"<td>(.*?)</td>", view._repr_mimebundle_()[0]["text/html"])
    rows = zip(products(5, 5), products(1, 5), strict=True)
    assert shown[:-2] == [str(it) for row in rows for it in row] and shown[-2:] == ["1080", "216"]


# ---- bad input


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("text", ["xyz", "", "o rato", "o" * 9])
def test_bad_text_is_told_and_the_last_good_picture_stays(text, move):
    view = Cache(n=3)
    before = json.dumps(view.state)
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.run(text)
    with pytest.raises(ValueError, match=r"\w"):
        Cache(text=text)
    move(view, text=text)
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    assert json.dumps(view.state) == before
    move(view, text="o gato")
    assert_shows(view, "o gato", 2, 2, 0)


@pytest.mark.parametrize("bad", [{"n": "a"}, {"n_heads": 3}, {"head": 0.5}, {"text": None}], ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Cache()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""
