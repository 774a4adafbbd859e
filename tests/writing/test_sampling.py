"""What the next token is drawn from, and how it is drawn: top-k, top-p, the dice, many draws."""

import numpy as np
import pytest

import toymodel as tm
from toymodel.core.arguments import dice
from toymodel.writing.generation import drawn, next_id

pytestmark = pytest.mark.filterwarnings("error")

P = [0.25, 0.05, 0.35, 0.0, 0.2, 0.15, *[0.0] * 6]
NOTHING = -1e4  # a logit of which nothing is left


def giving(p, temperature=1.0):
    """A run of the toy whose last row says these probabilities at temperature 1."""
    logits = [np.log(it) if it else NOTHING for it in p]
    return tm.run("o", temperature=temperature, replace={"logits": [logits]})


LEVEL = giving([1 / 12] * 12)
TOY = tm.run("o gato subiu no")


def kept(t, **cut):
    """The ids that are left."""
    return np.flatnonzero(tm.next_probs(t, **cut)).tolist()


# ---- top-k


@pytest.mark.parametrize("k, ids", [(1, [2]), (2, [0, 2]), (3, [0, 2, 4]), (4, [0, 2, 4, 5]), (5, [0, 1, 2, 4, 5])])
def test_top_k_keeps_the_k_likeliest(k, ids):
    assert kept(giving(P), top_k=k) == ids


def test_what_is_kept_shares_the_whole_in_proportion_and_is_not_rounded():
    expected = [0.25 / 0.8, 0, 0.35 / 0.8, 0, 0.2 / 0.8, *[0] * 7]
    np.testing.assert_allclose(tm.next_probs(giving(P), top_k=3), expected, rtol=0, atol=1e-15)
    thirds = tm.next_probs(giving([1 / 3, 1 / 3, 1 / 3, *[0] * 9]), top_k=2)
    np.testing.assert_allclose(thirds, [1 / 2, 1 / 2, *[0] * 10], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(tm.next_probs(TOY), TOY["probs"][-1])


@pytest.mark.parametrize("k", range(1, 13))
def test_on_ties_top_k_keeps_exactly_k_and_those_are_the_lowest_ids(k):
    assert kept(LEVEL, top_k=k) == list(range(k))
    np.testing.assert_allclose(tm.next_probs(LEVEL, top_k=k)[:k], 1 / k, rtol=0, atol=1e-15)


def test_logits_that_differ_in_their_last_bits_only_are_a_tie():
    logits = np.zeros((1, 12))
    logits[0, 7] = 1e-13
    assert kept(tm.run("o", replace={"logits": logits}), top_k=2) == [0, 1]


@pytest.mark.parametrize("k", [12, 13, 50, np.int64(12), None])
def test_as_many_as_there_are_or_more_cut_nothing(k):
    np.testing.assert_allclose(tm.next_probs(TOY, top_k=k), TOY["probs"][-1], rtol=0, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("cut", [{"top_k": 1}, {"top_p": 1e-9}], ids=str)
def test_one_token_left_is_greedy_at_any_temperature_and_seed(cut, seed):
    written = [t.chosen for t in tm.generate("o", temperature=3, seed=seed, **cut)]
    assert written == [t.chosen for t in tm.generate("o")]


@pytest.mark.parametrize("k", [0, -1, 1.5, 2.0, True, "3", [3], float("nan")], ids=repr)
def test_a_top_k_that_is_none_is_refused(k):
    for ask in (tm.next_probs, tm.candidates, tm.draws):
        with pytest.raises(ValueError, match=r"top_k must be a whole number from 1 up, not "):
            ask(TOY, top_k=k)
    with pytest.raises(ValueError, match="top_k must be"):
        tm.generate("o", temperature=1, top_k=k)


# ---- top-p


REACHED = {0.34: [2], 0.36: [0, 2], 0.59: [0, 2], 0.61: [0, 2, 4], 0.94: [0, 2, 4, 5], 0.96: [0, 1, 2, 4, 5]}
REACHED |= {1e-300: [2], 0.01: [2], 1 - 1e-15: [0, 1, 2, 4, 5], 1: [0, 1, 2, 4, 5]}


@pytest.mark.parametrize("p, ids", REACHED.items())
def test_top_p_keeps_the_fewest_that_reach_the_sum(p, ids):
    assert kept(giving(P), top_p=p) == ids


@pytest.mark.parametrize("p, ids", [(0.35, [2]), (0.6, [0, 2]), (0.8, [0, 2, 4]), (0.95, [0, 2, 4, 5])])
def test_a_sum_that_is_reached_exactly_is_reached(p, ids):
    assert kept(giving(P), top_p=p) == ids


@pytest.mark.parametrize("n", range(1, 13))
def test_of_twelve_equal_ones_n_twelfths_keep_n(n):
    assert kept(LEVEL, top_p=n / 12) == list(range(n))


def test_top_p_1_keeps_all_and_changes_nothing():
    np.testing.assert_array_equal(tm.next_probs(TOY, top_p=1), TOY["probs"][-1])


def test_top_p_shares_the_whole_in_proportion():
    np.testing.assert_allclose(
        tm.next_probs(giving(P), top_p=0.5)[[0, 2]], [0.25 / 0.6, 0.35 / 0.6], rtol=0, atol=1e-15
    )


def test_top_k_comes_first_and_top_p_is_of_what_it_leaves():
    assert kept(giving(P), top_p=0.65) == [0, 2, 4]
    assert kept(giving(P), top_k=3, top_p=0.65) == [0, 2]  # 0.6 of 0.8 is 0.75
    assert kept(giving(P), top_k=2, top_p=0.99) == [0, 2]


def test_the_temperature_comes_before_the_cut():
    p = [0.81, 0.16, 0.03, *[0] * 9]
    assert kept(giving(p), top_p=0.8) == [0]
    assert kept(giving(p, temperature=2), top_p=0.8) == [0, 1]  # roots 0.9, 0.4 and 0.173: shares 0.611, 0.271, 0.118
    assert kept(giving(p, temperature=0), top_p=1) == [0]


@pytest.mark.parametrize("p", [0, -0.1, 1.0001, 2, float("nan"), float("inf"), True, "0.9", [0.5]], ids=repr)
def test_a_top_p_that_is_none_is_refused(p):
    for ask in (tm.next_probs, tm.candidates, tm.draws):
        with pytest.raises(
            ValueError, match=r"top_p must be a number above 0 and up to 1, or None for all tokens, not"
        ):
            ask(TOY, top_p=p)
    with pytest.raises(ValueError, match="top_p must be"):
        tm.generate("o", temperature=1, top_p=p)


def test_candidates_are_sorted_and_show_the_sums_and_what_is_left():
    t = giving(P)
    table = tm.candidates(t, top_p=0.7)
    assert list(table.index) == [t.vocab[i] for i in (2, 0, 4, 5, 1, 3, *range(6, 12))]
    assert list(table.columns) == ["p", "sum so far", "kept"]
    assert table["p"].tolist() == [0.35, 0.25, 0.2, 0.15, 0.05, *[0] * 7]
    assert table["sum so far"].tolist() == [0.35, 0.6, 0.8, 0.95, *[1] * 8]
    assert table["kept"].tolist() == [0.438, 0.312, 0.25, *[0] * 9]  # 7, 5 and 4 sixteenths


# ---- the dice


def test_the_dice_are_the_mersenne_twisters_of_numpy_and_always_will_be():
    """Literal numbers: another generator, or another order of its numbers, would write other texts for a seed."""
    assert dice(0).random_sample(3).tolist() == [0.5488135039273248, 0.7151893663724195, 0.6027633760716439]
    assert dice(7).random_sample(2).tolist() == [0.07630828937395717, 0.7799187922401146]


def test_a_number_falls_on_the_id_whose_part_of_the_line_it_is_on():
    p = np.array([0.25, 0, 0.5, 0.25])  # 0 to 0.25, nothing, to 0.75, to 1
    numbers = [0, 0.2499, 0.25, 0.7499, 0.75, np.nextafter(1, 0)]
    assert drawn(p, np.array(numbers)).tolist() == [0, 0, 2, 2, 3, 3]
    assert [int(drawn(p, number)) for number in numbers] == [0, 0, 2, 2, 3, 3]
    assert drawn(p / 3, np.array(numbers)).tolist() == [0, 0, 2, 2, 3, 3], "it need not sum to 1"


def test_a_seed_writes_what_it_wrote_when_this_was_written():
    assert [t.chosen for t in tm.generate("o", temperature=1, seed=11)] == (
        ["␣gato", "o", "␣cão", "␣sub", "␣no", "␣telhado", "o", "␣telhado"]
    )
    assert [t.chosen for t in tm.generate("o", temperature=3, seed=11, top_k=6, top_p=0.9)] == (
        ["␣gato", "o", "␣sub", ".", "iu", "␣telhado", "o", "␣telhado"]
    )


# ---- many draws


def test_draws_are_counted_as_the_dice_fall():
    """Each number of the dice is looked for on the line, one after the other."""
    table = tm.draws(TOY, n=300, seed=4)
    counts, p = dict.fromkeys(TOY.vocab, 0), TOY["probs"][-1].tolist()
    for number in np.random.RandomState(4).random_sample(300):
        reached = 0
        for token, share in zip(TOY.vocab, p, strict=True):
            reached += share
            if number < reached:
                counts[token] += 1
                break
    assert table["drawn"].to_dict() == counts


def test_draws_of_a_seed_are_what_they_were_when_this_was_written():
    expected = [412, 137, 84, 89, 54, 58, 53, 45, 35, 14, 16, 3]
    assert tm.draws(TOY, n=1000, seed=5)["drawn"].tolist() == expected
    assert tm.draws(TOY, n=1000, seed=6)["drawn"].tolist() != expected


def test_a_first_draw_is_what_generation_chooses():
    for seed in range(20):
        table = tm.draws(tm.run("o gato", temperature=2), n=1, seed=seed, top_k=5)
        chosen = next(tm.generate("o gato", temperature=2, seed=seed, top_k=5)).chosen
        assert table["drawn"].idxmax() == chosen


@pytest.mark.parametrize("cut", [{}, {"top_k": 4}, {"top_p": 0.6}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_tokens_are_drawn_as_often_as_promised(cut, seed):
    table = tm.draws(TOY, n=20_000, seed=seed, **cut)
    table = table[table["p"] > 0]
    chi_square = ((table["drawn"] - table["promised"]) ** 2 / table["promised"]).sum()
    assert chi_square < {12: 31.3, 4: 16.3, 3: 13.8}[len(table)]  # one in a thousand lies beyond


def test_its_columns_belong_together_and_what_is_cut_is_never_drawn():
    table = tm.draws(giving(P), n=500, seed=1, top_k=2)
    assert list(table.columns) == ["p", "promised", "drawn", "share"]
    assert table["drawn"].sum() == 500 and (table["drawn"].iloc[2:] == 0).all()
    np.testing.assert_allclose(table["promised"].iloc[:2], [291.667, 208.333], rtol=0, atol=1e-9)
    np.testing.assert_allclose(table["share"], table["drawn"] / 500, rtol=0, atol=1e-9)


def test_at_temperature_0_all_draws_are_the_likeliest():
    table = tm.draws(tm.run("o gato subiu no", temperature=0), n=50)
    assert table["drawn"].tolist() == [50, *[0] * 11] and table.index[0] == "␣telhado"


@pytest.mark.parametrize("n", [10**11, 0, -1, 1.5, True, "9", None], ids=repr)
def test_a_number_of_draws_that_is_none_is_refused(n):
    with pytest.raises(ValueError, match=r"^n must be a whole number from 1 to 1,000,000, not "):
        tm.draws(TOY, n=n)


@pytest.mark.parametrize("seed", [-1, 2**32, 0.5, "1"])
def test_a_seed_that_is_none_is_refused(seed):
    with pytest.raises(ValueError, match=r"^seed must be a whole number from 0 to 4294967295, not "):
        tm.draws(TOY, seed=seed)


def test_probabilities_set_by_hand_are_not_drawn_from():
    t = tm.run("o", replace={"probs": [[0.9, 0.1, *[0] * 10]]})
    for ask in (tm.next_probs, tm.candidates, tm.draws):
        with pytest.raises(ValueError, match=r"^the probabilities were set by hand"):
            ask(t)


@pytest.mark.parametrize(
    ("a", "b", "tied"),
    [(1 + 1.4e-9, 1 + 1.6e-9, False), (0, 4e-10, True), (0, 6e-10, False), (1e300, 1.1e300, False)],
)
def test_greedy_and_the_probabilities_at_temperature_0_agree_on_what_is_a_tie(a, b, tied):
    t = tm.run("o", replace={"logits": [[a, b, *[NOTHING] * 10]]}, temperature=0)
    assert t["probs"][0, :2].tolist() == ([0.5, 0.5] if tied else [0, 1])
    assert next_id(t, None) == (0 if tied else 1) == tm.next_probs(t).argmax()


def test_at_temperature_0_a_tie_is_drawn_as_it_is_written():
    t = tm.run("o", replace={"logits": [[0, 1, 3, 2, 3, 3, 0, 0, 0, 0, 0, 3]]}, temperature=0)
    np.testing.assert_array_equal(np.flatnonzero(tm.next_probs(t)), [2])
    assert tm.draws(t, n=50)["drawn"].iloc[0] == 50 and next_id(t, None) == 2
