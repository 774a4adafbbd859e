"""The view of sampling: its numbers against the second implementation, what is cut, the draws, and what it says."""

import json
import re

import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, columns, expected_changes, labels, marked, part, send, tables, texts, written

import toymodel as tm
from toymodel.views import Sampling

SENTENCES = ["o gato subiu no", "o", "iu<eot> muro.", "o gato subiu no telhado.<eot>"]
START = {"text": "o gato subiu no", "temperature": 1.0, "top_k": 12, "top_p": 1.0, "n": 1000, "seed": 0}
CUT = {"sign": "–", "said": "cut"}
VOCAB = tm.run("o").vocab


def plain(text, temperature, top_k, top_p, n, seed):
    """Logits, probabilities, what is kept of them and the counts of n draws, with no help from toymodel."""
    steps = plain_model.forward(tm.toy_weights(), tm.encode(text), temperature=temperature)
    z, p = steps["logits"][-1], steps["probs"][-1]
    kept, counts = plain_model.kept(z, p, top_k, top_p), [0] * 12
    for number in np.random.RandomState(seed).random_sample(n):
        counts[plain_model.pick(kept, number)] += 1
    return z, p, np.array(kept), np.array(counts)


def assert_shows(view, **settings):
    """Every number, bar and word in the picture is what the second implementation makes of these settings."""
    assert {name: getattr(view, name) for name in view.controls} == settings
    z, p, kept, counts = plain(**settings)
    order, share = sorted(range(12), key=lambda i: -z[i]), counts / settings["n"]
    (grid,) = view.state["tables"]
    assert labels(grid) == [VOCAB[i] for i in order]
    assert columns(grid) == ["p", "kept", "drawn", "share", "logit"]
    assert grid["caption"][-1] == {"token": tm.run(settings["text"]).tokens[-1]}
    cut = (kept == 0) & (settings["temperature"] > 0)
    rows = written(np.array([p, kept, share, z]).T)
    cells = [[rows[i][0], "–" if cut[i] else rows[i][1], f"{counts[i]:,}", *rows[i][2:]] for i in order]
    assert texts(grid) == cells
    assert [row["cells"][1] == CUT for row in grid["rows"]] == [bool(cut[i]) for i in order]
    bars = [row["bars"] for row in grid["rows"]]
    np.testing.assert_allclose(bars, np.array([kept, share]).T[order], rtol=0, atol=0.000501)

    said = " ".join(map(part, view.state["sentence"]))
    if settings["temperature"] == 0:
        assert said == f"At temperature 0 top-k, top-p and the seed change nothing. Greedy: always {VOCAB[order[0]]}"
    else:
        left, mass, gap = 12 - sum(cut), p[~cut].sum(), max(abs(share - kept))
        mass, gap = written([[mass, gap]])[0]
        are = "is left, it holds" if left == 1 else "are left, they hold"
        rest = f"the largest difference between share and kept is {gap}."
        assert said == f"{left} of 12 tokens {are} {mass} of the probability; {rest}"
    shown = [view.state[name] for name in ("temperature", "top_k", "top_p", "seed")]
    T, top_p = written([[settings["temperature"], settings["top_p"]]])[0]
    assert shown == [T, str(settings["top_k"]), top_p, f"seed {settings['seed']}"]
    assert view.problem == ""


# ---- the numbers


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("temperature", [0, 0.3, 1, 3])
@pytest.mark.parametrize(("top_k", "top_p"), [(12, 1), (3, 1), (12, 0.5), (5, 0.75), (1, 1), (2, 0.05), (12, 0.95)])
def test_the_picture_of_a_new_view_is_that_of_the_formulas(text, temperature, top_k, top_p):
    settings = {"text": text, "temperature": temperature, "top_k": top_k, "top_p": top_p, "n": 100, "seed": 3}
    assert_shows(Sampling(**settings), **settings)


def test_to_begin_with_nothing_is_cut():
    assert_shows(Sampling(), **START)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Sampling(), dict(START)
    for moved in [
        *[{"temperature": 0.7}, {"top_k": 4}, {"seed": 1}, {"n": 1}, {"top_p": 0.6}, {"text": "o cão subiu no muro"}],
        *[{"n": 10_000}, {"temperature": 0.0}, {"top_k": 12}, {"temperature": 3.0, "top_p": 1.0, "n": 10, "seed": 7}],
    ]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)


def test_the_temperature_changes_neither_the_order_nor_a_logit():
    view = Sampling()
    order = labels(tables(view)["next"])
    for temperature in (0, 0.1, 0.5, 2, 3, 100):
        send(view, temperature=temperature)
        assert labels(tables(view)["next"]) == order
        assert 4 not in {k for _name, _j, k in marked(view.state["tables"], "changed")}


def test_more_draws_come_nearer_to_what_was_promised():
    gaps = []
    for n in (10, 100, 1000, 10_000):
        pairs = [row["bars"] for seed in range(5) for row in tables(Sampling(n=n, seed=seed))["next"]["rows"]]
        gaps.append(np.abs(np.diff(pairs)).mean())
    assert gaps == sorted(gaps, reverse=True) and gaps[0] > 10 * gaps[-1]


def test_more_than_all_tokens_are_all_tokens():
    assert texts(tables(Sampling(top_k=50))["next"]) == texts(tables(Sampling())["next"])


def test_the_html_is_the_table_of_draws_of_the_last_good_picture():
    view = Sampling(top_k=3, n=100, seed=5)
    send(view, text="xyz")
    drawn = tm.draws(tm.run("o gato subiu no"), 100, 5, 3, 1.0)
    assert view.fallback() == drawn._repr_html_()


# ---- what changed


def test_what_the_last_move_changed_is_marked_and_counted():
    view = Sampling()
    assert view.state["changes"] == "A dot will mark what your last move has changed."
    for moved in [{"seed": 1}, {"top_k": 3}, {"n": 10}, {"temperature": 0}, {"top_p": 0.5}, {"text": "o"}]:
        before = view.state["tables"]
        send(view, **moved)
        changed = marked(view.state["tables"], "changed")
        assert changed == set(expected_changes(before, view.state["tables"])), moved
        n = len({row for _name, row, _column in changed})
        assert view.state["changes"] == (f"What may follow: {n} of 12 rows changed." if n else "Nothing changed.")


def test_a_slider_is_compared_with_what_stood_there_before_it_began_to_move():
    view = Sampling()
    begins = view.state["tables"]
    for top_p in (0.95, 0.9, 0.85, 0.8, 0.75, 0.7):
        send(view, top_p=top_p)
        changed = marked(view.state["tables"], "changed")
        assert changed == set(expected_changes(begins, view.state["tables"])) != set()
    assert view.state["changes"] == "What may follow: 12 of 12 rows changed."
    send(view, top_p=1.0)
    assert not marked(view.state["tables"], "changed") and view.state["changes"] == "Nothing changed."


@pytest.mark.parametrize("moved", [{"top_k": 2}, {"top_p": 0.3}, {"seed": 5}], ids=str)
def test_at_temperature_0_it_is_true_that_these_change_nothing(moved):
    view = Sampling(temperature=0)
    send(view, **moved)
    assert view.state["changes"] == "Nothing changed."


def test_other_draws_change_no_probability():
    view = Sampling()
    send(view, seed=1)
    assert {k for _name, _j, k in marked(view.state["tables"], "changed")} == {2, 3}


# ---- bad input

BAD = {
    "unknown text": {"text": "xyz"},
    "no text": {"text": ""},
    "too long a text": {"text": "o" * 9},
    "a temperature below 0": {"temperature": -1.0},
    "a temperature that is no number": {"temperature": float("nan")},
    "no tokens to keep": {"top_k": 0},
    "no probability to keep": {"top_p": 0.0},
    "too much probability": {"top_p": 1.5},
    "a seed below 0": {"seed": -1},
}


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_told_and_the_last_good_picture_stays(what, move):
    bad, view = BAD[what], Sampling()
    before, html = json.dumps(view.state), view.fallback()
    call = {name: value for name, value in bad.items() if name in ("temperature", "top_k", "top_p", "seed")}
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.generate(bad.get("text", "o"), **call)
    with pytest.raises(ValueError, match=re.escape(str(refused.value))):
        Sampling(**bad)
    move(view, **bad)
    assert view.problem.startswith(str(refused.value)) and "What worked last" in view.problem
    assert json.dumps(view.state) == before and view.fallback() == html
    move(view, n=10)
    if "text" in bad:  # still bad
        assert view.problem.startswith(str(refused.value)) and json.dumps(view.state) == before
        move(view, text=START["text"])
    assert_shows(view, **START | {"n": 10})


@pytest.mark.parametrize("bad", [{"n": 500}, {"top_k": 1.5}, {"temperature": "hot"}, {"text": None}], ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Sampling()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        Sampling(**bad)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""
