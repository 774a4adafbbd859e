"""The vocabulary of steps and weights: how each is written, what its axes are, what it is, what else it is called."""

import re
from typing import NamedTuple

from .language import _


class Step(NamedTuple):
    symbol: str  # in formulas and written-out sums
    axes: tuple
    gloss: str  # one sentence
    aliases: str = ""  # other names, so that a question for one of them finds its way


POS = ("pos", "d_model")
HEAD = ("head", "pos", "d_head")
SQUARE = ("head", "query", "key")
MLP = ("pos", "d_mlp")
VOCAB = ("pos", "d_vocab")

STEPS = {
    "embed": Step("tok", POS, _("The row of W_E for each token."), "token embedding"),
    "pos_embed": Step("pos", POS, _("The row of W_pos for each position."), "position embedding"),
    "blocks.i.resid_pre": Step("x", POS, _("The residual stream that enters the block."), "x, residual stream"),
    "blocks.i.ln1.mean": Step("μ", ("pos",), _("The mean of each row of x."), "average"),
    "blocks.i.ln1.std": Step("σ", ("pos",), _("The standard deviation of each row, epsilon included."), "sigma"),
    "blocks.i.ln1.out": Step("u", POS, _("Each row less its mean, over its standard deviation."), "u, LayerNorm"),
    "blocks.i.attn.q": Step("q", HEAD, _("Queries: what each position looks for."), "Q, query, queries"),
    "blocks.i.attn.k": Step("k", HEAD, _("Keys: what each position can be found by."), "K, key, keys"),
    "blocks.i.attn.v": Step("v", HEAD, _("Values: what each position hands on when it is read."), "V, value, values"),
    "blocks.i.attn.dots": Step("d", SQUARE, _("Each query times each key: how well they match."), "QK^T, dot products"),
    "blocks.i.attn.scores": Step("s", SQUARE, _("The dots over the square root of d_head."), "s, scaled scores"),
    "blocks.i.attn.masked_scores": Step("ŝ", SQUARE, _("The scores, -inf for keys in the query's future."), "mask"),
    "blocks.i.attn.exp_scores": Step("E", SQUARE, _("e to the power of each masked score."), "exp"),
    "blocks.i.attn.exp_scores_sum": Step("ΣE", ("head", "query"), _("The sum of a query's e^score."), "denominator"),
    "blocks.i.attn.pattern": Step(
        "a", SQUARE, _("How much each query reads each key: rows sum to 1."), "attention weights"
    ),
    "blocks.i.attn.z": Step("o", HEAD, _("What each head reads: the values, mixed by the weights."), "o, head output"),
    "blocks.i.attn.concat": Step("c", ("pos", "n_heads * d_head"), _("The heads side by side."), "concatenation"),
    "blocks.i.attn.result": Step("r", ("head", "pos", "d_model"), _("What each head adds, through its rows of W_O.")),
    "blocks.i.attn.out": Step("att", POS, _("What attention adds to the residual stream."), "attention output"),
    "blocks.i.resid_mid": Step("h", POS, _("The residual stream after attention."), "h"),
    "blocks.i.ln2.mean": Step("μ′", ("pos",), _("The mean of each row of h.")),
    "blocks.i.ln2.std": Step("σ′", ("pos",), _("The standard deviation of each row, epsilon included.")),
    "blocks.i.ln2.out": Step("u′", POS, _("The second LayerNorm: what the MLP reads."), "u'"),
    "blocks.i.mlp.pre": Step("pre", MLP, _("The MLP's neurons before the activation."), "hidden, neurons"),
    "blocks.i.mlp.post": Step("post", MLP, _("The MLP's neurons after the activation."), "activation, gelu"),
    "blocks.i.mlp.out": Step("m", POS, _("What the MLP adds to the residual stream."), "m, MLP output"),
    "blocks.i.resid_post": Step("y", POS, _("The residual stream that leaves the block."), "y"),
    "ln_final.mean": Step("μ″", ("pos",), _("The mean of each row of y.")),
    "ln_final.std": Step("σ″", ("pos",), _("The standard deviation of each row, epsilon included.")),
    "ln_final.out": Step("f", POS, _("The last LayerNorm: what the logits are read from."), "f"),
    "logits": Step("z", VOCAB, _("One number for each token that could come next.")),
    "exp_logits": Step("e^z", VOCAB, _("e to the power of each logit, whatever the temperature.")),
    "exp_logits_sum": Step("Σe^z", ("pos",), _("The sum of a row's e^logit.")),
    "probs": Step(
        "p", VOCAB, _("The softmax of the logits over the temperature: what comes next."), "p, probabilities"
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


def about(key):
    """The Step that describes a step or weight, in whichever block: about("blocks.0.attn.q").symbol == "q"."""
    key = re.sub(r"\.\d+\.", ".i.", key)
    return STEPS.get(key) or WEIGHTS[key]


def near(name, known):
    """Up to three of the known keys that `name` may have meant: by an alias, by its last part, or by its spelling."""
    from difflib import get_close_matches  # only needed for a message

    word = str(name).lower()
    last = {key: key.lower().split(".")[-1] for key in known}
    aliased = [key for key in known if word in about(key).aliases.lower().split(", ")]
    ending = [key for key in known if last[key] == word.split(".")[-1]]
    spelled = [
        key for part in get_close_matches(word.split(".")[-1], last.values()) for key in known if last[key] == part
    ]
    return list(dict.fromkeys(aliased + ending + spelled))[:3]
