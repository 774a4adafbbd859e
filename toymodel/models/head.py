"""One head by itself, on matrices of one's own: the formula of attention and nothing else."""

from string import ascii_lowercase

from ..language import _
from ..ops import given
from ..trace import Recorder, Trace, checked_numbers, within_float64
from .arguments import checked_causal
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

    X is (pos, d_model), a row for each token, up to 26; W_Q and W_K are (d_model, d_k), W_V is (d_model, d_v).
    Rows are called a, b, c ... Raises ValueError with a sentence for matrices that do not fit each other.
    """
    X = checked_numbers(X, "X", (None, None))
    n, d_model = X.shape
    if not 0 < n <= len(ascii_lowercase) or not d_model:
        raise ValueError(_("X needs 1 to 26 rows of at least one number; its shape is {shape}.", shape=X.shape))
    W_Q = checked_numbers(W_Q, "W_Q", (d_model, None))
    W_K = checked_numbers(W_K, "W_K", (d_model, W_Q.shape[1]))
    W_V = checked_numbers(W_V, "W_V", (d_model, None))
    if not W_Q.shape[1] or not W_V.shape[1]:
        raise ValueError(_("W_Q, W_K and W_V need at least one column each."))
    causal = checked_causal(causal)
    step = Recorder({"W_Q": W_Q, "W_K": W_K, "W_V": W_V})
    with within_float64():
        head(step, given(numbers=X), causal)
    return Trace(step, list(ascii_lowercase[:n]), list(range(n)), (), {"causal": causal})
