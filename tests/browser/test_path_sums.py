"""The widest sum of the path, that of a probability at temperature 0: all of it is to be seen."""

import pytest
from playwright.sync_api import expect

from .lab import SETUP
from .reading import sticks_out

CELLS = [SETUP, "tm.views.Path(temperature=0.0, opened='probs')"]


@pytest.mark.parametrize("width", [1280, 700])
def test_at_temperature_0_the_sum_of_a_probability_is_all_to_be_seen(lesson, width):
    lesson.look(width=width)
    fraction = lesson.views.first.locator(".tm-lines mfrac").first
    expect(fraction).to_be_visible()
    place = lesson.views.first.locator(".tm-lines").bounding_box()
    for k in (0, 1):  # above and below
        box = fraction.locator("> *").nth(k).bounding_box()
        assert place["x"] <= box["x"] and box["x"] + box["width"] <= place["x"] + place["width"] + 1
    assert not sticks_out(lesson.views.first)
