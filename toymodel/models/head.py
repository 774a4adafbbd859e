"""One head by itself, on matrices of one's own: the formula of attention and nothing else."""

from ..core.arguments import checked_numbers
from ..core.moves import given
from ..core.steps import Step
from ..language import _
from .glosses import ATTENTION, POS
from .layers import scaled_dot_product_attention
from .model import Model


def head(step, x, causal):
    """softmax(QK^T / sqrt(d_k) + mask) V with Q, K, V made from x: (pos, d_model) -> (pos, d_v)."""
    x = step("x", given(numbers=checked_numbers(x, "X", (None, len(step.weight("W_Q").value)))))
    q = step("q", x @ step.weight("W_Q"))  # (pos, d_k)
    k = step("k", x @ step.weight("W_K"))
    v = step("v", x @ step.weight("W_V"))  # (pos, d_v)
    return scaled_dot_product_attention(step, q, k, v, causal)


def _alone(name, *axes):
    return ATTENTION[name]._replace(axes=axes)


HEAD = {  # attention's steps and weights, without the axis of heads
    "x": Step("x", POS, _("The input: one row for each token."), "input"),
    "q": _alone("q", "pos", "d_k"),
    "k": _alone("k", "pos", "d_k"),
    "v": _alone("v", "pos", "d_v"),
    "dots": _alone("dots", "query", "key"),
    "scores": _alone("scores", "query", "key")._replace(gloss=_("The dots over the square root of d_k.")),
    "masked_scores": _alone("masked_scores", "query", "key"),
    "exp_scores": _alone("exp_scores", "query", "key"),
    "exp_scores_sum": _alone("exp_scores_sum", "query"),
    "pattern": _alone("pattern", "query", "key"),
    "z": _alone("z", "pos", "d_v")._replace(gloss=_("The values, mixed by the weights: what each token reads.")),
    "W_Q": _alone("W_Q", "d_model", "d_k"),
    "W_K": _alone("W_K", "d_model", "d_k"),
    "W_V": _alone("W_V", "d_model", "d_v"),
}


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
    return Model(head, weights, {"causal": (False, True)}, HEAD).run(X, causal=causal)
