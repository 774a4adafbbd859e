"""The view of four tokenizers: their tokens, ids and counts, and that one's refusal leaves the others alone."""

import json
import unicodedata

import pytest
from drawn import assign, expected_changes, labels, marked, send, texts

import toymodel as tm
from toymodel.views import Tokenizers

TEXTS = ["o gato subiu no telhado.", "the dogs sleep", "o", "sdsfs_ff", "<unk>", "O Gato 👍", "não  ", "  "]


def expected(text, merges):
    """For each way its name, vocabulary and ids, or the sentence of refusal."""
    bpe = tm.train_bpe(tm.corpus(), merges)
    ways = {"Words": tm.Words(tm.corpus()), "Characters": tm.train_bpe(tm.corpus(), 0)}
    for name, way in {**ways, "The toy's vocabulary": tm, "Byte-pair encoding": bpe}.items():
        vocab = tm.run("o").vocab if way is tm else way.vocab
        try:
            ids, note = way.encode(text), ""
            if not ids:
                note = "No tokens."
            elif way.decode(ids) != unicodedata.normalize("NFC", text):
                note = f"From these ids comes another text: `{way.decode(ids)}`"
        except ValueError as error:
            ids, note = None, f"Refused: {error}"
        yield name, vocab, ids, note


def assert_shows(view, text, merges):
    (grid,) = view.state["tables"]
    wanted = list(expected(text, merges))
    assert labels(grid) == [name for name, *_rest in wanted]
    assert texts(grid) == [
        ["" if ids is None else str(len(ids)), str(len(vocab))] for _name, vocab, ids, _note in wanted
    ]
    for way, (name, vocab, ids, note) in zip(view.state["ways"], wanted, strict=True):
        assert way["name"] == name and way["note"] == note
        assert way["ids"] == (ids or []) and way["tokens"] == [vocab[i] for i in ids or []]
    assert view.state["merges"] == ("1 merge" if merges == 1 else f"{merges} merges")


# Ids counted by hand, with 3 merges. Words: in the order of meeting them, after <unk>. Characters: , . ? _, the letters
# that the corpus has from a to z, á ã ç é, ␣; then come the merges ␣ + t, ␣t + h, ␣th + e.
BY_HAND = {
    "the cat": [
        ("Words", ["the", "cat"], [7, 8]),
        ("Characters", ["t", "h", "e", "␣", "c", "a", "t"], [23, 11, 8, 34, 6, 4, 23]),
        ("The toy's vocabulary", [], []),
        ("Byte-pair encoding", ["t", "h", "e", "␣", "c", "a", "t"], [23, 11, 8, 34, 6, 4, 23]),
    ],
    "o gato the ã": [
        ("Words", ["o", "gato", "the", "<unk>"], [1, 2, 7, 0]),
        ("Characters", list("o␣gato␣the␣ã"), [18, 34, 10, 4, 23, 18, 34, 23, 11, 8, 34, 31]),
        ("The toy's vocabulary", [], []),
        ("Byte-pair encoding", [*"o␣gato", "␣the", *"␣ã"], [18, 34, 10, 4, 23, 18, 37, 34, 31]),
    ],
}


@pytest.mark.parametrize("text", BY_HAND)
def test_tokens_and_ids_are_those_counted_by_hand(text):
    ways = Tokenizers(text=text, merges=3).state["ways"]
    assert [(way["name"], way["tokens"], way["ids"]) for way in ways] == BY_HAND[text]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("merges", [0, 1, 50])
def test_every_tokenizer_shows_its_tokens_and_ids_or_why_it_has_none(text, merges):
    assert_shows(Tokenizers(text=text, merges=merges), text, merges)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_text_and_merges_and_marks_what_changed(move):
    view, settings = Tokenizers(), {"text": TEXTS[0], "merges": 50}
    assert_shows(view, **settings)
    assert view.state["changes"] == "A dot will mark what your last move has changed."
    for moved in [{"merges": 0}, {"text": "the dog"}, {"merges": 20}, {"text": "xyz"}, {"merges": 1}]:
        before, settings = view.state["tables"], settings | moved
        move(view, **moved)
        assert_shows(view, **settings)
        assert marked(view.state["tables"], "changed") == set(expected_changes(before, view.state["tables"]))


def test_one_refusal_leaves_the_other_tokenizers_alone():
    view = Tokenizers(text="the dog")
    assert [bool(way["tokens"]) for way in view.state["ways"]] == [True, True, False, True] and view.problem == ""


def test_an_empty_text_has_no_tokens_and_each_says_so_in_its_way():
    view = Tokenizers()
    send(view, text="")
    assert_shows(view, "", 50)
    assert not any(way["tokens"] for way in view.state["ways"]) and view.problem == ""
    words, *others = view.state["ways"]
    assert words["note"] == "No tokens." and texts(view.state["tables"][0])[0] == ["0", "62"]
    assert all(way["note"].startswith("Refused: the text is empty") for way in others)


@pytest.mark.parametrize(("merges", "nearest"), [(-1, 0), (10**6, 89)])
def test_merges_that_there_are_not_become_the_nearest(merges, nearest):
    view = Tokenizers(merges=merges)
    assert view.merges == nearest
    assert view.state["most"] == 89 == len(tm.train_bpe(tm.corpus(), 10**6).merges)


def test_too_long_a_text_is_told_and_the_last_good_picture_stays():
    view = Tokenizers()
    before = json.dumps(view.state)
    send(view, text="o" * 301)
    assert view.problem.startswith("the text has 301 symbols; there is room for 300.")
    assert json.dumps(view.state) == before
    send(view, text="o" * 300)
    assert_shows(view, "o" * 300, 50)


def test_the_html_holds_every_token():
    html = Tokenizers(text="o <unk> não").fallback()
    for way in Tokenizers(text="o <unk> não").state["ways"]:
        line = " ".join(way["tokens"]).replace("<", "&lt;").replace(">", "&gt;")
        assert line in html and way["name"] in html
