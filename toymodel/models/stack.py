"""MLPs on top of each other, with residual connections or without: what becomes of the gradient on its way down?"""

import numpy as np

from ..core.arguments import checked_count, finite, within_float64
from ..core.asides import power_of_e, row_sum
from ..core.ops import given, softmax
from ..core.trace import Recorder, Trace
from ..language import _
from .layers import mlp
from .sizes import TOY
from .toy import run
from .toy_weights import TOY_WEIGHTS, VOCAB

MOST_BLOCKS = 100  # blocks; the walk back goes a few functions deeper with each
SPREAD, SEED = 0.3, 0  # of the random weights: with these, one MLP passes on less than half of a gradient


def tower(step, x, n_blocks, residual):
    """MLP after MLP; residual connections are all that differs (no LayerNorm): (pos, d_model) -> (pos, d_vocab)."""
    for i in range(n_blocks):
        block = step.within(f"blocks.{i}")
        x = block("resid_pre", x)
        m = mlp(block.within("mlp"), x)
        x = block("resid_post", x + m if residual else m)
    logits = step("logits", x @ step.weight("W_U"))
    step("exp_logits_sum", row_sum(step("exp_logits", power_of_e(logits))))
    return step("probs", softmax(logits))


def stack(text, n_blocks=8, residual=True, spread=SPREAD):
    """The toy's embedding of `text`, then MLPs with random weights, the same at every call, then W_U: a Trace.

    `spread` is the standard deviation of the weights. Raises ValueError with a sentence for a number of blocks, or a
    spread, that cannot be.
    """
    n_blocks = checked_count("n_blocks", n_blocks, MOST_BLOCKS)
    if (finite(spread) or 0) <= 0:
        raise ValueError(_("spread must be a number above 0, not {it!r}.", it=spread))
    t, draw, weights = run(text), np.random.RandomState(SEED).standard_normal, {"W_U": TOY_WEIGHTS["W_U"]}
    with within_float64():
        for i in range(n_blocks):
            for name, shape in {"W_in": (TOY.d_model, TOY.d_mlp), "W_out": (TOY.d_mlp, TOY.d_model)}.items():
                weights[f"blocks.{i}.mlp.{name}"] = spread * draw(shape)
        step = Recorder(weights)
        tower(step, given(numbers=t["blocks.0.resid_pre"]), n_blocks, residual)
    settings = {"n_blocks": n_blocks, "residual": bool(residual), "spread": float(spread), "temperature": 1.0}
    return Trace(step, t.tokens, t.ids, VOCAB, settings)
