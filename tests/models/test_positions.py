"""Positions made of waves, beside printed figures and plain Python."""

import math
import re

import numpy as np
import pytest

import toymodel as tm


def test_the_first_places_of_width_four():
    np.testing.assert_allclose(tm.sinusoids(2, 4), [[0, 1, 0, 1], [0.8415, 0.5403, 0.0100, 1.0000]], atol=5e-5)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (8, 4), (5, 3), (50, 512)])
def test_every_number_is_that_of_the_formula(n, d):
    P = tm.sinusoids(n, d)
    assert P.shape == (n, d)
    for place in range(n):
        for i in range(0, d, 2):
            angle = place / 10000 ** (i / d)
            wanted = [math.sin(angle), math.cos(angle)][: d - i]
            assert P[place, i : i + 2] == pytest.approx(wanted, abs=1e-12)


def test_the_dot_product_of_two_places_tells_only_how_far_apart_they_are():
    P = tm.sinusoids(30, 8)
    for k in range(30):
        np.testing.assert_allclose(np.diagonal(P @ P.T, k), (P @ P.T)[0, k], atol=1e-12)


@pytest.mark.parametrize(
    "sizes", [(0, 4), (4, 0), (-1, 4), (2.0, 4), ("a", 4), (4, None), (True, 4), (10**9, 4)], ids=str
)
def test_sizes_that_are_no_sizes_are_refused(sizes):
    name, wrong = next((name, it) for name, it in zip(("n_ctx", "d_model"), sizes, strict=True) if it != 4)
    message = f"{name} must be a whole number from 1 to 10,000, not {wrong!r}."
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        tm.sinusoids(*sizes)
