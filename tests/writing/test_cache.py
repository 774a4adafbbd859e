"""One token more, with the keys and values kept: against whole runs of the same model, written a second time."""

import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.core import moves
from toymodel.models.toy import TOY

pytestmark = pytest.mark.filterwarnings("error")

IDS = [0, 3, 4, 5, 1, 10, 6, 2]  # as long as the context
WEIGHTS = plain_model.random_weights(4)
HEADS = {f"blocks.0.attn.{name}" for name in plain_model.HEAD_PARTS}  # steps with the axis of heads in front
KEPT = {"blocks.0.attn.k", "blocks.0.attn.v"}
OUT = "blocks.0.attn.out"


def token(i):
    return tm.run("o").vocab[i]


def extended(ids, after=1, **settings):
    """A run of the first tokens, then one token after the other."""
    t = TOY.run(ids[:after], **settings)
    for i in ids[after:]:
        t = tm.extend(t, token(i))
    return t


def last_row(key, array):
    return array[:, -1:] if key in HEADS else array[-1:]


# ---- the same numbers


@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("n", range(2, 9))
def test_every_step_is_the_last_row_of_the_whole_run_and_keys_and_values_are_whole(n, n_heads):
    expected = plain_model.forward(WEIGHTS, IDS[:n], n_heads)
    for after in (1, n - 1):  # token by token, and in one step
        t = extended(IDS[:n], after, n_heads=n_heads, weights=WEIGHTS)
        assert t.length == n and t.tokens == [token(IDS[n - 1])] and t.earlier == [token(i) for i in IDS[: n - 1]]
        assert set(t) == set(expected)
        for key in t:
            whole = expected[key] if key in KEPT else last_row(key, expected[key])
            np.testing.assert_allclose(t[key], whole, rtol=0, atol=1e-12, err_msg=key)


def test_the_temperature_is_the_runs():
    t = extended(IDS[:3], temperature=0.5, weights=WEIGHTS)
    expected = plain_model.forward(WEIGHTS, IDS[:3], temperature=0.5)["probs"][-1:]
    np.testing.assert_allclose(t["probs"], expected, rtol=0, atol=1e-12)


def test_two_tokens_may_follow_the_same_run_and_it_stays_as_it_was():
    t = tm.run("o gato")
    before = {key: t[key].copy() for key in t}
    for word in ("␣no", "."):
        one, whole = tm.extend(t, word), tm.run("o gato" + word.replace("␣", " "))
        np.testing.assert_allclose(one["probs"][0], whole["probs"][2], rtol=0, atol=1e-12)
    assert t.length == 2 and all(np.array_equal(t[key], before[key]) for key in t)


WRITING = {
    "greedy": {},
    "drawn": {"temperature": 1, "seed": 3},
    "cut": {"temperature": 2, "seed": 1, "top_k": 4, "top_p": 0.8},
    "other weights": {"temperature": 0.7, "weights": WEIGHTS, "n_heads": 4},
}


@pytest.mark.parametrize("settings", WRITING.values(), ids=WRITING)
def test_generation_writes_the_same_with_a_cache(settings):
    without, with_cache = (list(tm.generate("o gato", cache=cache, **settings)) for cache in (False, True))
    assert [t.chosen for t in with_cache] == [t.chosen for t in without]
    assert [t.length for t in with_cache] == [len(t.ids) for t in without]
    assert [len(t.tokens) for t in with_cache] == [2] + [1] * (len(without) - 1)
    for cached, whole in zip(with_cache, without, strict=True):
        np.testing.assert_allclose(cached["logits"][-1], whole["logits"][-1], rtol=0, atol=1e-12)


# ---- what works with such a run


@pytest.fixture(scope="module")
def both():
    """The last token read with the cache, and in a whole run."""
    return extended(IDS[:6], weights=WEIGHTS), TOY.run(IDS[:6], weights=WEIGHTS)


@pytest.mark.parametrize("show", [tm.ranking, tm.candidates, tm.lens, tm.ledger, tm.draws])
def test_tables_of_the_last_row_are_the_whole_runs(show, both):
    one, whole = both
    assert show(one).index.equals(show(whole).index)
    np.testing.assert_allclose(show(one), show(whole), rtol=0, atol=1e-9)


def test_rows_and_keys_carry_their_own_tokens(both):
    one, _whole = both
    read = [token(i) for i in IDS[:6]]
    assert list(tm.table(one, "blocks.0.attn.k", head=0).index) == read
    pattern = tm.table(one, "blocks.0.attn.pattern", head=1)
    assert list(pattern.columns) == read and list(pattern.index) == read[-1:]
    assert list(tm.table(one, "logits").index) == read[-1:] == list(tm.predictions(one).index)


def test_a_kept_key_says_so_and_a_new_one_is_written_out(both):
    one, _whole = both
    kept, new = (tm.explain(one, "blocks.0.attn.k", (0, pos, 0)) for pos in (4, 5))
    assert kept.text.splitlines()[-1] == "kept from an earlier run" and kept.inputs == []
    assert new.note == "" and {key for key, *_ in new.inputs} == {"blocks.0.ln1.out", "blocks.0.attn.W_K"}


def test_the_new_query_may_read_every_key_and_its_sums_say_so(both):
    one, _whole = both
    for key in range(6):
        hidden = tm.explain(one, "blocks.0.attn.masked_scores", (0, 0, key))
        assert hidden.note == "" and hidden.inputs == [("blocks.0.attn.scores", (0, 0, key), hidden.value)]


def test_kept_numbers_hide_the_weights_so_there_are_no_gradients(both):
    one, _whole = both
    for ask in (tm.gradients, lambda t: tm.gradients(t, "␣muro"), lambda t: tm.central_difference(t, "W_U", (1, 6))):
        with pytest.raises(ValueError, match=r"^a run that `extend` made has kept keys and values"):
            ask(one)


# ---- the rows put together, and the mask


def test_append_puts_earlier_rows_in_front_in_every_head():
    earlier, x = np.arange(8.0).reshape(2, 2, 2), np.array([[[8.0, 9]], [[10, 11]]])
    out = moves.append.value(earlier, x)
    assert out.tolist() == [[[0, 1], [2, 3], [8, 9]], [[4, 5], [6, 7], [10, 11]]]
    back, forth = moves.append.vjp(out, out, earlier, x)
    assert np.array_equal(back, earlier) and np.array_equal(forth, x)


def test_the_last_query_stands_where_the_last_key_does():
    scores = np.zeros((1, 2, 3))
    assert np.isneginf(moves.causal_mask.value(scores)).tolist() == [[[False, False, True], [False, False, False]]]
    assert not np.isneginf(moves.causal_mask.value(scores[:, :1])).any()
    array = moves.causal_mask(moves.given(numbers=scores))
    notes = [[bool(moves.causal_mask.note((0, q, k), *array.inputs)) for k in range(3)] for q in range(2)]
    assert notes == [[False, False, True], [False, False, False]]


# ---- multiplications counted


@pytest.mark.parametrize("n_heads", [1, 2, 4])
@pytest.mark.parametrize("n", range(1, 9))
def test_multiplications_are_those_of_the_formula(n, n_heads):
    rows = {"attn.q": 16, "attn.k": 16, "attn.v": 16, "attn.dots": 4 * n, "attn.z": 4 * n, "attn.out": 16}
    rows |= {"mlp.pre": 32, "mlp.out": 32}  # for one row: four numbers times four columns, and so on
    rows = {f"blocks.0.{name}": each for name, each in rows.items()} | {"logits": 48}
    assert tm.multiplications(TOY.run(IDS[:n], n_heads=n_heads)) == {key: n * each for key, each in rows.items()}
    if n > 1:
        assert tm.multiplications(extended(IDS[:n], n - 1, n_heads=n_heads)) == rows


def test_what_was_set_by_hand_costs_nothing():
    t = tm.run("o gato", replace={OUT: np.zeros((2, 4))})
    assert tm.multiplications(t) == {"blocks.0.mlp.pre": 64, "blocks.0.mlp.out": 64, "logits": 96}


def test_a_stack_of_mlps_costs_two_products_a_block():
    counts = tm.multiplications(tm.stack("o gato", n_blocks=2))
    expected = {f"blocks.{i}.mlp.{name}": 64 for i in range(2) for name in ("pre", "out")}
    assert counts == expected | {"logits": 96} and list(counts)[-1] == "logits"


# ---- what is refused


def test_a_full_context_is_refused_with_both_numbers():
    with pytest.raises(ValueError, match="the text has 9 tokens; the model's context holds 8"):
        tm.extend(extended(IDS), "o")


@pytest.mark.parametrize(
    "ask", [lambda: tm.extend(tm.run("o", causal=False), "."), lambda: tm.generate("o", causal=False, cache=True)]
)
def test_without_the_mask_nothing_can_be_kept(ask):
    with pytest.raises(ValueError, match="needs the causal mask"):
        ask()


@pytest.mark.parametrize("given", ["gato", "", "␣gato␣no", 2, None], ids=repr)
def test_what_is_no_token_is_refused(given):
    with pytest.raises(ValueError, match="is no token"):
        tm.extend(tm.run("o"), given)


def test_only_a_model_that_says_what_comes_next_and_has_keys_is_extended():
    with pytest.raises(ValueError, match="a cache needs keys and values"):
        tm.extend(tm.stack("o", n_blocks=1), ".")
    with pytest.raises(ValueError, match="needs the run of a model that says what comes next"):
        tm.extend(tm.attend([[1]], [[1]], [[1]], [[1]], causal=True), ".")


def test_steps_set_by_hand_are_not_extended():
    with pytest.raises(ValueError, match="steps set by hand"):
        tm.extend(tm.run("o gato", replace={OUT: np.zeros((2, 4))}), ".")


def test_it_is_a_run_that_is_extended():
    with pytest.raises(ValueError, match="the first argument must be a Trace"):
        tm.extend("o gato", ".")
    with pytest.raises(ValueError, match="needs the run of a model that says what comes next"):
        tm.multiplications(tm.attend([[1]], [[1]], [[1]], [[1]]))
