"""Steps as tables: labels, three decimals whatever is cut out, and no row that moves."""

import re

import numpy as np
import pandas as pd
import plain_model
import pytest

import toymodel as tm
from toymodel.reading.counts import _short_count
from toymodel.reading.tables import Column, Table

about = tm.run("o").about

TEXT = "o gato subiu no"
t = tm.run(TEXT)
KEYS = [*t.keys(), *t.weights]
PATTERN = "blocks.0.attn.pattern"
TOKENS = ["o", "␣gato", "␣sub", "iu", "␣no"]
NO_PLACES = [True, "a", 0.5, 1.0, [0, 1], [], slice(None), float("nan"), np.array([0, 1]), (0, 0)]


def cells(table):
    """The numbers that the table shows in a notebook."""
    return re.findall(r"<td>(.*?)</td>", table._repr_html_())


@pytest.mark.parametrize("key", KEYS)
def test_every_step_is_a_table_of_all_its_numbers_with_three_decimals(key):
    table = tm.table(t, key)
    expected = [plain_model.three_decimals(x) for x in t[key].ravel()]
    assert cells(table) == expected
    assert all(number in repr(table) for number in expected)


@pytest.mark.parametrize("key", tm.gradients(t).keys())
def test_every_gradient_is_a_table_with_the_labels_of_its_step(key):
    gradient, step = tm.table(tm.gradients(t), key), tm.table(t, key)
    assert gradient.index.equals(step.index) and gradient.columns.equals(step.columns)


def test_rows_and_columns_carry_tokens_and_axes():
    table = tm.table(t, PATTERN, head=0)
    assert list(table.index) == list(table.columns) == TOKENS
    assert (table.index.name, table.columns.name) == ("query", "key")
    logits = tm.table(t, "logits")
    assert (list(logits.index), list(logits.columns)) == (TOKENS, list(t.vocab))
    assert list(tm.table(t, "embed").columns) == [0, 1, 2, 3]
    assert list(tm.table(t, "W_E").index) == list(tm.table(t, "W_U").columns) == list(t.vocab)


def test_a_number_for_each_position_makes_one_column_under_its_symbol():
    table = tm.table(t, "blocks.0.ln1.std")
    assert list(table.columns) == ["σ"] and list(table.index) == TOKENS


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_heads_stand_one_below_the_other_unless_one_is_picked(n_heads):
    heads = tm.run(TEXT, n_heads=n_heads)
    table = tm.table(heads, PATTERN)
    assert table.shape == (5 * n_heads, 5) and table.index.names == ["head", "query"]
    for head in range(n_heads):
        alone = tm.table(heads, PATTERN, head=np.int64(head))
        pd.testing.assert_frame_equal(table.loc[head], alone, check_names=False)
        np.testing.assert_array_equal(alone, np.round(heads[PATTERN][head], 3))


def test_sums_over_a_head_are_a_column_for_each_head():
    assert tm.table(t, "blocks.0.attn.exp_scores_sum").shape == (10, 1)
    assert tm.table(t, "blocks.0.attn.exp_scores_sum", head=1).shape == (5, 1)


@pytest.mark.parametrize(("head", "picked"), [(-1, 1), (-2, 0), (np.int8(1), 1), ([1], 1)], ids=str)
def test_a_head_is_a_place_as_in_a_written_out_sum(head, picked):
    pd.testing.assert_frame_equal(tm.table(t, PATTERN, head=head), tm.table(t, PATTERN, head=picked))
    index = (*head, 4, 2) if isinstance(head, list) else (head, 4, 2)
    assert tm.explain(t, PATTERN, index).index == (picked, 4, 2)


@pytest.mark.parametrize("head", [2, -3, *NO_PLACES], ids=str)
def test_a_head_that_is_not_there_is_refused_with_those_that_are(head):
    with pytest.raises(ValueError, match=r"\) is no such place\. Needed: head from 0 to 1\.$"):
        tm.table(t, PATTERN, head=head)


@pytest.mark.parametrize("key", ["embed", "logits", "W_E", "blocks.0.ln1.mean"])
def test_a_step_without_heads_takes_no_head(key):
    with pytest.raises(ValueError, match=f"`{key}` has no head axis"):
        tm.table(t, key, head=0)


def test_an_unknown_step_is_refused_as_everywhere():
    with pytest.raises(tm.UnknownStep, match="Did you mean"):
        tm.table(t, "patern")


@pytest.mark.parametrize(
    "cut",
    [
        lambda table: table.iloc[1:3],
        lambda table: table.loc[["␣no"]],
        lambda table: table[["o", "␣gato"]],
        lambda table: table.T,
        lambda table: table.head(2),
        lambda table: table.sort_values("o"),
        lambda table: table * 2,
        lambda table: table.copy(),
        lambda table: table.rename_axis("x"),
        lambda table: pd.concat([table, table]),
        lambda table: table["o"].to_frame(),
    ],
)
def test_what_is_cut_out_of_a_table_keeps_three_decimals(cut):
    assert all(re.fullmatch(r"-?\d+\.\d{3}", cell) for cell in cells(cut(tm.table(t, PATTERN, head=0))))


def test_a_column_or_a_row_by_itself_keeps_three_decimals():
    table = tm.table(t, "W_E")
    for one in (table[0], table.loc["␣no"], table[0].head(2), table[0] * 2, table.sum(), table.iloc[-1].sort_values()):
        assert type(one) is Column
        assert all(f"{x:.3f}" in repr(one) for x in one)


def test_a_table_is_a_data_frame_and_what_is_cut_from_it_a_table_or_its_column():
    table = tm.table(t, PATTERN, head=0)
    assert tm.Table is Table and type(table) is type(table.T) is type(table["o"].to_frame()) is Table
    assert issubclass(Table, pd.DataFrame) and issubclass(Column, pd.Series)
    assert table.iloc[0, 0] == 1


def test_a_table_shows_all_of_itself():
    wide = tm.table(tm.run("o gato subiu no telhado.<eot>"), "probs")
    sizes = tm.sizes()
    for shown in (repr(wide) + repr(sizes), wide._repr_html_() + sizes._repr_html_()):
        assert all(token.strip("<>") in shown for token in t.vocab) and "..." not in shown and "…" not in shown


def test_hidden_scores_show_as_minus_infinity_and_no_zero_has_a_sign():
    table = tm.table(t, "blocks.0.attn.masked_scores", head=0)
    assert cells(table).count("-inf") == repr(table).count("-inf") == 10
    negative = Table({"x": [-0.0, -0.0001, 1.0]})
    assert cells(negative) == ["0.000", "0.000", "1.000"] and "-0.000" not in repr(negative)


def test_large_numbers_show_their_powers_of_ten():
    assert cells(Table({"x": [1.5e9, 0.5, -2.5e300]})) == ["1.500e+09", "0.500", "-2.500e+300"]


def test_showing_a_table_leaves_pandas_own_settings_alone():
    before = pd.get_option("display.float_format"), pd.get_option("display.width")
    cells(tm.table(t, "embed")), repr(tm.table(t, "embed"))
    assert (pd.get_option("display.float_format"), pd.get_option("display.width")) == before


def test_tables_hold_the_numbers_as_they_are_shown():
    for key in KEYS:
        numbers = tm.table(t, key).to_numpy()
        finite = np.isfinite(numbers)
        np.testing.assert_array_equal(np.round(numbers[finite], 3), numbers[finite])
        assert not np.signbit(numbers[numbers == 0]).any()


def test_the_path_lists_each_step_with_its_symbol_shape_and_meaning():
    path = tm.path(t)
    assert list(path.index) == t.keys() and list(path.columns) == ["symbol", "shape", "what it is"]
    assert list(path.loc[PATTERN]) == ["a", "(2, 5, 5)", about(PATTERN).gloss]
    assert path.index.name == "step" and type(path) is Table
    assert list(tm.path(tm.run("o", n_heads=4)).loc[PATTERN, ["shape"]]) == ["(4, 1, 1)"]
    assert list(path["symbol"]) == [about(key).symbol for key in t]


# ---- rankings


def test_a_ranking_has_the_likeliest_first_with_the_numbers_of_the_run():
    ranking = tm.ranking(t)
    assert list(ranking.index[:3]) == ["␣telhado", "␣muro", "␣sofá"] and list(ranking.columns) == ["z", "e^z", "p"]
    assert ranking["p"].is_monotonic_decreasing and ranking.index.name == "next"
    assert cells(ranking)[:3] == ["2.491", "12.069", "0.395"]


def test_the_tied_stand_in_the_order_of_their_ids_and_a_shown_tie_is_a_tie():
    logits = np.zeros((1, 12))
    logits[0, [3, 8]] = 1, 1 + 1e-12
    tied = tm.run("o", replace={"logits": logits})
    others = [token for i, token in enumerate(tied.vocab) if i not in (3, 8)]
    assert list(tm.ranking(tied).index) == ["␣cão", "␣sofá", *others]
    assert list(tm.predictions(tied)["next"]) == ["␣cão"]


def test_a_ranking_at_temperature_0_goes_on_by_logits():
    ranking = tm.ranking(tm.run(TEXT, temperature=0))
    assert list(ranking["p"]) == [1, *[0] * 11] and ranking["z"].is_monotonic_decreasing


@pytest.mark.parametrize("pos", [0, 2, -1])
@pytest.mark.parametrize("T", [0, 1e-310, 0.0625, 0.5, 1, np.float32(2), 3])
def test_a_ranking_shows_how_each_probability_comes_about(T, pos):
    hot = tm.run(TEXT, temperature=T)
    ranking = tm.ranking(hot, pos)
    z = hot["logits"][pos]
    if T < 1e-300:
        expected = {"z": z, "p": (z == z.max()).astype(float)}
    else:
        powers = np.exp(z / float(T))
        middle = {"e^z": powers} if T == 1 else {"z/T": z / float(T), "e^(z/T)": powers}
        expected = {"z": z, **middle, "p": powers / powers.sum()}
    assert list(ranking.columns) == list(expected) and type(ranking) is Table
    assert list(ranking.index) == list(tm.ranking(t, pos).index)
    for name, numbers in expected.items():
        by_id = ranking[name].loc[list(hot.vocab)]
        np.testing.assert_allclose(by_id, numbers, rtol=0, atol=0.000501, err_msg=name)
        assert all(re.fullmatch(r"-?\d+\.\d{3}|\d\.\d{3}e\+\d+", cell) for cell in cells(ranking[[name]]))


def test_powers_of_e_beyond_float64_stand_in_a_ranking_as_inf():
    cold = tm.ranking(tm.run(TEXT, temperature=0.001))
    assert cells(cold.head(1)) == ["2.491", f"{t['logits'][-1].max() * 1000:.3f}", "inf", "1.000"]


def test_the_likeliest_of_a_shown_tie_has_the_largest_probability_at_temperature_0_too():
    logits = np.zeros((1, 12))
    logits[0, [3, 8]] = 1, 1 + 1e-12
    tied = tm.run("o", temperature=0, replace={"logits": logits})
    assert tm.ranking(tied)["p"].is_monotonic_decreasing
    assert tm.predictions(tied)["p"].iloc[0] == tm.ranking(tied)["p"].max()


@pytest.mark.parametrize("pos", range(-5, 5))
def test_each_position_has_its_ranking(pos):
    assert tm.ranking(t, pos)["z"].max() == np.round(t["logits"][pos].max(), 3)


@pytest.mark.parametrize("pos", [5, -6, None, *NO_PLACES], ids=str)
def test_a_position_that_is_not_there_is_refused(pos):
    with pytest.raises(ValueError, match=r"\) is no such place\. Needed: pos from 0 to 4\.$"):
        tm.ranking(t, pos)


@pytest.mark.parametrize(("pos", "picked"), [(np.int8(-1), 4), ([1], 1)], ids=str)
def test_a_position_is_a_place_as_in_a_written_out_sum(pos, picked):
    pd.testing.assert_frame_equal(tm.ranking(t, pos), tm.ranking(t, picked))


def test_predictions_are_the_first_of_each_ranking():
    predictions = tm.predictions(t)
    assert list(predictions.index) == TOKENS and predictions.index.name == "after"
    assert list(predictions.columns) == ["next", "p"] and type(predictions) is Table
    for pos, (token, p) in enumerate(predictions.itertuples(index=False)):
        best = tm.ranking(t, pos).iloc[0]
        assert (token, p) == (best.name, best["p"])


# ---- every kind of run

RUNS = {
    "a run": t,
    "at temperature 0": tm.run(TEXT, temperature=0),
    "logits set by hand": tm.run("o", replace={"logits": np.ones((1, 12))}),
    "a stack": tm.stack(TEXT, 2),
    "a stack without residuals": tm.stack(TEXT, 2, residual=False),
    "one head": tm.attend(np.eye(2), np.eye(2), np.eye(2), np.eye(2)),
    "cosines": tm.cosines({"a": [1, 0], "b": [1, 1]}),
}
NO_LEDGER = {"logits set by hand"}


@pytest.mark.parametrize("kind", RUNS)
def test_a_table_of_any_kind_of_run_is_a_table_or_refused_with_a_sentence(kind):
    it = RUNS[kind]
    assert list(tm.path(it).index) == it.keys()
    for key in it:
        assert type(tm.table(it, key)) in (Table, pd.DataFrame)
    for function in (tm.ranking, tm.predictions, tm.ledger):
        if "logits" not in list(it) or (function is tm.ledger and kind in NO_LEDGER):
            with pytest.raises(
                ValueError, match=r"^(this needs the run of a model that says|the logits were set by hand)"
            ):
                function(it)
        else:
            assert type(function(it)) is Table


def test_a_ranking_of_a_stack_has_its_numbers():
    stack = tm.stack(TEXT, 2)
    ranking = tm.ranking(stack)
    assert list(ranking.columns) == ["z", "e^z", "p"] and abs(ranking["p"].sum() - 1) < 0.006
    assert tm.predictions(stack)["next"].iloc[-1] == ranking.index[0]


# ---- counts


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0"),
        (256, "256"),
        (9_999, "9999"),
        (10_000, "10 k"),
        (786_432, "786 k"),
        (38_597_376, "38.6 M"),
        (999_499, "999 k"),
    ],
)
def test_counts_are_written_as_they_are_spoken_of(n, text):
    assert _short_count(n) == text


def test_sizes_show_as_whole_numbers_with_what_they_are():
    sizes = tm.sizes()
    numbers = ["12", "50257", "4", "768", "8", "1024", "2", "12", "2", "64", "8", "3072", "1", "12"]
    assert cells(sizes[["toy", "GPT-2 small"]]) == numbers
    assert list(sizes.columns) == ["toy", "GPT-2 small", "what it is"] and sizes.index.name == "size"
    assert list(sizes.index) == ["d_vocab", "d_model", "n_ctx", "n_heads", "d_head", "d_mlp", "n_layers"]
    assert len(set(sizes["what it is"])) == 7 and all(gloss.startswith("how ") for gloss in sizes["what it is"])


def test_parameters_add_up_and_a_shared_matrix_is_told():
    parameters = tm.parameters()
    pieces = [int(n) for n in parameters["toy"]]
    assert sum(pieces[:-1]) == pieces[-1] == sum(w.size for w in t.weights.values())
    assert parameters.loc["W_U", "GPT-2 small"] == "tied to W_E" and "0" not in list(parameters["GPT-2 small"])
