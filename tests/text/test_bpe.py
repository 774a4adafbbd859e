"""Byte-pair encoding: what it learns, beside a slow training written down another way; text to tokens and back."""

import re
import unicodedata
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toymodel as tm
from toymodel.text.bpe import merged
from toymodel.text.tokenizer import longest_match

corpora = st.text(alphabet="ab \n", min_size=1) | st.text(alphabet="aãbc. ", min_size=1) | st.text(min_size=1)
corpora = corpora.filter(lambda text: "␣" not in text and text.splitlines() not in ([], [""]))


def pairs_of(merges):
    return [(left, right) for left, right, _count in merges]


# ---- what is learned


def slow_training(corpus, n_merges):
    """The merges, from the whole corpus counted anew for each: strings, with a mark between tokens, and no words."""
    text = " ".join(unicodedata.normalize("NFC", corpus).splitlines()).replace(" ", "␣")
    tokens, merges = list(text), []
    for _merge in range(n_merges):
        neighbours = [(a, b) for a, b in pairwise(tokens) if not b.startswith("␣")]
        if not neighbours:
            break
        ((left, right), n) = Counter(neighbours).most_common(1)[0]
        if n < 2:
            break
        merges.append((left, right, n))
        place = 0
        while place < len(tokens) - 1:
            if tokens[place : place + 2] == [left, right]:
                tokens[place : place + 2] = [left + right]
            place += 1
    return merges, tokens


@settings(max_examples=300, deadline=None)
@given(corpora, st.integers(0, 30))
def test_the_merges_are_those_of_a_slow_training(corpus, n_merges):
    bpe = tm.train_bpe(corpus, n_merges)
    merges, tokens = slow_training(corpus, n_merges)
    assert bpe.merges == merges
    assert [it for word in re.findall("␣[^␣]*|[^␣]+", "".join(tokens)) for it in bpe.split(word)] == tokens


def test_the_merges_of_the_course_are_those_of_a_slow_training():
    assert tm.train_bpe(tm.corpus(), 1000).merges == slow_training(tm.corpus(), 1000)[0]


# Counted on paper.
BY_HAND = {
    "low low low lower lower newer newer": [
        *[("l", "o", 5), ("lo", "w", 5), ("␣", "low", 4), ("e", "r", 4), ("␣low", "er", 2), ("␣", "n", 2)],
        *[("␣n", "e", 2), ("␣ne", "w", 2), ("␣new", "er", 2)],
    ],
    "ana banana bandana": [("a", "n", 5), ("an", "a", 3), ("␣", "b", 2), ("␣b", "an", 2)],
    "aaaa": [("a", "a", 3)],  # three pairs, of which two can be merged, and then one
    "ab ab": [("a", "b", 2)],  # the space is before the second only
    "a a a": [("␣", "a", 2)],
    "ab": [],
}


@pytest.mark.parametrize("corpus", BY_HAND)
def test_the_merges_are_those_counted_on_paper(corpus):
    assert tm.train_bpe(corpus, 100).merges == BY_HAND[corpus]


@pytest.mark.parametrize(
    ("corpus", "first"),
    [
        ("ab cd ab cd", ("a", "b")),
        ("cd ab ab cd", ("c", "d")),
        ("xab ab xcd cd", ("a", "b")),
        ("ba ab ab ba", ("b", "a")),
    ],
)
def test_of_equally_frequent_pairs_the_one_met_first_is_taken(corpus, first):
    assert pairs_of(tm.train_bpe(corpus, 1).merges) == [first]


def test_many_equally_frequent_pairs_in_one_long_word_take_no_square_of_time(monkeypatch):
    """Every symbol occurs twice: each of 2,499 pairs is as frequent as any other, at every merge."""
    symbols, looked_at = "".join(chr(0x4E00 + i) for i in range(2500)), 0

    def counted(tokens):
        nonlocal looked_at
        for pair in pairwise(tokens):
            looked_at += 1
            assert looked_at < 3 * 5000 * 101, "the word at most three times, at the beginning and for each merge"
            yield pair

    monkeypatch.setattr("toymodel.text.bpe.pairwise", counted)
    merges = tm.train_bpe(symbols * 2, 100).merges
    assert pairs_of(merges) == [(symbols[: k + 1], symbols[k + 1]) for k in range(100)]


def test_no_merge_goes_beyond_a_word_and_a_line_end_is_a_space():
    bpe = tm.train_bpe("ab\nab\r\nab ab", 100)
    assert bpe.vocab == ("a", "b", "␣", "ab", "␣ab") and bpe.words == {"ab": 1, "␣ab": 3}


@settings(max_examples=200, deadline=None)
@given(corpora, st.integers(0, 20))
def test_the_first_merges_are_what_fewer_would_have_been(corpus, k):
    bpe, fewer = tm.train_bpe(corpus, 20), tm.train_bpe(corpus, k)
    assert bpe.with_merges(k).merges == fewer.merges and bpe.with_merges(k).vocab == fewer.vocab
    assert len(set(bpe.vocab)) == len(bpe.vocab)
    counts = bpe.with_merges(k).pair_counts().most_common(1)
    if k < len(bpe.merges):
        assert counts == [(tuple(bpe.merges[k][:2]), bpe.merges[k].count)]  # also where pairs are equally frequent
    elif k < 20:
        assert not counts or counts[0][1] == 1


@settings(max_examples=200, deadline=None)
@given(corpora)
def test_a_word_is_cut_by_the_merges_one_after_the_other(corpus):
    bpe = tm.train_bpe(corpus, 20)
    for word in bpe.words:
        tokens = list(word)
        for left, right, _count in bpe.merges:
            tokens = merged(tokens, left, right)
        assert bpe.split(word) == tokens


@pytest.mark.parametrize(
    ("tokens", "made"),
    [("aaa", ["aa", "a"]), ("aaaa", ["aa", "aa"]), ("baab", ["b", "aa", "b"]), ("ba", ["b", "a"]), ("", [])],
)
def test_neighbours_are_merged_from_left_to_right(tokens, made):
    assert merged(list(tokens), "a", "a") == made


def test_longest_match_with_the_same_vocabulary_may_cut_in_another_way():
    bpe = tm.train_bpe("do do do under under", 5)
    assert bpe.tokens("do undo") == ["do", "␣un", "do"]
    assert [bpe.vocab[i] for i in longest_match("do undo", bpe.vocab)] == ["do", "␣und", "o"]


# ---- there and back

BPE = tm.train_bpe(tm.corpus(), 60)
LETTERS = "".join(BPE.alphabet).replace("␣", " ")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=LETTERS, min_size=1), st.integers(0, 60))
def test_every_text_over_the_alphabet_comes_back(text, k):
    bpe = BPE.with_merges(k)
    assert bpe.decode(bpe.encode(text)) == text
    assert "".join(bpe.tokens(text)).replace("␣", " ") == text


@settings(max_examples=300, deadline=None)
@given(st.text(min_size=1) | st.text(alphabet=LETTERS + "é\u0303XA🇵", min_size=1))
def test_any_text_comes_back_or_is_refused_with_symbol_code_point_and_position(text):
    composed = unicodedata.normalize("NFC", text)
    try:
        assert BPE.decode(BPE.encode(text)) == composed
    except ValueError as error:
        place = int(re.search(r"see position (\d+)", str(error))[1])
        assert f"U+{ord(composed[place]):04X}" in str(error) and composed[place] not in LETTERS
        assert set(composed[:place]) <= set(LETTERS)
        str(error).encode("utf-8")


@settings(max_examples=100, deadline=None)
@given(corpora, st.integers(0, 30))
def test_a_corpus_comes_back_from_what_was_learned_from_it(corpus, n_merges):
    bpe = tm.train_bpe(corpus, n_merges)
    text = " ".join(unicodedata.normalize("NFC", corpus).splitlines())
    assert bpe.decode(bpe.encode(text)) == text


@pytest.mark.parametrize(
    ("text", "position", "symbol"),
    [
        ("o Gato", 2, "`G` (U+0047 LATIN CAPITAL LETTER G)"),
        ("o gato 👍🏽", 7, "`👍🏽` (U+1F44D THUMBS UP SIGN + U+1F3FD EMOJI MODIFIER FITZPATRICK TYPE-4)"),
        ("o\u200bgato", 1, r"`\u200b` (U+200B ZERO WIDTH SPACE)"),
        ("o\tgato", 1, r"`\u0009` (U+0009)"),
        ("o␣gato", 1, "`␣` (U+2423 OPEN BOX)"),
        ("cao\u0308", 2, "`ö` (U+00F6 LATIN SMALL LETTER O WITH DIAERESIS)"),
        ("\ud800", 0, r"`\ud800` (U+D800)"),
    ],
    ids=ascii,
)
def test_a_symbol_that_the_corpus_lacks_is_refused_with_its_place_and_the_alphabet(text, position, symbol):
    with pytest.raises(ValueError, match="the corpus has no") as refused:
        BPE.encode(text)
    assert str(refused.value).startswith(f"the corpus has no {symbol}: see position {position}. ")
    assert "Known symbols" in str(refused.value)
    assert str(refused.value).endswith(" ".join(BPE.alphabet))


@pytest.mark.parametrize("word", ["não", "sofá", "preguiçosa"])
def test_accents_may_be_symbols_of_their_own_in_text_and_corpus(word):
    apart = unicodedata.normalize("NFD", word)
    assert apart != word
    assert BPE.encode(apart) == BPE.encode(word)
    assert tm.train_bpe(unicodedata.normalize("NFD", tm.corpus()), 60).merges == BPE.merges


def test_empty_text_is_refused_and_no_ids_are_no_text():
    with pytest.raises(ValueError, match=r"the text is empty.*Known symbols"):
        BPE.encode("")
    assert BPE.decode([]) == ""


@pytest.mark.parametrize("text", [None, 3, b"o", ["o"]])
def test_what_is_no_text_is_refused(text):
    for refuse in (BPE.encode, tm.Words("o").encode, tm.Words, lambda text: tm.train_bpe(text, 1)):
        with pytest.raises(ValueError, match="the text must be a string"):
            refuse(text)


@pytest.mark.parametrize("ids", [None, [-1], [True], [10**9]], ids=str)
def test_what_are_no_ids_is_refused(ids):
    for decode in (BPE.decode, tm.Words("o").decode):
        with pytest.raises(ValueError, match="id"):
            decode(ids)


@pytest.mark.parametrize(
    ("corpus", "said"), [("", "is empty"), ("\n", "is empty"), ("a␣b", r"`␣` \(U\+2423")], ids=ascii
)
def test_a_corpus_that_teaches_nothing_or_could_not_come_back_is_refused(corpus, said):
    with pytest.raises(ValueError, match=said):
        tm.train_bpe(corpus, 1)


@pytest.mark.parametrize("n", [-1, True, 1.0, "1", None], ids=repr)
def test_what_is_no_number_of_merges_is_refused(n):
    for refuse in (lambda: tm.train_bpe("ab", n), lambda: BPE.with_merges(n)):
        with pytest.raises(ValueError, match="n_merges must be a whole number from 0 up"):
            refuse()


# ---- whole words


def test_words_and_signs_are_tokens_and_all_others_are_one():
    words = tm.Words("the dog, the cat\nnão_2 dog")
    assert words.vocab == ("<unk>", "the", "dog", ",", "cat", "não_2")
    assert words.encode("the dogs, na\u0303o_2 Dog\tcat!") == [1, 0, 3, 5, 0, 4, 0]
    assert words.tokens("the dogs") == ["the", "<unk>"] and words.decode([1, 0]) == "the <unk>"
    assert words.encode("") == [] == words.tokens("") and words.decode([]) == ""


# ---- the corpus


def test_each_sentence_of_the_corpus_has_its_translation_and_all_that_the_lesson_needs():
    lines = tm.corpus().splitlines()
    assert len(lines) % 2 == 0 and all(re.fullmatch("[^ .?].*[.?]", line) for line in lines)
    assert tm.corpus() == unicodedata.normalize("NFC", tm.corpus()).strip() + "\n"
    assert {*"sdsfs_ff", *"abcdefghijklmnopqrstuvwxyz"} <= {*tm.corpus()}
