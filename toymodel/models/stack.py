"""MLPs on top of each other, with residual connections or without: what becomes of the gradient on its way down?"""

import numpy as np

from ..core.arguments import checked_choice, checked_count, checked_positive, within_float64
from ..core.moves import given
from ..core.steps import under
from .glosses import BLOCK, ENDING
from .layers import mlp
from .model import Model
from .sizes import TOY_SIZES
from .toy import TOY

MOST_BLOCKS = 100  # more of them, and nothing new is to be seen
SPREAD, SEED = 0.3, 0  # of the random weights: with these, one MLP passes on less than half of a gradient


def tower(step, x, n_blocks, residual):
    """MLP after MLP; residual connections are all that differs (no LayerNorm): (pos, d_model) -> (pos, d_vocab)."""
    for i in range(n_blocks):
        block = step.within(f"blocks.{i}")
        x = block("resid_pre", x)
        m = mlp(block.within("mlp"), x)
        x = block("resid_post", x + m if residual else m)
    return step("logits", x @ step.weight("W_U"))


def stack(text, n_blocks=8, residual=True, spread=SPREAD):
    """The toy's embedding of `text`, then MLPs with random weights, the same at every call, then W_U: a Trace.

    `spread` is the standard deviation of the weights. Raises ValueError with a sentence for a number of blocks, or a
    spread, that cannot be.
    """
    n_blocks, spread = checked_count("n_blocks", n_blocks, MOST_BLOCKS), checked_positive("spread", spread)
    residual = checked_choice("residual", residual, (True, False))
    draw, weights = np.random.RandomState(SEED).standard_normal, {"W_U": TOY.weights["W_U"]}
    shapes = {"W_in": (TOY_SIZES.d_model, TOY_SIZES.d_mlp), "W_out": (TOY_SIZES.d_mlp, TOY_SIZES.d_model)}
    with within_float64():
        for i in range(n_blocks):
            weights |= {f"blocks.{i}.mlp.{name}": spread * draw(shape) for name, shape in shapes.items()}

    def forward(step, ids, n_blocks, residual):
        return tower(step, given(numbers=embedded(ids)), n_blocks, residual)

    about = ENDING | {key: it for i in range(n_blocks) for key, it in under(f"blocks.{i}", BLOCK).items()}
    model = Model(
        forward, weights, {"n_blocks": (n_blocks,), "residual": (True, False)}, about, TOY.vocab, TOY.n_ctx, TOY.end
    )
    return model.run(model.encode(text), residual=residual)


def embedded(ids):
    """What enters the toy's block: (pos, d_model)."""
    return TOY.run(ids)["blocks.0.resid_pre"]
