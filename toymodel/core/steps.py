"""The vocabulary of steps and weights: how each is written, what its axes are, what it is, what else it is called."""

import re
from typing import NamedTuple

from ..language import _
from ..quoted import quoted


class Step(NamedTuple):
    symbol: str  # in formulas and written-out sums
    axes: tuple
    gloss: str  # one sentence
    aliases: str = ""  # other names, so that a question for one of them finds its way


_POS = ("pos", "d_model")
_HEAD = ("head", "pos", "d_head")
_SQUARE = ("head", "query", "key")
_MLP = ("pos", "d_mlp")
_VOCAB = ("pos", "d_vocab")

STEPS = {
    "embed": Step("tok", _POS, _("The row of W_E for each token."), "token embedding"),
    "pos_embed": Step("pos", _POS, _("The row of W_pos for each position."), "position embedding"),
    "blocks.i.resid_pre": Step("x", _POS, _("The residual stream that enters the block."), "residual stream"),
    "blocks.i.ln1.mean": Step("μ", ("pos",), _("The mean of each row of x."), "average"),
    "blocks.i.ln1.std": Step("σ", ("pos",), _("The standard deviation of each row, epsilon included."), "sigma"),
    "blocks.i.ln1.out": Step("u", _POS, _("Each row minus its mean, over its standard deviation."), "LayerNorm"),
    "blocks.i.attn.q": Step("q", _HEAD, _("Queries: what each position looks for."), "query, queries"),
    "blocks.i.attn.k": Step("k", _HEAD, _("Keys: what each position can be found by."), "key, keys"),
    "blocks.i.attn.v": Step("v", _HEAD, _("Values: what each position hands on when it is read."), "value, values"),
    "blocks.i.attn.dots": Step(
        "d", _SQUARE, _("Each query times each key: how well they match."), "QK^T, dot products"
    ),
    "blocks.i.attn.scores": Step("s", _SQUARE, _("The dots over the square root of d_head."), "scaled scores"),
    "blocks.i.attn.masked_scores": Step(
        "ŝ", _SQUARE, _("The scores; with the mask on, -inf for keys in the query's future."), "mask"
    ),
    "blocks.i.attn.exp_scores": Step("E", _SQUARE, _("e to the power of each masked score."), "exp"),
    "blocks.i.attn.exp_scores_sum": Step("ΣE", ("head", "query"), _("The sum of a query's e^score."), "denominator"),
    "blocks.i.attn.pattern": Step(
        "a", _SQUARE, _("How much each query reads each key: rows sum to 1."), "attention weights, softmax"
    ),
    "blocks.i.attn.z": Step("mix", _HEAD, _("What each head reads: the values, mixed by the weights."), "head output"),
    "blocks.i.attn.concat": Step("c", ("pos", "n_heads * d_head"), _("The heads side by side."), "concatenation"),
    "blocks.i.attn.result": Step("r", ("head", "pos", "d_model"), _("What each head adds, through its rows of W_O.")),
    "blocks.i.attn.out": Step("att", _POS, _("What attention adds to the residual stream."), "attention output"),
    "blocks.i.resid_mid": Step("h", _POS, _("The residual stream after attention.")),
    "blocks.i.ln2.mean": Step("μ′", ("pos",), _("The mean of each row of h.")),
    "blocks.i.ln2.std": Step("σ′", ("pos",), _("The standard deviation of each row, epsilon included.")),
    "blocks.i.ln2.out": Step("u′", _POS, _("The second LayerNorm: what the MLP reads.")),
    "blocks.i.mlp.pre": Step("pre", _MLP, _("The MLP's neurons before the activation."), "hidden, neurons"),
    "blocks.i.mlp.post": Step("post", _MLP, _("The MLP's neurons after the activation."), "activation, gelu"),
    "blocks.i.mlp.out": Step("m", _POS, _("What the MLP adds to the residual stream."), "MLP output"),
    "blocks.i.resid_post": Step("y", _POS, _("The residual stream that leaves the block.")),
    "ln_final.mean": Step("μ″", ("pos",), _("The mean of each row of y.")),
    "ln_final.std": Step("σ″", ("pos",), _("The standard deviation of each row, epsilon included.")),
    "ln_final.out": Step("f", _POS, _("The last LayerNorm: what the logits are read from.")),
    "logits": Step("z", _VOCAB, _("One number for each token that could come next.")),
    "exp_logits": Step("e^z", _VOCAB, _("e to the power of each logit, whatever the temperature.")),
    "exp_logits_sum": Step("Σe^z", ("pos",), _("The sum of a row's e^logit.")),
    "probs": Step(
        "p", _VOCAB, _("The softmax of the logits over the temperature: what comes next."), "probabilities, softmax"
    ),
    "loss": Step("L", (), _("-ln of the probability given to the right token.")),
}

WEIGHTS = {
    "W_E": Step("W_E", ("d_vocab", "d_model"), _("One row for each token.")),
    "W_pos": Step("W_pos", ("n_ctx", "d_model"), _("One row for each position.")),
    "blocks.i.attn.W_Q": Step("W_Q", ("d_model", "n_heads * d_head"), _("Makes queries.")),
    "blocks.i.attn.W_K": Step("W_K", ("d_model", "n_heads * d_head"), _("Makes keys.")),
    "blocks.i.attn.W_V": Step("W_V", ("d_model", "n_heads * d_head"), _("Makes values.")),
    "blocks.i.attn.W_O": Step("W_O", ("n_heads * d_head", "d_model"), _("Brings the heads back to the stream.")),
    "blocks.i.mlp.W_in": Step("W_in", ("d_model", "d_mlp"), _("From the residual stream to the neurons.")),
    "blocks.i.mlp.W_out": Step("W_out", ("d_mlp", "d_model"), _("From the neurons back.")),
    "W_U": Step("W_U", ("d_model", "d_vocab"), _("One column for each token that could come next.")),
}


def _alone(name, *axes):
    return STEPS[f"blocks.i.attn.{name}"]._replace(axes=axes)


# One head on matrices of one's own (models/head.py): the toy's steps and weights, without the axis of heads.
HEAD = {
    "x": Step("x", _POS, _("The input: one row for each token."), "input"),
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
    **{name: WEIGHTS[f"blocks.i.attn.{name}"]._replace(axes=("d_model", "d_k")) for name in ("W_Q", "W_K")},
    "W_V": WEIGHTS["blocks.i.attn.W_V"]._replace(axes=("d_model", "d_v")),
}

# Vectors compared with each other (embeddings.py).
COSINES = {
    "vectors": Step("v", ("vector", "d"), _("Each vector, in a row."), "rows"),
    "cosines": Step("cos", ("vector", "other"), _("The dot product of two vectors over the product of their lengths.")),
}


def about(key):
    """The Step that describes a step or weight, in whichever block: about("blocks.0.attn.q").symbol == "q".

    With `∂` before its name, the derivative of the loss in its place.
    """
    key = re.sub(r"\.\d+\.", ".i.", key)
    if key.startswith("∂"):
        step = about(key[1:])
        return step._replace(symbol="∂" + step.symbol, gloss=_("How the loss moves with each of these numbers."))
    return STEPS.get(key) or WEIGHTS.get(key) or HEAD.get(key) or COSINES[key]


def near(name, known):
    """Up to three of the known keys that `name` may have meant: by an alias, by its last part, or by its spelling."""
    from difflib import get_close_matches  # only needed for a message

    word = quoted(name, str).lower().replace("'", "′")  # the prime of u′ is easier to type as an apostrophe
    end = word.split(".")[-1]
    last = {key: key.lower().split(".")[-1] for key in known}
    other = {key: [about(key).symbol, *about(key).aliases.split(", ")] for key in known}
    aliased = [key for key in known if word and word in map(str.lower, other[key])]
    ending = [key for key in known if last[key] == end]
    spelled = [key for part in get_close_matches(end, last.values()) for key in known if last[key] == part]
    return list(dict.fromkeys(aliased + ending + spelled))[:3]
