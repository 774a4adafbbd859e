"""Six blocks in plain numpy: against the recorder's own parts, the softmax by hand, and the figures of a reference."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from toymodel.core.moves import given
from toymodel.models import overflow
from toymodel.models.encoder_decoder import encoder_block
from toymodel.models.encoder_decoder_glosses import ABOUT
from toymodel.models.model import Model
from toymodel.models.worked_example import X

pytestmark = pytest.mark.filterwarnings("error")

FACTS = json.loads((Path(__file__).parents[1] / "reference" / "encoder_decoder.json").read_text(encoding="utf-8"))
FACTS = FACTS["n_overflow"]
N = 60


def test_the_two_softmaxes_are_the_same_where_the_plain_one_can_be():
    for row in ([0.0, 1.0, -2.0], [700.0, 699.0, 698.0]):
        expected = [1 / sum(math.exp(other - it) for other in row) for it in row]
        for softmax in (overflow.plain_softmax, overflow.stable_softmax):
            np.testing.assert_allclose(softmax(np.array([row])), [expected], rtol=1e-12)
    np.testing.assert_allclose(
        overflow.stable_softmax(np.array([[1000.0, 1001, 1002]])), [[0.0900, 0.2447, 0.6652]], atol=5e-5
    )
    assert overflow.stable_softmax(np.array([[1, -10, 1000.0]])).tolist() == [[0, 0, 1]]


def test_the_plain_softmax_says_what_the_lesson_quotes():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert np.isnan(overflow.plain_softmax(np.array([[1.0, 1000.0]]))).any()
    assert [str(it.message) for it in said] == ["overflow encountered in exp", "invalid value encountered in divide"]


def recorded(seed):
    """Six encoder blocks of the course's own parts on the same draws: post-LayerNorm."""
    draw, weights = np.random.RandomState(seed).standard_normal, {}
    for i in range(6):
        heads = [[draw((4, 3)) for _name in "QKV"] for _head in range(2)]
        at = f"encoder.{i}."
        for k, name in enumerate("QKV"):
            weights[f"{at}self.W_{name}"] = np.hstack([head[k] for head in heads])
        weights[f"{at}self.W_O"] = draw((6, 4))
        weights |= {f"{at}mlp.W_in": draw((4, 8)), f"{at}mlp.b_in": draw(8)}
        weights |= {f"{at}mlp.W_out": draw((8, 4)), f"{at}mlp.b_out": draw(4)}
        weights |= {f"{at}ln{n}.{name}": np.full(4, float(name == "gain")) for n in (1, 2) for name in ("gain", "bias")}

    def forward(step, x):
        x = given(numbers=x)
        for i in range(6):
            x = encoder_block(step.within(f"encoder.{i}"), x, 2)

    return Model(forward, weights, {}, ABOUT).run(X)["encoder.5.ln2.out"]


@pytest.mark.parametrize("seed", range(3))
def test_with_residual_and_layer_norm_it_is_the_encoder_of_the_course(seed):
    mine = overflow.six_blocks(X, seed, overflow.stable_softmax, overflow.added_and_normed)
    np.testing.assert_allclose(mine, recorded(seed), rtol=0, atol=1e-9)


def in_plain_python(seed, spread):
    """Without residual and norm: number by number, in Python's own floats."""
    random = np.random.RandomState(seed)

    def draw(n, m):
        return [[spread * float(it) for it in row] for row in random.standard_normal((n, m))]

    def times(a, b):
        return [
            [math.fsum(p * q for p, q in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a
        ]

    x = [list(map(float, row)) for row in X]
    for _block in range(6):
        read = [[], []]
        for _head in range(2):
            q, k, v = (times(x, draw(4, 3)) for _name in "qkv")
            for i, row in enumerate(times(q, list(zip(*k, strict=True)))):
                e = [math.exp((it - max(row)) / 3**0.5) for it in row]
                read[i] += times([[it / sum(e) for it in e]], v)[0]
        x = times(read, draw(6, 4))
        hidden, (bias,) = times(x, draw(4, 8)), draw(1, 8)
        hidden = [[max(it + b, 0.0) for it, b in zip(row, bias, strict=True)] for row in hidden]
        x, (bias,) = times(hidden, draw(8, 4)), draw(1, 4)
        x = [[it + b for it, b in zip(row, bias, strict=True)] for row in x]
    return x


@pytest.mark.parametrize(("seed", "spread"), [(0, 0.5), (1, 0.5), (2, 1.0)])
def test_without_them_it_is_the_sum_of_products_that_it_says(seed, spread):
    mine = overflow.six_blocks(X, seed, overflow.stable_softmax, overflow.alone, spread)
    np.testing.assert_allclose(mine, in_plain_python(seed, spread), rtol=1e-9)


def test_what_is_lost_to_the_softmax_and_what_grows_are_two_faults():
    plain = overflow.growth(overflow.plain_softmax, n_seeds=N)
    stable = overflow.growth(overflow.stable_softmax, n_seeds=N)
    whole = overflow.growth(joined=overflow.added_and_normed, n_seeds=N)
    assert (plain.n, plain.lost) == (N, N * FACTS["plain"] // 1000) and np.isnan(plain.largest)
    assert stable.lost == FACTS["stable"] and FACTS["largest"][0] / 5 < stable.largest < FACTS["largest"][1] * 5
    assert whole.lost == 0 and whole.largest == pytest.approx(FACTS["with residual and LayerNorm"], abs=0.05)


def test_half_as_large_weights_make_overflow_rare():
    low, high = FACTS["plain, half as large"]
    half = overflow.growth(overflow.plain_softmax, n_seeds=300, spread=0.5)
    assert low / 8 < half.lost < high and half.largest < 100


@pytest.mark.parametrize("n", [0, -1, 2.5, "many", 10_001])
def test_a_number_of_seeds_that_is_none_is_refused(n):
    with pytest.raises(ValueError, match=r"^n_seeds must be a whole number from 1 to 10,000"):
        overflow.growth(n_seeds=n)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"softmax": None}, "softmax must be plain_softmax or stable_softmax, not None"),
        ({"joined": "alone"}, "joined must be alone or added_and_normed, not 'alone'"),
        ({"spread": 0}, "spread must be a number above 0, not 0"),
        ({"spread": "wide"}, "spread must be a number above 0, not 'wide'"),
    ],
)
def test_other_parts_and_spreads_are_refused(given, message):
    with pytest.raises(ValueError, match=f"^{message}"):
        overflow.growth(**given)
