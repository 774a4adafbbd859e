"""Text to ids and back, and what is said of text that does not fit."""

import re
import time
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toymodel as tm
from toymodel.text.tokenizer import longest_match, text_of, token_id

VOCAB = tm.run("o").vocab


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("o gato subiu no", [0, 2, 4, 5, 1]),
        ("o gato subiu no telhado.<eot>", [0, 2, 4, 5, 1, 6, 10, 11]),
        ("o", [0]),
        (" no", [1]),
        (" muro", [7]),
        ("iuiu.o", [5, 5, 10, 0]),
        (np.str_("o gato"), [0, 2]),
    ],
)
def test_text_becomes_ids_and_comes_back_as_it_was(text, ids):
    assert tm.encode(text) == ids
    assert tm.decode(ids) == text


@settings(max_examples=300, deadline=None)
@given(st.lists(st.integers(0, 11), min_size=1, max_size=8))
def test_any_tokens_come_back_from_their_text(ids):
    assert tm.encode(tm.decode(ids)) == ids


@settings(max_examples=300, deadline=None)
@given(st.text(min_size=1) | st.text(alphabet=[*"".join(VOCAB), " "], min_size=1))
def test_any_text_comes_back_from_its_ids_or_is_refused_with_a_place_in_it(text):
    composed = unicodedata.normalize("NFC", text)
    try:
        assert tm.decode(tm.encode(text)) == composed
    except ValueError as error:
        place = int(re.search(r"at position (\d+)|see position (\d+)", str(error)).expand(r"\1\2"))
        assert f"U+{ord(composed[place]):04X}" in str(error)
        assert all(token in str(error) for token in VOCAB)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["a", "ab", "abc", "b", "c", "␣", "␣a", "é"]), min_size=1))
def test_the_longest_token_that_fits_is_taken(tokens):
    vocab = ["a", "ab", "abc", "b", "c", "␣", "␣a", "é"]
    text = "".join(tokens).replace("␣", " ")
    ids, place = longest_match(text, vocab), 0
    for i in ids:
        fitting = [token for token in vocab if text.startswith(token.replace("␣", " "), place)]
        assert vocab[i] == max(fitting, key=len)
        place += len(vocab[i])
    assert place == len(text)


@pytest.mark.parametrize("word", ["cão", "sofá", "chão"])
def test_an_accent_may_be_a_symbol_of_its_own(word):
    decomposed = unicodedata.normalize("NFD", f"o {word}")
    assert decomposed != f"o {word}"
    assert tm.encode(decomposed) == tm.encode(f"o {word}")


# text: (what is quoted, its position, the symbol's code points)
UNKNOWN = {
    "xyz": ("xyz", 0, "`x` (U+0078 LATIN SMALL LETTER X)"),
    "o xyz no": ("␣xyz", 2, "U+0078"),
    "o rato": ("␣rato", 2, "`r` (U+0072 LATIN SMALL LETTER R)"),
    "o gatoX": ("X", 6, "U+0058"),
    "o xy~z": ("␣xy~z", 4, "U+007E TILDE"),
    "o \u00e7aX9": ("␣\u00e7aX9", 5, "U+0039 DIGIT NINE"),
    "O gato": ("O", 0, "U+004F LATIN CAPITAL LETTER O"),
    "o Gato": ("␣Gato", 2, "U+0047"),
    "<EOT>": ("<EOT>", 0, "U+003C LESS-THAN SIGN"),
    "o na~o": ("␣na~o", 4, "U+007E TILDE"),
    "o na\u0303o": ("␣não", 2, "U+006E"),
    "\u0303o": ("\u0303o", 0, "U+0303 COMBINING TILDE"),
    "o\u200b gato": (r"\u200b", 1, "U+200B ZERO WIDTH SPACE"),
    "o\u00a0gato": (r"\u00a0gato", 1, "U+00A0 NO-BREAK SPACE"),
    "o\ufeff": (r"\ufeff", 1, "U+FEFF"),
    "o\n": (r"\u000a", 1, "U+000A"),
    "o\tgato": (r"\u0009gato", 1, "U+0009"),
    "o\r\n": (r"\u000d\u000a", 1, "U+000D"),
    "\0": (r"\u0000", 0, "U+0000"),
    " o": ("␣o", 1, "U+006F"),
    "o\u2423gato": ("␣gato", 1, "U+2423 OPEN BOX"),
    "o gato\U0001f44d\U0001f3fd": ("\U0001f44d\U0001f3fd", 6, "U+1F44D THUMBS UP SIGN + U+1F3FD"),
    "o \u2764\ufe0f": ("␣\u2764\ufe0f", 2, "U+2764 HEAVY BLACK HEART + U+FE0F VARIATION SELECTOR-16"),
    "\U0001f468\u200d\U0001f467.": (None, 0, "U+1F468 MAN + U+200D ZERO WIDTH JOINER + U+1F467 GIRL"),
    "\U0001f1f5\U0001f1f9": ("\U0001f1f5\U0001f1f9", 0, "U+1F1F5 REGIONAL INDICATOR SYMBOL LETTER P + U+1F1F9"),
    "\ud800": (r"\ud800", 0, "U+D800"),
}


@pytest.mark.parametrize("text", UNKNOWN, ids=ascii)
def test_unknown_text_is_refused_with_symbol_code_point_position_and_the_tokens_there_are(text):
    quoted, position, symbol = UNKNOWN[text]
    with pytest.raises(ValueError, match="not in the vocabulary") as refused:
        tm.encode(text)
    message = str(refused.value)
    assert quoted is None or message.startswith(f"`{quoted}` is not")
    assert f": see position {position}, `" in message and symbol in message
    assert message.endswith(" ".join(VOCAB))
    message.encode("utf-8")  # also where the text holds half a pair of surrogates


@pytest.mark.parametrize(
    ("text", "position"),
    [(" ", 0), ("  ", 0), ("o  gato", 1), ("o gato ", 6), ("o gato  subiu", 6), ("o.   ", 2), ("  o", 0)],
)
def test_a_space_too_many_is_told_with_its_place(text, position):
    with pytest.raises(
        ValueError, match=rf"^there is a space \(U\+0020\) too many, at position {position}\. "
    ) as refused:
        tm.encode(text)
    assert str(refused.value).endswith(f"Known tokens (␣ is a space): {' '.join(VOCAB)}")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *[("gato", "␣gato"), ("O", "o"), (" o", "o"), ("o Gato", "␣gato"), ("o GATO subiu", "␣gato")],
        *[("o cao", "␣cão"), ("o cão subIU", "iu"), ("CÃO", "␣cão"), ("o sofa", "␣sofá"), ("o chaõ", "␣chão")],
        *[("o telhádo", "␣telhado"), ("<EOT>", "<eot>"), ("ocão", "␣cão"), ("o iu", "iu")],
    ],
)
def test_a_token_is_suggested_where_only_spaces_accents_or_capitals_differ(text, meant):
    with pytest.raises(ValueError, match=rf"\)\. Did you mean `{re.escape(meant)}`\? Known tokens "):
        tm.encode(text)


@pytest.mark.parametrize("text", ["o rato", "gatos", "xyz", "o na~o", "o  gato", "o\u200b", "o ga to"])
def test_nothing_is_suggested_where_more_differs(text):
    with pytest.raises(ValueError, match="Known tokens") as refused:
        tm.encode(text)
    assert "Did you mean" not in str(refused.value)


def test_a_flag_is_two_code_points_and_the_next_flag_another_symbol():
    with pytest.raises(ValueError, match="position 0") as refused:
        tm.encode("\U0001f1f5\U0001f1f9\U0001f1e7\U0001f1f7")
    assert "U+1F1E7" not in str(refused.value)


def test_a_surrogate_is_not_called_a_control_character():
    with pytest.raises(ValueError, match=r"U\+D800") as refused:
        tm.encode("\ud800")
    assert "control" not in str(refused.value)


def test_empty_text_is_refused_with_the_tokens_there_are():
    with pytest.raises(ValueError, match=r"the text is empty.*o ␣no ␣gato"):
        tm.encode("")


@pytest.mark.parametrize("text", [None, 3, b"o", ["o"], np.array("o")])
def test_what_is_no_text_is_refused(text):
    with pytest.raises(ValueError, match="the text must be a string"):
        tm.encode(text)


@pytest.mark.parametrize(
    "text", ["x" * 10**6, "o" + "\u0301" * 10**6, " gato" * 2000 + "x" * 10**5], ids=["x", "´", "gato"]
)
def test_very_long_text_is_refused_quickly_and_in_a_short_sentence(text):
    start = time.process_time()
    with pytest.raises(ValueError, match="U\\+") as refused:
        tm.run(text)
    assert time.process_time() - start < 5
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("i", [12, -1, True, 1.0, None, "0", [0], 10**30, np.float64(1), np.True_], ids=repr)
def test_what_is_no_id_is_refused_with_the_ids_there_are(i):
    with pytest.raises(ValueError, match=r"no token id.*0 to 11"):
        tm.decode([0, i])


@pytest.mark.parametrize("ids", [None, 5, object(), np.array(2)], ids=["None", "5", "object", "array"])
def test_what_is_no_list_of_ids_is_refused(ids):
    with pytest.raises(ValueError, match="id"):
        tm.decode(ids)


@pytest.mark.parametrize("ids", [(0, 2), np.array([0, 2]), [np.int64(0), np.uint8(2)], range(0, 3, 2), iter([0, 2])])
def test_ids_of_any_whole_numbers_will_do(ids):
    assert tm.decode(ids) == "o gato"


def test_no_ids_are_no_text():
    assert text_of([], VOCAB) == ""


def test_a_token_is_found_by_the_way_it_is_shown():
    assert [token_id(token, VOCAB) for token in VOCAB] == list(range(12))


def test_a_space_that_was_typed_as_its_sign_is_named_for_both_look_alike():
    hint = r"U\+2423 OPEN BOX.*\. For a space, type a space, not its sign `␣`\. Known "
    for encode, text in [(tm.encode, "o␣gato"), (tm.encode, "␣gato"), (tm.train_bpe("o gato", 0).encode, "o␣gato")]:
        with pytest.raises(ValueError, match=hint) as refused:
            encode(text)
        assert "Did you mean" not in str(refused.value)


@pytest.mark.parametrize("almost", ["gato", " gato", "  gato"])
def test_a_token_without_its_space_sign_is_suggested_with_it(almost):
    with pytest.raises(ValueError, match="Did you mean ␣gato"):
        token_id(almost, VOCAB)


def test_a_token_may_come_with_its_accents_decomposed():
    assert token_id(unicodedata.normalize("NFD", "␣cão"), VOCAB) == 3
