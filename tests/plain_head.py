"""One head once more, written from the formula alone: nothing here is toymodel's."""

import numpy as np

STEPS = ["x", "q", "k", "v", "dots", "scores", "masked_scores", "exp_scores", "exp_scores_sum", "pattern", "z"]


def matrices(pos, d_model, d_k, d_v, seed=0):
    draw = np.random.RandomState(seed).standard_normal
    return {"X": draw((pos, d_model)), "W_Q": draw((d_model, d_k)), "W_K": draw((d_model, d_k))} | {
        "W_V": draw((d_model, d_v))
    }


def plain(X, W_Q, W_K, W_V, causal):
    """Every step by the formula of the paper: row by row, a softmax over the keys that may be seen."""
    n, (q, k, v) = len(X), (np.einsum("pi,ij->pj", X, W) for W in (W_Q, W_K, W_V))
    dots = np.array([[sum(q[i] * k[j]) for j in range(n)] for i in range(n)])
    scores = dots / len(q[0]) ** 0.5
    masked, powers = np.full((n, n), -np.inf), np.zeros((n, n))
    for i in range(n):
        seen = range(i + 1 if causal else n)
        masked[i, seen], powers[i, seen] = scores[i, seen], np.exp(scores[i, seen])
    sums = np.array([sum(row) for row in powers])
    pattern = powers / sums.reshape(n, 1)
    z = np.array([sum(pattern[i, j] * v[j] for j in range(n)) for i in range(n)])
    return dict(zip(STEPS, [X, q, k, v, dots, scores, masked, powers, sums, pattern, z], strict=True))
