"""The view of byte-pair encoding as it learns: the pairs, the words and the sentence of each merge."""

import json
import re
from collections import Counter
from itertools import pairwise

import pytest
from drawn import assign, labels, marked, part, send, texts

import toymodel as tm
from toymodel.views import Merges

SMALL = "low low low lower lower newer newer"


def assert_shows(view, corpus, merge):
    """The words as that many merges cut them, the pairs as one merge fewer leaves them, and what was made of them."""
    state, bpe = view.state, tm.train_bpe(corpus, 100)
    words = Counter(re.findall("␣[^␣]*|[^␣]+", " ".join(corpus.splitlines()).replace(" ", "␣")))
    made = "".join(bpe.merges[merge - 1][:2]) if merge else None
    splits = {word: tm.train_bpe(corpus, merge).split(word) for word in words}
    assert state["corpus"] == [[splits[word], f"× {n}"] for word, n in words.items()]
    assert state["made"] == made

    before = tm.train_bpe(corpus, max(merge - 1, 0))
    pairs = Counter(pair for word, n in words.items() for pair in [*pairwise(before.split(word))] * n)
    (grid,) = state["tables"]
    shown = [(left, *rest) for left, rest in zip(labels(grid), texts(grid), strict=True)]
    assert shown == [(left, right, str(n)) for (left, right), n in pairs.most_common(10)]
    assert marked([grid], "picked") == ({("pairs", 0, 1)} if merge else set())
    assert grid["caption"] == ["Most frequent before the merge" if merge else "Most frequent now"]

    vocabulary = len(set("".join(words))) + merge
    length = sum(n * len(splits[word]) for word, n in words.items())
    assert state["totals"] == f"Vocabulary: {vocabulary} tokens. Corpus: {length} tokens."
    assert state["merge"] == f"{merge} of {len(bpe.merges)}" and state["most"] == len(bpe.merges)
    said = " ".join(map(part, state["sentence"]))
    if merge:
        left, right, n = bpe.merges[merge - 1]
        assert said.startswith(f"{left} and {right} stood side by side {n} times") and said.endswith(f": {made}")
        assert shown[0] == (left, right, str(n))
    else:
        assert said.startswith("Before the first merge")


@pytest.mark.parametrize("merge", [0, 1, 2, 20, 89])
def test_each_merge_of_the_course_is_shown(merge):
    assert_shows(Merges(merge=merge), tm.corpus(), merge)


@pytest.mark.parametrize("move", [send, assign])
def test_the_picture_follows_the_slider_and_the_corpus(move):
    view, settings = Merges(), {"corpus": tm.corpus(), "merge": 0}
    assert_shows(view, **settings)
    for moved in [{"merge": 3}, {"corpus": SMALL}, {"merge": 9}, {"merge": 4}, {"corpus": "ana banana\nbandana"}]:
        settings |= moved
        move(view, **moved)
        assert_shows(view, **settings)
        assert view.problem == ""


@pytest.mark.parametrize(("merge", "nearest"), [(-1, 0), (10**6, 9)])
def test_a_merge_that_there_is_not_becomes_the_nearest(merge, nearest):
    view = Merges(corpus=SMALL, merge=merge)
    assert view.merge == nearest
    assert_shows(view, SMALL, nearest)
    send(view, corpus="ab ab", merge=5)
    assert view.merge == 1 and view.state["merge"] == "1 of 1"


@pytest.mark.parametrize("corpus", ["a", "o gato"])
def test_a_corpus_without_a_pair_that_occurs_twice_has_no_merges(corpus):
    view = Merges(corpus=corpus, merge=3)
    assert view.merge == 0 == view.state["most"] and len(view.state["tables"]) == (len(corpus) > 1)
    assert not marked(view.state["tables"], "picked") and "<table" in view.fallback()
    assert view.state["sentence"] == ["No pair stands side by side twice: there is nothing to merge."]
    assert view.state["corpus"][0][0] == list(corpus.split()[0]) and view.state["made"] is None


def test_a_move_takes_few_bytes():
    view = Merges()
    for merge in (1, 20, 89):
        send(view, merge=merge)
        assert len(json.dumps(view.state)) < 5_000
    many = " ".join(chr(0x4E00 + i) + "x" for i in range(1666))  # as many words as there is room for
    assert len(json.dumps(Merges(corpus=many, merge=1).state)) < 80_000


@pytest.mark.parametrize(
    ("corpus", "said"),
    [("", "the corpus is empty"), ("a␣b", "a corpus cannot hold `␣`"), ("a" * 5001, "room for 5000")],
)
def test_a_corpus_that_cannot_be_learned_from_is_told_and_the_last_good_picture_stays(corpus, said):
    view = Merges(merge=7)
    before = json.dumps(view.state)
    send(view, corpus=corpus)
    assert said in view.problem and "What worked last" in view.problem and json.dumps(view.state) == before
    send(view, corpus=SMALL)
    assert view.problem == ""
    assert_shows(view, SMALL, 7)


def test_tokens_of_any_language_are_not_said_to_be_portuguese():
    state = Merges(merge=2).state
    parts = [*state["sentence"], *state["tables"][0]["rows"][0]["cells"]]
    assert {it["lang"] for it in parts if isinstance(it, dict)} == {""}


def test_the_html_holds_the_pairs():
    html = Merges(corpus=SMALL, merge=2).fallback()
    assert re.findall("<td>(.*?)</td>", html)[:6] == ["lo", "w", "5", "␣", "lo", "4"]
