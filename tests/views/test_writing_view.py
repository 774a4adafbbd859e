"""The view of the loop that writes: its numbers, its buttons and picks, where it ends, and what it says."""

import json
import re

import numpy as np
import plain_model
import pytest
import traitlets
from drawn import assign, columns, labels, part, send, texts, written

import toymodel as tm
from toymodel.views import Writing

START = {"text": "o gato", "temperature": 0.0, "top_k": 12, "top_p": 1.0, "seed": 0, "chosen": []}
GREEDY = ["␣gato", "␣sub", "iu", "␣no", "␣telhado", ".", "<eot>"]
VOCAB = tm.run("o").vocab
CUT = {"sign": "–", "said": "cut"}


def ids_of(tokens):
    return [VOCAB.index(it) for it in tokens]


def step(ids, temperature, top_k, top_p):
    """The model's own probabilities after these ids, those that are drawn from, and the ids by likelihood."""
    own, moved = (plain_model.forward(tm.toy_weights(), ids, temperature=T) for T in (1, temperature))
    z, p = moved["logits"][-1], moved["probs"][-1]
    kept = plain_model.kept(z, p, top_k, top_p)
    return own["probs"][-1], np.array(kept), p, sorted(range(12), key=lambda i: -z[i])


def path(text, temperature, top_k, top_p, seed, chosen):
    """The tokens that the loop writes from here on, after those: the k-th random number draws the k-th."""
    new, numbers = ids_of(chosen), np.random.RandomState(seed).random_sample(9)
    while new[-1:] != [11] and len(tm.encode(text)) + len(new) < 9:
        kept = step([*tm.encode(text), *new], temperature, top_k, top_p)[1]
        new.append(plain_model.pick(kept, numbers[len(new)]))
    return [VOCAB[i] for i in new]


def assert_shows(view, **settings):
    """Every token, number, bar and word in the picture is what the second implementation makes of these settings."""
    assert {name: getattr(view, name) for name in view.controls} == settings
    text, chosen, state = settings["text"], settings["chosen"], view.state
    given, new = tm.encode(text), ids_of(settings["chosen"])
    assert state["tokens"] == [VOCAB[i] for i in given] + chosen and state["n"] == len(chosen)
    assert state["path"] == path(**settings)
    over = state["path"] == chosen
    assert bool(state["over"]) == over
    assert state["before"] == (chosen[:-1] if over else chosen)

    ids = [*given, *new]
    own, kept, p, order = step(ids[: len(ids) - over], settings["temperature"], settings["top_k"], settings["top_p"])
    (grid,) = state["next"]
    assert labels(grid) == state["order"] == [VOCAB[i] for i in order]
    assert grid["caption"][-1] == {"token": VOCAB[ids[-1 - over]]} and columns(grid) == ["p", "drawn from"]
    cut, rows = (kept == 0) & (p > 0), written(np.array([own, kept]).T)
    assert texts(grid) == [[rows[i][0], "–" if cut[i] else rows[i][1]] for i in order]
    assert [row["cells"][1] == CUT for row in grid["rows"]] == [bool(cut[i]) for i in order]
    bars = [row["bars"] for row in grid["rows"]]
    np.testing.assert_allclose(bars, np.array([own, kept]).T[order], rtol=0, atol=0.000501)
    assert [row["chosen"] for row in grid["rows"]] == [over and VOCAB[i] == chosen[-1] for i in order]

    said, product = "Nothing is written yet.", 1.0
    lines, total = [], 0.0
    for k, i in enumerate(new):
        p = step([*given, *new[:k]], 1, 12, 1)[0][i]
        product, total = product * p, total - np.log(p)
        lines.append([p, product, -np.log(p), total])
        p, so_far = written([[p, product]])[0]
        said = f"{VOCAB[i]} was written, p {p}. The product of all p so far: {so_far}."
    assert " ".join(map(part, state["sentence"])) == said
    if settings["temperature"] == 0:
        assert state["idle"] == "At temperature 0 top-k, top-p and the seed change nothing."
    else:
        assert state["idle"] == ("Another seed shows only after an Undo." if over else "")
    assert [(labels(it), texts(it)) for it in state["written"]] == ([(chosen, written(lines))] if lines else [])
    assert view.problem == ""


# the buttons, as writing.js has them


def write_next(view):
    send(view, chosen=view.state["path"][: len(view.chosen) + 1])


def undo(view):
    send(view, chosen=view.chosen[:-1])


def to_the_end(view):
    send(view, chosen=view.state["path"])


def choose(view, token):
    send(view, chosen=[*view.state["before"], view.state["order"][labels(*view.state["next"]).index(token)]])


def drawn(view):
    return [view.state[name] for name in ("path", "next", "written", "sentence")]


def test_what_it_says_of_idle_controls_is_true():
    view = Writing(chosen=["␣sub"])
    before = drawn(view)
    send(view, top_k=2, top_p=0.5, seed=5)
    assert drawn(view) == before
    view = Writing(text="o", temperature=1.0)
    to_the_end(view)
    before = drawn(view)
    send(view, seed=5)
    assert drawn(view) == before
    undo(view)
    last = view.state["path"][-1]
    assert {last} < {Writing(text="o", temperature=1.0, chosen=view.chosen, seed=k).state["path"][-1] for k in range(9)}


# ---- what is written is what generate writes

WAYS = [
    {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    for temperature, top_k, top_p in [
        (0, 12, 1),
        (0, 3, 0.5),
        (0.7, 12, 1),
        (1, 4, 1),
        (1, 12, 0.8),
        (3, 12, 1),
        (3, 6, 0.9),
    ]
    for seed in ([0] if temperature == 0 else [0, 1, 2])
]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("text", ["o", "o gato", "iu<eot> muro.", "o" * 8])
def test_token_by_token_and_to_the_end_it_writes_what_generate_writes(text, way):
    expected = [t.chosen for t in tm.generate(text, **way)]
    assert ids_of(expected) == plain_model.written(tm.toy_weights(), tm.encode(text), **way)
    view = Writing(text=text, **way)
    for k in range(1, len(expected) + 1):
        write_next(view)
        assert view.chosen == expected[:k]
    assert_shows(view, text=text, chosen=expected, **way)
    write_next(view)
    to_the_end(view)
    assert view.chosen == expected
    for k in range(len(expected) - 1, 0, -1):
        undo(view)
        assert view.chosen == expected[:k] and view.state["path"] == expected
    to_the_end(view)
    assert view.chosen == expected


def test_two_presses_before_the_picture_comes_are_two_tokens():
    """The browser knows the way to the end, and goes on from where it is itself."""
    view = Writing(text="o", temperature=1.0, seed=4)
    path = view.state["path"]
    send(view, chosen=path[:1])
    assert view.state["path"] == path


# ---- the picture


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_every_control(move):
    view, settings = Writing(), dict(START)
    assert_shows(view, **settings)
    for moved in [
        *[{"chosen": ["␣sub"]}, {"temperature": 1.0}, {"seed": 5}, {"top_k": 3}, {"chosen": ["␣sub", "␣chão"]}],
        *[{"top_p": 0.5}, {"chosen": ["<eot>"]}, {"temperature": 0.0}, {"chosen": []}, {"temperature": 3.0}],
        *[{"chosen": ["o", "o", "o", "o", "o", "o"]}, {"chosen": ["o", "o", "o", "o", "o", "o", "o"]}],
    ]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)


def test_what_was_written_keeps_when_the_dice_change_and_the_rest_is_drawn_anew():
    view = Writing(text="o", temperature=3.0)
    write_next(view)
    ways = set()
    for seed in range(6):
        send(view, seed=seed)
        assert_shows(view, **START | {"text": "o", "temperature": 3.0, "seed": seed, "chosen": view.state["path"][:1]})
        ways.add(tuple(view.state["path"]))
    assert len(ways) > 3


def test_a_token_chosen_by_hand_stands_in_the_text_and_the_loop_goes_on_after_it():
    view = Writing(text="o")
    write_next(view)
    choose(view, "␣no")
    choose(view, "␣sofá")
    assert_shows(view, **START | {"text": "o", "chosen": ["␣gato", "␣no", "␣sofá"]})
    undo(view)
    to_the_end(view)
    rest = [t.chosen for t in tm.generate("o gato no")]
    assert_shows(view, **START | {"text": "o", "chosen": ["␣gato", "␣no", *rest]})
    send(view, chosen=[])
    assert_shows(view, **START | {"text": "o"})


def test_after_a_choice_by_hand_the_next_number_of_the_seed_draws():
    settings = {"text": "o", "temperature": 3.0, "seed": 2}
    view = Writing(**settings)
    choose(view, "␣muro")
    assert_shows(view, **START | settings | {"chosen": ["␣muro"]})


def test_a_new_text_begins_with_nothing_written():
    view = Writing()
    to_the_end(view)
    send(view, text="o cão")
    assert_shows(view, **START | {"text": "o cão"})
    send(view, text="o", chosen=["␣cão"])  # both at once: as they are
    assert_shows(view, **START | {"text": "o", "chosen": ["␣cão"]})


def test_the_html_is_what_may_follow_and_what_is_drawn_from():
    view = Writing(temperature=2.0, top_p=0.6)
    write_next(view)
    send(view, text="xyz")
    own, kept, _p, order = step([*tm.encode("o gato"), *ids_of(view.chosen)], 2, 12, 0.6)
    numbers = [x for row in written(np.array([own, kept]).T[order]) for x in row]
    assert re.findall(r"<td>(.*?)</td>", view.fallback()) == ["–" if x == "0.000" else x for x in numbers]


# ---- the end


def test_it_ends_with_eot_and_another_choice_there_takes_the_end_back():
    view = Writing(text="o")
    to_the_end(view)
    assert view.chosen == GREEDY and view.state["over"] == "The end was chosen: `<eot>`."
    choose(view, "␣no")
    assert view.chosen == [*GREEDY[:-1], "␣no"] and view.state["over"] == ""
    assert_shows(view, **START | {"text": "o", "chosen": [*GREEDY[:-1], "␣no"]})


def test_it_ends_where_the_context_is_full():
    view = Writing(text="o" * 7)
    full = "8 of 8 tokens: the context is full; token 9 could be chosen but not read."
    for k, token in enumerate(["␣no", "o"], start=1):
        choose(view, token)
        assert view.state["over"] == (full if k == 2 else "")
    assert_shows(view, **START | {"text": "o" * 7, "chosen": ["␣no", "o"]})
    choose(view, "<eot>")
    assert view.chosen == ["␣no", "<eot>"] and view.state["over"] == "The end was chosen: `<eot>`."


# ---- bad input

BAD = [
    {"text": "xyz"},
    {"text": ""},
    {"text": "o" * 9},
    {"temperature": -1.0},
    {"temperature": float("inf")},
    {"top_k": 0},
    {"top_p": 0.0},
    {"seed": -1},
]


@pytest.mark.parametrize("move", [send, assign])
@pytest.mark.parametrize("bad", BAD, ids=str)
def test_bad_input_is_told_and_the_last_good_picture_stays(bad, move):
    view = Writing(chosen=["␣sub"])
    before, html = json.dumps(view.state), view.fallback()
    with pytest.raises(ValueError, match=r"\w") as refused:
        tm.generate(**{"text": "o gato"} | bad)
    with pytest.raises(ValueError, match=r"\w"):
        Writing(**bad)
    move(view, **bad)
    said = str(refused.value)
    assert view.problem == f"{said}{'' if said.endswith('.') else '.'} What worked last is still shown below."
    assert json.dumps(view.state) == before and view.fallback() == html
    assert all(getattr(view, name) == START[name] for name in bad if name != "text")
    move(view, text=START["text"], seed=1)
    move(view, seed=START["seed"])
    assert_shows(view, **START | {"chosen": ["␣sub"]})


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (["sub"], "'sub' is no token. Did you mean ␣sub?"),
        (["<eot>", "o"], "after <eot> nothing more is written."),
        (["o"] * 8, "the text has 10 tokens; the model's context holds 8."),
    ],
)
def test_tokens_that_cannot_have_been_written_are_refused(chosen, said):
    view = Writing()
    send(view, chosen=chosen)
    assert view.problem == f"{said} What worked last is still shown below."
    assert view.chosen == []  # as it is shown
    send(view, seed=1)
    assert_shows(view, **START | {"seed": 1})
    with pytest.raises(ValueError, match=re.escape(said)):
        Writing(chosen=chosen)


@pytest.mark.parametrize("bad", [{"chosen": [1]}, {"chosen": 1}, {"seed": 0.5}, {"text": None}], ids=str)
def test_what_a_control_cannot_hold_is_refused_and_nothing_changes(bad):
    view = Writing()
    before = json.dumps(view.state)
    with pytest.raises(traitlets.TraitError, match=next(iter(bad))):
        assign(view, **bad)
    assert json.dumps(view.state) == before and view.problem == ""
