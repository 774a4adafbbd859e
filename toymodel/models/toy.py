"""The toy: a pre-LayerNorm decoder with one block, small enough to be worked through by hand."""

from ..core.steps import under
from ..text.tokenizer import text_of
from .glosses import BLOCK, EMBEDDING, ENDING, NORM_FINAL
from .layers import attention, embedding, layer_norm, mlp
from .model import Model
from .sizes import TOY_SIZES
from .toy_weights import TOY_WEIGHTS, VOCAB


def decoder(step, ids, n_heads, causal):
    """From token ids to the logits of what comes next (Radford et al. 2019): (pos) -> (pos, d_vocab)."""
    x = embedding(step, ids)
    for i in range(TOY_SIZES.n_layers):
        x = block(step.within(f"blocks.{i}"), x, n_heads, causal)
    f = layer_norm(step.within("ln_final"), x)
    return step("logits", f @ step.weight("W_U"))  # (pos, d_vocab)


def block(step, x, n_heads, causal):
    """Attention, then the MLP; each reads a LayerNorm of the residual stream and adds to it: (pos, d_model) -> same."""
    x = step("resid_pre", x)
    attn_out = attention(step.within("attn"), layer_norm(step.within("ln1"), x), n_heads, causal)
    h = step("resid_mid", x + attn_out)
    mlp_out = mlp(step.within("mlp"), layer_norm(step.within("ln2"), h))
    return step("resid_post", h + mlp_out)


TOY = Model(
    forward=decoder,
    weights=TOY_WEIGHTS,
    choices={"n_heads": (2, 1, 4), "causal": (True, False)},  # heads: what divides d_model
    about=EMBEDDING | under("blocks.0", BLOCK) | under("ln_final", NORM_FINAL) | ENDING,
    vocab=VOCAB,
    n_ctx=TOY_SIZES.n_ctx,
    end="<eot>",
)


def encode(text):
    """The ids of the toy's tokens in `text`: encode("o gato") == [0, 2]. Raises ValueError for any other text."""
    return TOY.encode(text)


def decode(ids):
    """The text that toy token ids spell: decode([0, 2]) == "o gato"."""
    return text_of(ids, VOCAB)
