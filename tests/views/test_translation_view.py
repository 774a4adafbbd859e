"""The view of a translation: it learns as `train` does, and shows what a run with the weights of that step gives."""

import numpy as np
import pytest
from drawn import assign, columns, labels, send, texts, written

import toymodel as tm
from toymodel.models.encoder_decoder import END
from toymodel.views import Translation

pytestmark = pytest.mark.filterwarnings("error")

CROSS, LAST = "decoder.0.cross.pattern", 1500


@pytest.fixture(scope="module")
def learned():
    """A view that has learned to the end, as the front end makes it: a slice for each answer."""
    view = Translation()
    send(view, running=True)
    for asked in range(1, LAST // 50 + 1):
        assert view.running and view.state["press"] == "Stop" and view.state["trained"] == (asked - 1) * 50
        send(view, asked=asked)
    return view


def words(parts):
    return [it if isinstance(it, str) else it["token"] for it in parts]


def assert_shows(view, weights, source, part="cross", head=1):
    """What a run with these weights gives, from calls that the view does not make in this way."""
    target = tm.translation.translate(source, weights)
    t = tm.translation.run(source, target, weights)
    ends = len(target.split()) < 8 or t["logits"][-1].argmax() == t.vocab.index(END)
    feet = [*target.split(), END] if ends else target.split()
    assert words(view.state["sentence"]) == [f"After {view.n} steps:", *source.split(), "→", *feet]
    key = {"cross": CROSS, "decoder": "decoder.0.self.pattern", "encoder": "encoder.0.self.pattern"}[part]
    rows = t[key][head][: len(source.split()) if part == "encoder" else len(feet), :]
    rows = rows[:, : len(feet)] if part == "decoder" else rows
    ribbons, table = view.state["ribbons"], view.state["weights"]
    np.testing.assert_allclose(ribbons["rows"], rows, atol=0.0005)
    np.testing.assert_allclose(np.sum(ribbons["rows"], axis=1), 1, atol=0.005)
    assert texts(table) == written(rows)
    above = [*t.tokens[: len(feet)]] if part == "decoder" else source.split()
    assert words(ribbons["above"]) == columns(table) == above
    assert [it["token"] for it, _note in ribbons["below"]] == (source.split() if part == "encoder" else feet)
    best = [f"{above[row.argmax()]} {row.max():.3f}" for row in rows]
    assert [note for _it, note in ribbons["below"]] == best
    assert view.problem == ""


def test_it_begins_with_random_weights_that_babble():
    view = Translation()
    weights = next(tm.translation.train(tm.translation.pairs)).weights
    assert view.state["press"] == "Start" and not view.running and view.n == 0
    assert_shows(view, weights, "the white cat")
    assert words(view.state["sentence"])[5:] != ["el", "gato", "blanco", "EOS"]


def test_when_all_is_learned_what_it_never_saw_comes_out_right(learned):
    assert not learned.running and learned.state["full"].startswith("All 1,500 steps are done")
    assert len(learned.trained.losses) == LAST + 1 and sorted(learned.trained.weights) == list(range(0, LAST + 1, 50))
    for source, target in tm.translation.held_out:
        learned.text = source
        assert words(learned.state["sentence"])[2 + len(source.split()) :] == [*target.split(), "EOS"]
    learned.text = "the white cat"
    assert_shows(learned, tm.translation.weights(), "the white cat")


def test_ribbons_cross_where_the_order_of_words_does(learned):
    gato, blanco = (learned.state["ribbons"]["rows"][row] for row in (1, 2))
    assert np.argmax(gato) == 2 and np.argmax(blanco) == 1  # gato reads cat, blanco reads white


@pytest.mark.parametrize("head", [0, 1])
@pytest.mark.parametrize("part", ["cross", "decoder", "encoder"])
def test_every_head_of_every_attention_can_be_seen(learned, part, head):
    assign(learned, part=part, head=head)
    assert_shows(learned, tm.translation.weights(), "the white cat", part, head)
    if part == "decoder":  # masked: nothing is read of what comes later
        assert np.triu(learned.state["ribbons"]["rows"], 1).max() == 0
    assign(learned, part="cross", head=1)


def test_a_weight_is_picked_and_written_out(learned):
    for word, key in [(0, 0), (3, 2), (-1, 1)]:
        send(learned, word=word, key=key)
        t = learned.trace
        row = word % len(learned.written)
        value = t[CROSS][1, row, key]
        place = words(learned.state["sum"]["place"])
        assert place[0] == f"{CROSS}:" and place[-1] == f"= {value:.3f}"
        assert learned.state["weights"]["rows"][row]["picked"] == [key] and learned.state["ribbons"]["picked"] == row
        p = tm.ranking(t, row)["p"].head(5)
        assert labels(learned.state["next"][0]) == list(p.index)
    send(learned, word=1, key=2)


def test_each_step_can_be_looked_at_and_what_changed_is_marked(learned):
    for n, looked_at in [(100, 100), (137, 100), (0, 0), (1500, 1500)]:
        send(learned, n=n)
        assert learned.n == looked_at and learned.state["curve"]["at"][0] == looked_at
        assert_shows(learned, learned.trained.weights[looked_at], "the white cat")
    send(learned, n=1450)
    before = texts(learned.state["weights"])
    send(learned, n=1300)
    for row, old, new in zip(learned.state["weights"]["rows"], before, texts(learned.state["weights"]), strict=True):
        assert row.get("changed", []) == [k for k, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    send(learned, n=1500)


def test_what_is_picked_stays_picked_while_shorter_translations_come_and_go(learned):
    send(learned, word=3, text="cat")
    assert learned.word == 3 and learned.state["ribbons"]["picked"] == len(learned.written) - 1 < 3
    send(learned, text="the white cat")
    assert learned.state["ribbons"]["picked"] == 3
    send(learned, word=1)


def test_without_weight_decay_or_with_another_seed_it_begins_anew():
    view = Translation(n=50)
    for moved in [{"weight_decay": False}, {"seed": 1}, {"restarts": 1}]:
        view.n = 50
        was = view.trained
        send(view, **moved)
        assert view.trained is not was and view.n == 0 and view.state["trained"] == 0
        assert view.state["said"] == "Begun anew: the weights are random again. Press Start."
    expected = list(tm.translation.train(tm.translation.pairs, 1500, 1, 0.0).__next__().weights.values())
    for made, again in zip(view.trained.weights[0].values(), expected, strict=True):
        np.testing.assert_array_equal(made, again)


@pytest.mark.parametrize(
    ("text", "told"),
    [("the mouse", "`mouse` is not a word"), ("", "is empty"), ("the " * 9, "has 9 words; it can have 8 at most")],
)
def test_a_text_that_cannot_be_read_is_told_and_the_last_picture_stays(learned, text, told):
    before = learned.state
    send(learned, text=text)
    assert told in learned.problem and learned.state == before
    send(learned, text="the white cat")
    assert learned.problem == ""


def test_words_have_their_language(learned):
    said = [(it["token"], it["lang"]) for it in learned.state["sentence"] if isinstance(it, dict)]
    english, spanish = [(it, "en") for it in ("the", "white", "cat")], [(it, "es") for it in ("el", "gato", "blanco")]
    assert said == [*english, *spanish, ("EOS", "")]


@pytest.mark.parametrize("seed", range(10))
def test_whatever_random_weights_write_is_shown(seed):
    """Some write SOS, which is no word that one can type."""
    view = Translation(seed=seed)
    first = next(tm.translation.train(tm.translation.pairs, seed=seed)).weights
    written = tm.translation.written("the white cat", first)
    assert view.problem == "" and words(view.state["sentence"])[5:] == written
    assert [view.trace.vocab[i] for i in view.trace["probs"].argmax(axis=1)] == written


def test_what_may_be_written_next_stands_only_where_a_row_writes(learned):
    assign(learned, part="encoder", word=2)
    assert learned.state["next"] == [] and words(learned.state["reads"])[:2] == ["cat", "reads:"]
    assign(learned, part="decoder", word=2)
    assert words(learned.state["next"][0]["caption"])[-1] == "gato"
    assert words(learned.state["reads"])[:3] == ["The row that writes", "blanco", "reads:"]
    assign(learned, part="cross", word=1)
