"""No single weight turns the roof into the wall with less than the answer of end_to_end.smallest_change."""

import numpy as np
import pytest

import toymodel as tm
from toymodel.replies.checks import exercises

TEXT, ROOF, WALL = "o gato subiu no", 6, 7
EVERY = [(key, i) for key, it in tm.toy_weights().items() for i in np.ndindex(np.shape(it))]
IN_REACH = [("W_U", (i, j)) for i in range(4) for j in (ROOF, WALL)]


def last_logits(weights, ids):
    """The logits of the last row, from the formulas alone, for many weights at once: each may have a first axis."""
    w = {name.rpartition(".")[2]: it for name, it in weights.items()}

    def normed(x):
        away = x - x.mean(axis=-1, keepdims=True)
        return away / np.sqrt((away**2).mean(axis=-1, keepdims=True) + 1e-5)

    x = w["W_E"][..., ids, :] + w["W_pos"][..., : len(ids), :]
    q, k, v = (normed(x) @ w[name] for name in ("W_Q", "W_K", "W_V"))
    read = []
    for cut in (slice(0, 2), slice(2, 4)):
        scores = q[..., -1:, cut] @ np.swapaxes(k[..., cut], -1, -2) / 2**0.5
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        read.append(e / e.sum(axis=-1, keepdims=True) @ v[..., cut])
    h = x[..., -1:, :] + np.concatenate(np.broadcast_arrays(*read), axis=-1) @ w["W_O"]
    pre = normed(h) @ w["W_in"]
    post = 0.5 * pre * (1 + np.tanh((2 / np.pi) ** 0.5 * (pre + 0.044715 * pre**3)))
    return (normed(h + post @ w["W_out"]) @ w["W_U"])[..., 0, :]


def moved(key, place, changes):
    """The logits with one weight moved by each of these changes."""
    weights = dict(tm.toy_weights())
    many = np.repeat(np.asarray(weights[key], float)[None], len(changes), axis=0)
    many[(slice(None), *place)] += changes
    return last_logits(weights | {key: many}, tm.encode(TEXT))


def ahead(key, place, changes):
    """How far the likeliest other token is ahead of the wall."""
    logits = moved(key, place, changes)
    return np.delete(logits, WALL, axis=1).max(axis=1) - logits[:, WALL]


@pytest.fixture
def answer():
    return exercises()["end_to_end.smallest_change"]().answer


def test_the_formulas_give_the_run():
    np.testing.assert_allclose(moved("W_E", (0, 0), [0.0])[0], tm.run(TEXT)["logits"][-1], atol=1e-12)


def test_with_the_answer_two_weights_do_it_and_with_less_none_does(answer):
    """In W_U a logit moves evenly: its ends tell. Elsewhere, between two changes too little moves to close the gap."""
    do_it = [(*it, sign) for it in IN_REACH for sign in (-1, 1) if ahead(*it, [sign * answer * 1.001])[0] < 0]
    assert do_it == [("W_U", (3, ROOF), -1), ("W_U", (3, WALL), 1)]
    assert not any((ahead(*it, [-answer * 0.999, 0, answer * 0.999]) < 0).any() for it in IN_REACH)
    changes = np.linspace(-answer, answer, 400)
    for it in sorted({*EVERY} - {*IN_REACH}):
        gap = ahead(*it, changes)
        assert gap.min() > 5 * np.abs(np.diff(gap)).max(), it


def test_eight_weights_can_do_it_at_all_within_six_either_way():
    assert len(EVERY) == 256
    assert [it for it in EVERY if (ahead(*it, np.arange(-6, 6.05, 0.1)) < 0).any()] == IN_REACH


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (1.0767, "12 % above the smallest"),
        (0.9643, "0.3 % above the smallest"),
        (-0.9613, "without the sign"),
        (-5, "without the sign"),
        (0.95, "With so little no weight does it"),
        (5, "Which weights are multiplied last"),
    ],
)
def test_a_hunter_is_told_how_far_there_is_to_go(given, told):
    tm.check("end_to_end.smallest_change", 0.961281)  # right: hints begin anew
    assert told in tm.check("end_to_end.smallest_change", given)
