"""tm.translation: its pairs, its calls with stored weights, and what it says of a text that it cannot read."""

import re

import numpy as np
import plain_encoder_decoder as plain
import pytest

import toymodel as tm

pytestmark = pytest.mark.filterwarnings("error")

PAIRS, HELD_OUT = tm.translation.pairs, tm.translation.held_out
VOCAB = tm.translation.run("the").vocab


def test_there_are_42_pairs_to_learn_and_9_that_are_held_out_of_known_words():
    assert (len(PAIRS), len(HELD_OUT), len(VOCAB)) == (42, 9, 33) and VOCAB[:2] == ("SOS", "EOS")
    assert not set(PAIRS) & set(HELD_OUT) and not dict(PAIRS).keys() & dict(HELD_OUT).keys()
    for side in (0, 1):
        learned, new = ({word for pair in pairs for word in pair[side].split()} for pairs in (PAIRS, HELD_OUT))
        assert new <= learned <= set(VOCAB)
    assert ("hello world", "hola mundo") in PAIRS and ("the white cat", "el gato blanco") in HELD_OUT
    assert ("the small house", "la casa pequeña") in PAIRS and ("star and cat", "estrella y gato") in HELD_OUT


def test_nouns_stand_with_their_gender_and_adjectives_behind_them():
    """The pairs by their grammar, written a second time."""
    nouns = {"cat": "gato", "dog": "perro", "house": "casa", "moon": "luna", "star": "estrella", "world": "mundo"}
    feminine = {"house", "moon", "star"}
    adjectives = {"white": "blanco", "black": "negro", "red": "rojo", "small": "pequeño"}
    for source, target in [*PAIRS, *HELD_OUT]:
        first, *rest = source.split()
        noun = source.split()[-1]
        if first == "the":
            she = noun in feminine
            behind = [adjectives[it][:-1] + "oa"[she] for it in rest[:-1]]
            assert target.split() == [["el", "la"][she], nouns[noun], *behind]
        elif first == "hello":
            assert target == f"hola {nouns[noun]}"
        else:
            assert source.split()[1] == "and" and target == f"{nouns[first]} y {nouns[noun]}"


def test_stored_weights_translate_all_of_them():
    for source, target in [*PAIRS, *HELD_OUT]:
        assert tm.translation.translate(source) == target
    assert tm.translation.score(PAIRS) == 42 and tm.translation.score(HELD_OUT) == 9


@pytest.mark.parametrize("source", ["the white cat", "hello hello", "moon", "and and and and and and and and"])
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_it_writes_what_the_formulas_find_the_likeliest(source, seed):
    weights = tm.translation.weights()
    if seed is not None:  # random ones babble
        random = np.random.RandomState(seed).standard_normal
        weights = {name: random(w.shape) for name, w in weights.items()}
    ids = plain.greedy(weights, [VOCAB.index(word) for word in source.split()], 0, 1)
    written = tm.translation.translate(source, weights)
    assert written == " ".join(VOCAB[i] for i in ids) and len(written.split()) <= 8


def test_a_target_may_be_spaced_or_composed_in_another_way_and_must_be_one_that_can_be_written():
    assert tm.translation.score([("the small cat", "el  gato pequen\u0303o ")]) == 1
    with pytest.raises(ValueError, match=r"^`pequenio` is not a word of this model"):
        tm.translation.score([("the small cat", "el gato pequenio")])
    with pytest.raises(ValueError, match=r"^pairs must be a list of two texts each"):
        tm.translation.score(["ab"])


@pytest.mark.parametrize("decay", [0.5, "off", None, 1, 0])
def test_weights_are_with_decay_or_without(decay):
    with pytest.raises(ValueError, match=r"^decay must be True or False, not "):
        tm.translation.weights(decay)


def test_stored_weights_are_a_fresh_copy():
    tm.translation.weights()["W_E"][:] = 0
    assert np.abs(tm.translation.weights()["W_E"]).max() > 0.3
    np.testing.assert_array_equal(tm.translation.run("the")["W_E"], tm.translation.weights()["W_E"])


def test_without_cross_attention_or_with_the_words_reversed_it_does_not_translate():
    weights = tm.translation.weights()
    off = weights | {"decoder.0.cross.W_O": np.zeros((16, 16))}
    assert tm.translation.score(PAIRS, off) <= 1 and tm.translation.score(HELD_OUT, off) == 0
    reverse = [(" ".join(reversed(source.split())), target) for source, target in [*PAIRS, *HELD_OUT]]
    assert tm.translation.score(reverse) <= 7


def test_where_it_fails():
    """Words that were never seen together: honestly wrong."""
    assert tm.translation.translate("the white world") != "el mundo blanco"
    assert tm.translation.translate("the white cat and the black dog") != "el gato blanco y el perro negro"


def test_a_run_has_the_start_before_its_target_and_nothing_before_its_source():
    t = tm.translation.run(" the  white\tcat ", "el gato")
    assert t.tokens == ["SOS", "el", "gato"] and t.settings == {"source": "the white cat", "temperature": 1.0}
    assert t.labels("source key", 3) == ("the", "white", "cat")
    assert tm.predictions(t).iloc[-1, 0] == "blanco" and t.model.decode(t.ids) == "el gato"
    assert [VOCAB[i] for i in t.next_ids] == ["el", "gato", "EOS"]
    assert tm.translation.run("small", "pequen\u0303o").tokens == ["SOS", "pequeño"]  # decomposed


KNOWN = r"Known words: hello world hola mundo the .* y$"


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("the cow", "", r"`cow` is not a word of this model\. " + KNOWN),
        ("The cat", "", r"`The` is not a word of this model\. " + KNOWN),
        ("the cat", "el gat", r"`gat` is not a word of this model\. " + KNOWN),
        ("the cat", "SOS el", r"`SOS` is not a word of this model\. " + KNOWN),
        ("the cat EOS", "", r"`EOS` is not a word of this model\. " + KNOWN),
        ("the\u200bcat", "", r"`the\\u200bcat` is not a word"),
        ("x" * 10_000, "", r"`x{40}…` is not a word"),
        ("", "el", r"the source is empty: write at least one word\. " + KNOWN),
        (" \n", "el", r"the source is empty: write at least one word\. "),
        ("the " * 9, "", r"the source has 9 words; it can have 8 at most\.$"),
        ("the cat", "el " * 10, r"the target has 10 words; it can have 8 at most\.$"),
        (None, "", r"this model translates: give it a source"),
        (["the", "cat"], "", r"the text must be a string, not list\.$"),
        ("the cat", 5, r"the text must be a string, not int\.$"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_is_known(source, target, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        tm.translation.run(source, target)
    if not target:
        with pytest.raises(ValueError, match=f"^{message}"):
            tm.translation.translate(source)


@pytest.mark.parametrize("weights", [5, {"W_E": np.zeros((2, 2))}, tm.toy_weights()])
def test_weights_of_another_model_are_refused(weights):
    for call in (tm.translation.run, tm.translation.translate):
        with pytest.raises(ValueError, match=r"^weights "):
            call("the cat", weights=weights)


def test_the_words_that_a_reader_needs_are_offered():
    assert set(tm.translation.__all__) == {"held_out", "pairs", "run", "score", "train", "translate", "weights"}
    assert re.search("English and in Spanish", tm.translation.__doc__)
