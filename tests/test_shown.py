"""The one way in which numbers are shown."""

import numpy as np
import pytest

from toymodel.shown import rounded, shown, shown_small

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.64, "0.640"),
        (-1.2394, "-1.239"),
        (0, "0.000"),
        (-0.0, "0.000"),
        (-0.0004, "0.000"),
        (0.0004, "0.000"),
        (1, "1.000"),
        (True, "1.000"),
        (np.float32(0.1), "0.100"),
        (-np.inf, "-inf"),
        (np.inf, "inf"),
        (np.nan, "nan"),
        (999999.9994, "999999.999"),
        (1234567890, "1.235e+09"),
        (-2.5e300, "-2.500e+300"),
        (5e-324, "0.000"),
    ],
)
def test_a_number_has_three_decimals_and_no_minus_before_zero(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *[(0.928, "0.928"), (1.7071, "1.707"), (-0.605, "-0.605"), (0, "0"), (-0.0, "0"), (np.inf, "inf")],
        *[(0.0014254, "0.00143"), (-0.0336, "-0.0336"), (0.1, "0.100"), (0.09994, "0.0999"), (0.09996, "0.100")],
        *[(0.001, "0.00100"), (np.nextafter(0.001, 0), "0.00100"), (np.nextafter(0.001, 1), "0.00100")],
        *[
            (2.5e-9, "2.50e-09"),
            (-0.0000657, "-6.57e-05"),
            (0.00009996, "0.000100"),
            (9e-10, "0.000"),
            (-1e-17, "0.000"),
            (5e-324, "0.000"),
            (2e8, "2.000e+08"),
        ],
    ],
)
def test_a_small_derivative_shows_three_digits_that_count(value, text):
    assert shown_small(value) == text


@pytest.mark.parametrize("tie", [0.00125, 0.0625, -0.0000335, 0.09995, 0.0101])
def test_neighbours_of_a_tie_of_small_numbers_show_the_same(tie):
    assert len({shown_small(x) for x in (np.nextafter(tie, -np.inf), tie, np.nextafter(tie, np.inf))}) == 1


@pytest.mark.parametrize("tie", [0.0005, 0.0625, 0.0025, 0.6465, -0.5775, 1.0005, 123.4565, 2.4995, 0.9995])
def test_neighbours_of_a_tie_show_the_same(tie):
    assert len({shown(x) for x in (np.nextafter(tie, -np.inf), tie, np.nextafter(tie, np.inf), tie * (1 + 4e-16))}) == 1


@pytest.mark.parametrize("tie", [0.0005, -0.5775, 123.4565])
def test_numbers_clearly_on_either_side_of_a_tie_keep_their_sides(tie):
    assert shown(tie - 1e-8) != shown(tie + 1e-8)


def test_text_and_tables_round_alike():
    values = np.concatenate([np.random.RandomState(0).standard_normal(2000), np.arange(-50, 50) / 2000])
    for value, r in zip(values, rounded(values), strict=True):
        assert f"{r:.3f}" == shown(value)
        assert not (r == 0 and np.signbit(r))


def test_what_is_rounded_once_stays_as_it_is():
    values = rounded(np.random.RandomState(1).standard_normal(1000))
    np.testing.assert_array_equal(rounded(values), values)


@pytest.mark.parametrize("values", [0.5, [0.5], [[0.5, -0.0]], np.float64(2), np.zeros((2, 0)), [1, 2]])
def test_rounding_keeps_the_shape_and_leaves_the_original(values):
    before = np.array(values)
    assert rounded(values).shape == np.shape(values)
    np.testing.assert_array_equal(values, before)
