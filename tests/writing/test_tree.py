"""The tree of continuations, and the probability of a whole text: products, against plain numpy."""

import math

import numpy as np
import plain_model
import pytest

import toymodel as tm
from toymodel.models.toy import TOY

pytestmark = pytest.mark.filterwarnings("error")

WEIGHTS = plain_model.random_weights(2)
LEVEL = {name: 0 * w for name, w in tm.toy_weights().items()}  # with these, all tokens are equally likely
VOCAB = tm.run("o").vocab


def leaves(branches, before=()):
    """Every way through the tree: (tokens, probabilities, product)."""
    for it in branches:
        way = (*before, it)
        if it.branches:
            yield from leaves(it.branches, way)
        else:
            yield [b.token for b in way], [b.p for b in way], it.product


def after(ids, weights, temperature=1.0):
    return plain_model.forward(weights, ids, temperature=temperature)["probs"][-1]


# ---- the tree


@pytest.mark.parametrize("temperature", [0.5, 1, 2])
def test_every_branch_is_one_of_the_likeliest_and_has_the_probability_of_the_model(temperature):
    branches = tm.tree("o gato", width=3, depth=3, weights=WEIGHTS, temperature=temperature)

    def assert_likeliest(branches, ids, product):
        p = after(ids, WEIGHTS, temperature)
        expected = sorted(range(12), key=lambda i: -p[i])[:3]
        assert [it.token for it in branches] == [VOCAB[i] for i in expected]
        for it, i in zip(branches, expected, strict=True):
            assert it.p == pytest.approx(p[i], abs=1e-12)
            assert it.product == pytest.approx(product * p[i], abs=1e-12)
            if len(ids) < 4 and it.token != "<eot>":
                assert_likeliest(it.branches, [*ids, i], product * p[i])
            else:
                assert it.branches == []

    assert_likeliest(branches, [0, 2], 1)


def test_the_first_branch_all_along_is_greedys_and_its_product_is_hers():
    way, p, product = next(leaves(tm.tree("o", width=1, depth=7)))
    assert way == [t.chosen for t in tm.generate("o")]
    assert product == pytest.approx(math.prod(p), abs=1e-15)
    assert product == pytest.approx(0.0016308021, abs=1e-9)  # 0.50030 · 0.44434 · 0.27388 · 0.31080 · 0.39545 · ...


def test_greedy_is_not_the_likeliest_way_to_an_end():
    ends = {" ".join(way): product for way, _p, product in leaves(tm.tree("o gato subiu", 3, 4)) if way[-1] == "<eot>"}
    (best, most), (second, less) = sorted(ends.items(), key=lambda end: -end[1])[:2]
    assert (best, second) == (". <eot>", "␣no ␣telhado . <eot>")
    stop, end = after([0, 2, 4, 5], tm.toy_weights())[10], after([0, 2, 4, 5, 10], tm.toy_weights())[11]
    assert most == pytest.approx(stop * end, abs=1e-12) and less < most


def test_a_whole_tree_has_a_probability_of_1():
    assert sum(product for *_, product in leaves(tm.tree("o gato", width=12, depth=2))) == pytest.approx(1, abs=1e-12)


def test_a_branch_ends_at_eot_and_where_the_context_is_full():
    ways = [way for way, *_ in leaves(tm.tree("o gato subiu no telhado.", width=12, depth=5))]
    assert all("<eot>" not in way[:-1] for way in ways)
    assert {len(way) for way in ways if way[-1] != "<eot>"} == {2}  # seven tokens, the eighth, and one not read
    assert [len(way) for way, *_ in leaves(tm.tree("o" * 8, width=2, depth=3))] == [1, 1]


def test_ties_go_by_id_and_a_width_beyond_the_vocabulary_is_all_of_it():
    assert [it.token for it in tm.tree("o", width=50, depth=1, weights=LEVEL)] == list(VOCAB)


def test_heads_and_mask_are_those_of_a_run():
    for settings in ({"n_heads": 4}, {"causal": False}, {"temperature": 0}):
        t = tm.run("o gato", **settings)
        first = tm.tree("o gato", width=1, depth=1, **settings)[0]
        assert first.p == t["probs"][-1].max() and first.token == tm.ranking(t).index[0]


@pytest.mark.parametrize("name", ["width", "depth"])
@pytest.mark.parametrize("it", [0, -1, 1.5, True, "3", None], ids=repr)
def test_a_width_or_depth_that_is_none_is_refused(name, it):
    with pytest.raises(ValueError, match=rf"{name} must be a whole number from 1 up, not "):
        tm.tree("o", **{name: it})


def test_a_text_it_cannot_read_is_refused():
    with pytest.raises(ValueError, match="not in the vocabulary"):
        tm.tree("o rato")


# ---- its ends, as a table


@pytest.mark.parametrize("temperature", [0.5, 1])
def test_the_ends_are_all_ways_through_the_tree_with_their_products_the_likeliest_first(temperature):
    tree = tm.tree("o gato subiu no muro", temperature=temperature)
    table, found = tm.ends(tree), {" ".join(way): product for way, _p, product in leaves(tree)}
    assert set(table.index) == {*found} and table.index.name == "branch" and list(table.columns) == ["product"]
    assert [f"{it:.3f}" for it in table["product"]] == [plain_model.three_decimals(found[way]) for way in table.index]
    assert [found[way] for way in table.index] == sorted(found.values(), reverse=True)


def test_after_the_wall_the_full_stop_and_the_end_are_likelier_than_greedys_branch():
    table = tm.ends(tm.tree("o gato subiu no muro"))
    assert list(table.index[:2]) == [". <eot>", "␣sub ␣no ␣telhado"]
    stop = [after([0, 2, 4, 5, 1, 7], tm.toy_weights())[10], after([0, 2, 4, 5, 1, 7, 10], tm.toy_weights())[11]]
    assert plain_model.three_decimals(math.prod(stop)) == f"{table['product'].iloc[0]:.3f}" == "0.059"


def test_ends_of_one_product_stand_as_in_the_tree_though_the_last_bits_differ():
    likely, like = tm.tree("o", width=2, depth=1, weights=LEVEL)
    table = tm.ends([likely, like._replace(product=like.product + 1e-15)])
    assert list(table.index) == [likely.token, like.token] == ["o", "␣no"]


@pytest.mark.parametrize("it", [None, 3, "o", tm.run("o"), [1], (), [[]]], ids=lambda it: type(it).__name__)
def test_what_is_no_tree_has_no_ends(it):
    with pytest.raises(ValueError, match=r"branches must be a tree, tm\.tree\('o gato'\), not "):
        tm.ends(it)


# ---- a whole text


def test_the_probability_of_a_text_is_the_product_of_its_steps():
    table = tm.likelihood(tm.run("o gato subiu no"))
    assert list(table.index) == ["␣gato", "␣sub", "iu", "␣no"]
    assert list(table.columns) == ["p", "product", "-ln p", "sum"]
    # 0.5002955, 0.4443450, 0.2738791 and 0.3108006, with a pocket calculator
    assert table["p"].tolist() == [0.5, 0.444, 0.274, 0.311]
    assert table["product"].tolist() == [0.5, 0.222, 0.061, 0.019]
    assert table["-ln p"].tolist() == [0.693, 0.811, 1.295, 1.169]
    assert table["sum"].tolist() == [0.693, 1.504, 2.799, 3.967]


@pytest.mark.parametrize("temperature", [0.5, 1, 3])
def test_each_factor_is_the_models_own_after_all_words_before(temperature):
    ids = [0, 2, 4, 5, 1, 6]
    table = tm.likelihood(TOY.run(ids, temperature=temperature, weights=WEIGHTS))
    p = [after(ids[:n], WEIGHTS, temperature)[ids[n]] for n in range(1, 6)]
    columns = {"p": p, "product": np.cumprod(p), "-ln p": [-math.log(it) for it in p]}
    columns["sum"] = [-math.log(it) for it in columns["product"]]
    for name, numbers in columns.items():
        assert [f"{it:.3f}" for it in table[name]] == [plain_model.three_decimals(it) for it in numbers], name


@pytest.mark.parametrize(("text", "size"), [("o gato subiu no telhado.<eot>", 1), ("o muro gato", 300)])
def test_the_mean_of_the_surprises_is_the_loss(text, size):
    weights = tm.toy_weights()
    t = tm.run(text, weights=weights | {"W_U": size * weights["W_U"]})  # 300 times: p is too near 0 for float64
    table, n = tm.likelihood(t), len(t.ids) - 1
    assert table["sum"].iloc[-1] / n == pytest.approx(tm.gradients(t).loss, abs=0.0005 / n)


def test_the_surprise_of_a_token_is_finite_though_its_probability_is_too_near_0_for_float64():
    table = tm.likelihood(tm.run("o muro gato", temperature=0.003))
    # z/T - ln(sum of e^(z/T)), worked out with fifty digits from the logits
    assert table["-ln p"].tolist() == [872.799, 445.134] and table["sum"].tolist() == [872.799, 1317.932]
    assert table["p"].tolist() == table["product"].tolist() == [0, 0]


def test_at_temperature_0_the_likeliest_share_all():
    logits = [[2, 2, 1, 2, *[0] * 8], [0] * 12, [5, *[0] * 11]]
    table = tm.likelihood(tm.run("o no gato", temperature=0, replace={"logits": logits}))  # 1 of 3, then 1 of 12
    assert table["-ln p"].tolist() == [1.099, 2.485] and table["sum"].tolist() == [1.099, 3.584]
    assert tm.likelihood(tm.run("o gato", temperature=0))["-ln p"].tolist() == [0]


def test_the_last_number_of_a_tree_is_the_product_of_its_text():
    for way, _p, product in leaves(tm.tree("o", width=2, depth=4)):
        text = "o" + "".join(way).replace("␣", " ")
        assert tm.likelihood(tm.run(text))["product"].iloc[-1] == pytest.approx(product, abs=0.000501)


def test_a_step_without_any_probability_has_an_infinite_surprise():
    table = tm.likelihood(tm.run("o muro", temperature=0))  # greedy says ␣gato
    assert table["p"].tolist() == [0] and table["-ln p"].tolist() == [math.inf]


def test_a_tree_that_would_take_minutes_is_refused_and_a_full_context_bounds_its_depth():
    with pytest.raises(ValueError, match=r"^this tree could have 20,736 ends; 5,000 are allowed\.$"):
        tm.tree("o", width=12, depth=4)
    nearly_full = "o gato subiu no telhado"  # 6 of 8 tokens
    assert len(tm.ends(tm.tree(nearly_full, width=12, depth=99))) > 11 * 11 * 11


def test_a_text_of_one_token_has_no_next():
    with pytest.raises(ValueError, match="has read one token has no next one"):
        tm.likelihood(tm.run("o"))
