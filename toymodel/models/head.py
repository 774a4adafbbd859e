"""One head by itself, on matrices of one's own: the formula of attention and nothing else."""

from ..core.arguments import checked_causal, checked_numbers, within_float64
from ..core.ops import given
from ..core.trace import Recorder, Trace
from ..language import _
from .layers import scaled_dot_product_attention


def head(step, x, causal):
    """softmax(QK^T / sqrt(d_k) + mask) V with Q, K, V made from x: (pos, d_model) -> (pos, d_v)."""
    x = step("x", x)
    q = step("q", x @ step.weight("W_Q"))  # (pos, d_k)
    k = step("k", x @ step.weight("W_K"))
    v = step("v", x @ step.weight("W_V"))  # (pos, d_v)
    return scaled_dot_product_attention(step, q, k, v, causal)


def attend(X, W_Q, W_K, W_V, causal=False):
    """One head on your own matrices: a Trace with the steps x, q, k, v, dots, scores, masked_scores, pattern, z.

    X is (pos, d_model), a row for each token; W_Q and W_K are (d_model, d_k), W_V is (d_model, d_v). The rows are
    called t0, t1, t2 ... Raises ValueError with a sentence for matrices that do not fit each other.
    """
    X = checked_numbers(X, "X", (None, None))
    weights = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}
    weights = {name: checked_numbers(W, name, (None, None)) for name, W in weights.items()}
    if not all(matrix.size for matrix in (X, *weights.values())):
        raise ValueError(_("each matrix needs at least one row and one column."))
    m = X.shape[1]
    for name, W in weights.items():
        if len(W) != m:
            raise ValueError(_("{name} needs as many rows as X has columns: {m}, not {n}.", name=name, m=m, n=len(W)))
    n, m = weights["W_Q"].shape[1], weights["W_K"].shape[1]
    if n != m:
        raise ValueError(_("W_K needs as many columns as W_Q: {n}, not {m}.", n=n, m=m))
    causal = checked_causal(causal)
    step = Recorder(weights)
    with within_float64():
        head(step, given(numbers=X), causal)
    return Trace(step, [f"t{i}" for i in range(len(X))], list(range(len(X))), (), {"causal": causal})
