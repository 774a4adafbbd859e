"""A model that writes names, letter by letter: one block, four heads, RMSNorm and ReLU, no biases."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from ..core.ops import relu
from ..core.steps import Step, under
from ..language import _
from ..text.names import END, NAMES, characters
from .glosses import ATTENTION, BLOCK, EMBEDDING, ENDING, MLP, POS
from .layers import attention, embedding, mlp, rms_norm
from .model import Model

N_CTX, N_HEADS, D_MODEL, D_MLP, SPREAD = 16, 4, 16, 64, 0.08
VOCAB = (*characters(NAMES), END)


def decoder(step, ids):
    """From ids to the logits of the next letter: (pos) -> (pos, d_vocab). No norm stands before them."""
    x = rms_norm(step.within("ln_embed"), embedding(step, ids))
    return step("logits", block(step.within("blocks.0"), x) @ step.weight("W_U"))


def block(step, x):
    """Attention, then the MLP; each reads an RMSNorm of the residual stream and adds to it: (pos, d_model) -> same."""
    x = step("resid_pre", x)
    attn_out = attention(step.within("attn"), rms_norm(step.within("ln1"), x), N_HEADS, causal=True)
    h = step("resid_mid", x + attn_out)
    return step("resid_post", h + mlp(step.within("mlp"), rms_norm(step.within("ln2"), h), relu))


class Weights(dict):
    """The named arrays of such a model; `vocab` says which sign each row of W_E stands for, the end among them."""

    def __init__(self, arrays, vocab):
        super().__init__(arrays)
        self.vocab = tuple(vocab)

    def __or__(self, others):
        return Weights({**self, **others}, self.vocab)

    def __ror__(self, others):
        return Weights({**others, **self}, self.vocab)

    def copy(self):
        return Weights(self, self.vocab)


def shapes(d_vocab):
    """The shape of each weight, by its name."""
    square = (D_MODEL, D_MODEL)
    attn = {f"blocks.0.attn.{name}": square for name in ("W_Q", "W_K", "W_V", "W_O")}
    mlp = {"blocks.0.mlp.W_in": (D_MODEL, D_MLP), "blocks.0.mlp.W_out": (D_MLP, D_MODEL)}
    return {"W_E": (d_vocab, D_MODEL), "W_pos": (N_CTX, D_MODEL), **attn, **mlp, "W_U": (D_MODEL, d_vocab)}


def drawn(draw, vocab):
    """Weights as training finds them, from a RandomState: all from N(0, 0.08^2)."""
    return Weights({name: SPREAD * draw.standard_normal(it) for name, it in shapes(len(vocab)).items()}, vocab)


def stored():
    """The weights that training on the course's names leaves from seed 0: a fresh copy."""
    with np.load(Path(__file__).parents[1] / "data" / "names.npz") as file:
        return Weights(dict(file), VOCAB)


# ---- what is said of its steps


def norm(of, prime, symbol, gloss):
    """An RMSNorm of the step whose symbol is `of`; the symbol and gloss of what it makes."""
    rms = _("The root of the mean square of each row of {of}, epsilon included.", of=of)
    return {"rms": Step("ρ" + prime, ("pos",), rms, "root mean square"), "out": Step(symbol, POS, gloss, "RMSNorm")}


STREAM = {name: BLOCK[name] for name in ("resid_pre", "resid_mid", "resid_post")}
RELU = {"post": MLP["post"]._replace(gloss=_("The neurons after ReLU: what is below 0 is 0."), aliases="relu")}
ABOUT = {
    **EMBEDDING,
    **under("ln_embed", norm(_("token plus place"), "", "e", _("Token plus place, over their root mean square."))),
    **under("blocks.0", STREAM),
    **under("blocks.0.ln1", norm("x", "′", "u", _("Each row over its root mean square: what attention reads."))),
    **under("blocks.0.attn", ATTENTION),
    **under("blocks.0.ln2", norm("h", "″", "u′", _("Each row over its root mean square: what the MLP reads."))),
    **under("blocks.0.mlp", MLP | RELU),
    **ENDING,
}


def model_of(weights=None):
    """The Model of these weights and their alphabet; without any, that of the course's names, trained.

    A plain dict, which has no alphabet, is taken for weights of the letters a to z. Raises ValueError for what has
    other rows than that, and for what are no such weights.
    """
    if weights is None:
        return _trained()
    vocab = weights.vocab if isinstance(weights, Weights) else VOCAB
    W_E = weights.get("W_E") if isinstance(weights, Mapping) else None
    if isinstance(W_E, np.ndarray) and W_E.ndim == 2 and len(W_E) != len(vocab):
        raise ValueError(
            _(
                "W_E has {n} rows, the alphabet {m} signs: keep both together, as `train` and `load` do, or change "
                "single weights with t.again(weights=...).",
                n=len(W_E),
                m=len(vocab),
            )
        )
    model = _model(drawn(np.random.RandomState(0), vocab))
    return replace(model, weights={name: it.value for name, it in model.checked_weights(weights).items()})


@cache
def _trained():
    return _model(stored())


def _model(weights):
    return Model(decoder, weights, {}, ABOUT, weights.vocab, N_CTX, END, ends_every_text=True)
