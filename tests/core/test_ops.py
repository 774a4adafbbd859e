"""Each operation by itself: its derivative against central differences, and values worked out by hand."""

import numpy as np
import pytest

from toymodel.core import asides, moves, ops
from toymodel.core.array import Aside, Op
from toymodel.core.expression import sqrt
from toymodel.learning import chain
from toymodel.models import positions

pytestmark = pytest.mark.filterwarnings("error")

draw = np.random.RandomState(0).standard_normal
HIDDEN = np.where(np.arange(3) > np.arange(3)[:, None], -np.inf, draw((3, 3)))

# operation: (inputs, settings); it is its own entry that a new operation needs
EXAMPLES = {
    moves.identity: ((draw((2, 3)),), {}),
    moves.gather: ((draw((4, 3)),), {"ids": [2, 0, 2]}),
    moves.transpose: ((draw((2, 3, 4)),), {}),
    moves.split_heads: ((draw((3, 6)),), {"n_heads": 2}),
    moves.merge_heads: ((draw((2, 3, 4)),), {}),
    moves.append: ((draw((2, 2, 3)), draw((2, 1, 3))), {}),
    ops.add: ((draw((2, 3)), draw((2, 3))), {}),
    ops.multiply: ((draw((2, 3)), draw(3)), {}),
    ops.matmul: ((draw((2, 3, 4)), draw((2, 4, 5))), {}),
    ops.divide: ((draw((2, 3)),), {"by": sqrt(3)}),
    moves.causal_mask: ((draw((2, 3, 3)),), {}),
    ops.softmax: ((draw((2, 3, 4)),), {"temperature": 0.7}),
    ops.cross_entropy: ((draw((4, 5)),), {"rows": [0, 2, 3], "targets": [1, 4, 1]}),
    ops.normalize: ((draw((3, 4)),), {}),
    ops.scale: ((draw((3, 4)),), {}),
    ops.relu: ((draw((3, 4)),), {}),
    ops.gelu: ((3 * draw((3, 4)),), {}),
}
ASIDES = {asides.power_of_e, asides.row_sum, asides.mean, asides.std, asides.root_mean_square}  # read by nothing
ASIDES |= {asides.cosine, asides.per_head}
GIVEN = {moves.given, chain.chained, positions.waves}  # and these have no input


def value(op, inputs, settings):
    if op is ops.normalize:  # as it stands in a model: mean and std follow x
        (x,) = inputs
        mean = asides.mean.value(x)
        inputs = (x, mean, asides.std.value(x, mean))
    if op is ops.scale:
        inputs = (*inputs, asides.root_mean_square.value(*inputs))
    return op.value(*inputs, **settings), inputs


def descendants(op):
    return {op} | {below for child in op.__subclasses__() for below in descendants(child)}


def test_every_operation_has_an_example_or_needs_none():
    assert descendants(Op) - {Op, Aside} == EXAMPLES.keys() | ASIDES | GIVEN


def test_asides_and_what_is_given_alone_have_no_derivative():
    assert descendants(Aside) - {Aside} == ASIDES
    assert {op for op in descendants(Op) - {Op, Aside} if not hasattr(op, "vjp")} == ASIDES | GIVEN


def assert_derivative(op, inputs, settings):
    """op's vjp, for a random g, is the derivative of sum(g * value), each input number nudged in turn."""
    out, all_inputs = value(op, inputs, settings)
    seen = np.isfinite(out)
    g = np.where(seen, draw(out.shape), 0.0)
    shares = op.vjp(g, out, *all_inputs, **settings)
    assert len(shares) == len(all_inputs)
    for which, x in enumerate(inputs):
        assert shares[which].shape == x.shape
        for index in np.ndindex(x.shape):
            if not np.isfinite(x[index]):
                assert shares[which][index] == 0
                continue
            ends = []
            for h in (1e-5, -1e-5):
                nudged = [a.copy() for a in inputs]
                nudged[which][index] += h
                ends.append((g * np.where(seen, value(op, nudged, settings)[0], 0.0)).sum())
            analytic, central = shares[which][index], (ends[0] - ends[1]) / 2e-5
            assert abs(analytic - central) <= 1e-9 + 1e-7 * abs(analytic), (which, index)
    return shares


@pytest.mark.parametrize("op", EXAMPLES, ids=lambda op: op.__name__)
def test_the_derivative_is_the_central_difference(op):
    assert_derivative(op, *EXAMPLES[op])


@pytest.mark.parametrize("temperature", [0, 0.5, 1, 3])
def test_the_derivative_of_a_masked_softmax_is_the_central_difference_at_any_temperature(temperature):
    assert_derivative(ops.softmax, (HIDDEN,), {"temperature": temperature})


def test_only_x_collects_the_gradient_of_a_normalisation():
    _x, mean, std = assert_derivative(ops.normalize, *EXAMPLES[ops.normalize])
    assert mean is None and std is None


def test_a_batch_axis_in_front_changes_no_derivative():
    for op in (ops.gelu, ops.normalize, ops.softmax):
        assert_derivative(op, (draw((2, 3, 4)),), {})


@pytest.mark.parametrize("op", EXAMPLES, ids=lambda op: op.__name__)
def test_an_operation_leaves_its_inputs_as_they_were(op):
    inputs, settings = EXAMPLES[op]
    before = [x.copy() for x in inputs]
    out, all_inputs = value(op, inputs, settings)
    op.vjp(np.ones_like(out), out, *all_inputs, **settings)
    for x, was in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(x, was)


# ---- worked out by hand


def softmax(row, **settings):
    return ops.softmax.value(np.array(row, float), **settings)


def test_a_softmax_does_not_overflow():
    np.testing.assert_array_equal(softmax([1, -10, 1000]), [0, 0, 1])
    np.testing.assert_array_equal(np.round(softmax([1000, 1001, 1002]), 4), [0.0900, 0.2447, 0.6652])


@pytest.mark.parametrize("temperature", [0, 0.5, 1, 3])
def test_a_softmax_of_the_largest_numbers_there_are_does_not_overflow(temperature):
    np.testing.assert_array_equal(softmax([-1e308, 1e308], temperature=temperature), [0, 1])


@pytest.mark.parametrize("temperature", [0.0, 1e-308, 1e-300, 1e-3, 1, 3, 1e308])
def test_a_softmax_sums_to_1_at_any_temperature(temperature):
    weights = softmax([[1, 2, 2, -700], [0, 0, 0, 0], [5, -np.inf, 5, -np.inf]], temperature=temperature)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-15)


def test_at_temperature_0_ties_share():
    np.testing.assert_array_equal(softmax([1, 3, 3, 2], temperature=0), [0, 0.5, 0.5, 0])


def test_the_temperature_divides_before_the_powers():
    e = np.exp([2, 4])
    np.testing.assert_allclose(softmax([1, 2], temperature=0.5), e / e.sum(), rtol=1e-15)


@pytest.mark.parametrize("temperature", [0, 1, 2])
def test_a_row_that_is_masked_whole_is_refused(temperature):
    with pytest.raises(ValueError, match="masked whole"):
        softmax([[0, 1], [-np.inf, -np.inf]], temperature=temperature)


def test_the_first_causal_row_sees_itself_alone():
    masked = moves.causal_mask.value(draw((2, 5, 5)))
    np.testing.assert_array_equal(softmax(masked)[:, 0], [[1, 0, 0, 0, 0]] * 2)


def test_the_mask_hides_the_future_with_minus_infinity_and_leaves_the_rest():
    inf = np.inf
    np.testing.assert_array_equal(
        moves.causal_mask.value(np.array([[2, 1, 0], [3, 4, 5], [6, 7, 8]])), [[2, -inf, -inf], [3, 4, -inf], [6, 7, 8]]
    )


@pytest.mark.parametrize(
    ("row", "expected"),
    [([0, 2], [-1, 1]), ([1, 2, 3, 4], [-1.3416, -0.4472, 0.4472, 1.3416]), ([7, 7, 7], [0, 0, 0])],
)
def test_a_layer_norm_divides_by_the_standard_deviation_with_divisor_n(row, expected):
    np.testing.assert_array_equal(np.round(value(ops.normalize, (np.array([row], float),), {})[0], 4), [expected])


def test_epsilon_stands_under_the_root():
    assert asides.std.value(np.array([[7.0, 7.0]]), np.array([7.0])) == np.sqrt(1e-5)
    assert asides.std.value(np.array([[0.0, 2.0]]), np.array([1.0])) == np.sqrt(1 + 1e-5)


@pytest.mark.parametrize(("x", "expected"), [(0, 0), (1, 0.841192), (-1, -0.158808), (3, 2.996363), (-3, -0.003637)])
def test_gelu_has_its_tanh_form(x, expected):
    assert round(float(ops.gelu.value(np.float64(x))), 6) == expected  # the exact form gives 0.841345 at 1


def test_gelu_far_out_is_x_or_0():
    np.testing.assert_array_equal(ops.gelu.value(np.array([-1e3, 1e3])), [0, 1e3])


def test_heads_stand_side_by_side():
    """Two heads, two tokens, each number saying where it comes from: head, token, place."""
    marked = np.array([[[0, 1], [10, 11]], [[100, 101], [110, 111]]])
    np.testing.assert_array_equal(moves.merge_heads.value(marked), [[0, 1, 100, 101], [10, 11, 110, 111]])
    np.testing.assert_array_equal(moves.split_heads.value(np.array([[0, 1, 100, 101], [10, 11, 110, 111]]), 2), marked)


def test_what_the_heads_add_one_by_one_is_what_they_add_side_by_side():
    z, W_O = draw((2, 3, 2)), draw((4, 5))
    each = asides.per_head.value(z, W_O)
    np.testing.assert_allclose(each[1], z[1] @ W_O[2:], atol=1e-15)
    np.testing.assert_allclose(each.sum(0), moves.merge_heads.value(z) @ W_O, atol=1e-15)


def test_an_aside_is_computed_when_it_is_looked_at_and_then_kept(monkeypatch):
    looked_at = []
    monkeypatch.setattr(asides.power_of_e, "value", lambda x: looked_at.append(x) or np.exp(x))
    e = asides.power_of_e(moves.given(numbers=np.array([0.0, 1.0])))
    assert not looked_at
    np.testing.assert_allclose(asides.row_sum(e).value, 1 + np.e, rtol=1e-15)
    assert e.value is e.value and len(looked_at) == 1


def test_a_note_says_what_a_sum_cannot():
    scores = moves.given(numbers=np.zeros((1, 2, 2)))
    assert moves.causal_mask.note((0, 0, 1), scores) == "hidden: the key comes after the query"
    assert moves.causal_mask.note((0, 1, 0), scores) == ops.add.note((0, 0), scores, scores) == ""
    assert ops.softmax.note((0, 0), scores, temperature=0.5) == ""


def test_a_bias_is_added_to_every_row_and_nothing_else_of_another_shape_is():
    np.testing.assert_array_equal(ops.add.value(np.zeros((2, 3)), np.arange(3)), [[0, 1, 2]] * 2)
    for shapes in [((2, 3), (2,)), ((3,), (2, 3)), ((2, 3), (1, 3)), ((2, 3), ())]:
        with pytest.raises(ValueError, match="add needs one shape, or a row of it"):
            ops.add.value(*map(np.zeros, shapes))


@pytest.mark.parametrize("shapes", [((2, 3), (2, 3)), ((2, 3), (2,)), ((3, 3), (1, 3)), ((2, 3), ())], ids=str)
def test_only_a_row_of_gains_is_multiplied_into_every_row(shapes):
    with pytest.raises(ValueError, match="multiply needs a row of gains as long as each row of"):
        ops.multiply.value(*map(np.zeros, shapes))


@pytest.mark.parametrize("shape", [(2, 3), (2, 4, 3)])
def test_the_derivative_of_a_bias_is_the_sum_over_all_rows(shape):
    assert_derivative(ops.add, (draw(shape), draw(3)), {})


@pytest.mark.parametrize("shape", [(2, 3), (2, 4, 3)])
def test_gains_multiply_every_row_and_their_derivative_is_the_sum_over_all_rows(shape):
    np.testing.assert_array_equal(ops.multiply.value(np.ones(shape), np.arange(3.0)), np.ones(shape) * [0, 1, 2])
    assert_derivative(ops.multiply, (draw(shape), draw(3)), {})


def test_waves_begin_where_they_are_told_and_are_those_of_the_formula():
    rows = positions.waves.value(start=2, end=4, d_model=4)
    expected = [[f(place / 100**i) for i in (0, 1) for f in (np.sin, np.cos)] for place in (2, 3)]
    np.testing.assert_allclose(rows, expected, rtol=1e-12)


def test_rms_norm_and_relu_by_hand():
    rms = asides.root_mean_square.value(np.array([[3.0, 4.0], [0, 0]]))
    np.testing.assert_allclose(rms, [(12.5 + 1e-5) ** 0.5, 1e-5**0.5], rtol=1e-15)
    np.testing.assert_allclose(ops.scale.value(np.array([[3.0, 4.0]]), rms[:1]), [[3 / rms[0], 4 / rms[0]]], rtol=1e-15)
    np.testing.assert_array_equal(ops.relu.value(np.array([-2.0, 0, 3])), [0, 0, 3])
    np.testing.assert_array_equal(ops.relu.vjp(np.ones(3), None, np.array([-2.0, 0, 3]))[0], [0, 0, 1])


def test_a_cross_entropy_is_minus_ln_p_and_does_not_overflow():
    logits = np.log([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1]])
    np.testing.assert_allclose(ops.cross_entropy.value(logits, [0], [2]), -np.log(0.5), rtol=1e-15)
    np.testing.assert_allclose(ops.cross_entropy.value(logits, [0, 1], [0, 1]), -np.log(0.2 * 0.8) / 2, rtol=1e-15)
    np.testing.assert_allclose(ops.cross_entropy.value(np.array([[1000.0, 0]]), [0], [1]), 1000, rtol=1e-15)


def test_a_power_of_e_beyond_float64_is_infinite_without_a_warning():
    np.testing.assert_array_equal(asides.power_of_e.value(np.array([-np.inf, 0, 710])), [0, 1, np.inf])


def test_a_sum_of_powers_beyond_float64_is_infinite_without_a_warning():
    np.testing.assert_array_equal(asides.row_sum.value(np.exp([[709.5, 709.5], [0, 0]])), [np.inf, 2])
