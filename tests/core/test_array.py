"""The way behind an Array: as long as it may be, inputs first, each once."""

import numpy as np

from toymodel.core.array import path_to
from toymodel.core.moves import given
from toymodel.learning.backprop import walk_back


def test_a_path_of_many_thousand_operations_is_walked_both_ways():
    x = sum_ = given(numbers=np.ones((1, 1)))
    for _n in range(20_000):
        sum_ = sum_ + x
    behind = list(path_to(sum_))
    assert len(behind) == 20_001 and behind[0] is x and behind[-1] is sum_
    assert walk_back(sum_)[x] == 20_001


def test_inputs_come_before_what_is_computed_from_them_and_each_once():
    a, b = (given(numbers=np.eye(2)) for _n in range(2))
    c = a @ b
    d = c + c.T
    e = d @ a + c
    behind = list(path_to(e))
    assert len(behind) == len(set(behind)) == 7 and behind[:3] == [a, b, c]
    for array in behind:
        assert all(behind.index(x) < behind.index(array) for x in array.inputs)
