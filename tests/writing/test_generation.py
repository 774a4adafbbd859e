"""Writing on, one token at a time."""

import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.writing.generation import all_likeliest, next_id

LEVEL = {name: 0 * w for name, w in tm.toy_weights().items()}  # with these, all tokens are equally likely

pytestmark = pytest.mark.filterwarnings("error")


def written(text="o", **settings):
    return [t.chosen for t in tm.generate(text, **settings)]


def test_greedy_generation_writes_the_sentence_and_stops_at_eot():
    traces = list(tm.generate("o", temperature=0))
    assert [t.chosen for t in traces] == ["␣gato", "␣sub", "iu", "␣no", "␣telhado", ".", "<eot>"]
    assert tm.decode(traces[-1].ids) == "o gato subiu no telhado."
    assert [len(t.ids) for t in traces] == [1, 2, 3, 4, 5, 6, 7]


def test_each_trace_is_that_of_a_run_and_ends_with_what_was_chosen_before():
    settings = {"n_heads": 4, "causal": False, "temperature": 0.7, "weights": plain_model.random_weights(0)}
    before = None
    for t in tm.generate("o gato", seed=3, **settings):
        run = tm.run(tm.decode(t.ids), **settings)
        assert t.settings == run.settings
        np.testing.assert_array_equal(t["probs"], run["probs"])
        assert before is None or t.tokens == [*before.tokens, before.chosen]
        before = t


def test_greedy_generation_says_the_same_ten_times_whatever_the_seed():
    assert all(written(temperature=0, seed=seed) == written() for seed in range(10))


def test_a_temperature_too_small_to_divide_by_is_greedy():
    assert written(temperature=1e-310) == written(temperature=0)
    assert next(tm.generate("o", temperature=1e-310)).settings["temperature"] == 0


def test_ties_go_to_the_lowest_id():
    assert written(weights=LEVEL, temperature=0) == ["o"] * 8
    tied = tm.run("o", replace={"logits": [[0, 1, 3, 2, 3, 3, 0, 0, 0, 0, 0, 3]]}, temperature=0)
    assert next_id(tied, None) == 2


def test_logits_that_differ_in_their_last_bits_are_a_tie_and_larger_differences_are_none():
    for nearly, chosen in [(1 + 1e-12, 3), (1 + 1e-8, 8)]:
        logits = np.zeros((1, 12))
        logits[0, [3, 8]] = 1, nearly
        t = tm.run("o", temperature=0, replace={"logits": logits})
        first = t.vocab[next_id(t, None)]
        assert first == t.vocab[chosen] == tm.ranking(t).index[0] == tm.predictions(t)["next"].iloc[0]


def test_a_seed_repeats_its_text_and_seeds_differ():
    texts = [written(temperature=3, seed=seed) for seed in range(5)]
    assert texts == [written(temperature=3, seed=seed) for seed in range(5)]
    assert len({tuple(text) for text in texts}) > 1
    assert written(temperature=3, seed=np.int64(2)) == texts[2]


def test_generation_leaves_numpys_own_dice_alone():
    np.random.seed(5)
    expected = np.random.random_sample()
    np.random.seed(5)
    written(temperature=3)
    assert np.random.random_sample() == expected


def test_generation_stops_when_the_context_is_full():
    assert len(written("o", weights=LEVEL)) == 8  # the last token is chosen from a full context, and not read again
    assert len(written("o" * 8)) == 1


@pytest.mark.parametrize("temperature", [0.5, 1, 3])
def test_tokens_are_drawn_as_often_as_their_probabilities_say(temperature):
    t, draw, n = tm.run("o gato subiu no", temperature=temperature), np.random.RandomState(1), 20_000
    counts = np.bincount([next_id(t, draw) for _ in range(n)], minlength=12)
    expected = n * t["probs"][-1]
    often = expected > 5
    chi_square = ((counts - expected)[often] ** 2 / expected[often]).sum()
    assert chi_square < 31.3  # 11 degrees of freedom: one in a thousand lies beyond
    assert counts[~often].sum() <= 3 * expected[~often].sum() + 10


def test_a_token_of_probability_0_is_never_drawn_even_at_the_edges_of_the_dice():
    t = tm.run("o", replace={"logits": [[-1e4, 1, -1e4, 1, *[-1e4] * 8]]})

    class Dice:
        def __init__(self, number):
            self.random_sample = lambda: number

    assert [next_id(t, Dice(number)) for number in (0.0, 0.4999, 0.5, np.nextafter(1, 0))] == [1, 1, 3, 3]


BAD = {
    "no text": {"text": ""},
    "unknown text": {"text": "o rato"},
    "too long a text": {"text": "o" * 9},
    "temperature -1": {"temperature": -1},
    "temperature NaN": {"temperature": float("nan")},
    "a word for a temperature": {"temperature": "hot"},
    "three heads": {"n_heads": 3},
    "no weights": {"weights": {}},
    "seed -1": {"seed": -1},
    "seed 2^32": {"seed": 2**32},
    "half a seed": {"seed": 1.5},
    "a word for a seed": {"seed": "a"},
    "an empty seed": {"seed": []},
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_before_the_first_token(what):
    with pytest.raises(ValueError, match="(?i)seed must be" if "seed" in what else None):
        tm.generate(**{"text": "o", **BAD[what]})


def test_of_several_likeliest_all_are_told_and_the_last_bits_decide_nothing():
    assert [list(all_likeliest(it)) for it in ([1.0, 3, 2], [2.0, 1, 2 + 1e-12], [0.0, 0])] == [[1], [0, 2], [0, 1]]
