"""What the steps and weights of a model's parts are: symbol, axes, gloss and other names, for models to put together.

A model says where a part stands: under("blocks.0.attn", ATTENTION).
"""

from ..core.steps import Step, under
from ..language import _

POS, MLP_POS, VOCAB_POS = ("pos", "d_model"), ("pos", "d_mlp"), ("pos", "d_vocab")
HEAD, SQUARE = ("head", "pos", "d_head"), ("head", "query", "key")

EMBEDDING = {
    "embed": Step("tok", POS, _("The row of W_E for each token."), "token embedding"),
    "pos_embed": Step("place", POS, _("The row of W_pos for each position."), "position embedding"),
    "W_E": Step("W_E", ("d_vocab", "d_model"), _("One row for each token.")),
    "W_pos": Step("W_pos", ("n_ctx", "d_model"), _("One row for each position.")),
}

ATTENTION = {
    "q": Step("q", HEAD, _("Queries: what each position looks for."), "query, queries"),
    "k": Step("k", HEAD, _("Keys: what each position can be found by."), "key, keys"),
    "v": Step("v", HEAD, _("Values: what each position hands on when it is read."), "value, values"),
    "dots": Step("d", SQUARE, _("Each query times each key: how well they match."), "QK^T, dot products"),
    "scores": Step("s", SQUARE, _("The dots over the square root of d_head."), "scaled scores"),
    "masked_scores": Step("ŝ", SQUARE, _("The scores; with the mask on, -inf for keys in the query's future."), "mask"),
    "exp_scores": Step("E", SQUARE, _("e to the power of each masked score."), "exp"),
    "exp_scores_sum": Step("ΣE", ("head", "query"), _("The sum of a query's e^score."), "denominator"),
    "pattern": Step("a", SQUARE, _("How much each query reads each key: rows sum to 1."), "attention weights, softmax"),
    "z": Step("mix", HEAD, _("What each head reads: the values, mixed by the weights."), "head output"),
    "concat": Step("c", ("pos", "n_heads * d_head"), _("The heads side by side."), "concatenation"),
    "result": Step("r", ("head", "pos", "d_model"), _("What each head adds, through its rows of W_O.")),
    "out": Step("att", POS, _("What attention adds to the residual stream."), "attention output"),
    "W_Q": Step("W_Q", ("d_model", "n_heads * d_head"), _("Makes queries.")),
    "W_K": Step("W_K", ("d_model", "n_heads * d_head"), _("Makes keys.")),
    "W_V": Step("W_V", ("d_model", "n_heads * d_head"), _("Makes values.")),
    "W_O": Step("W_O", ("n_heads * d_head", "d_model"), _("Brings the heads back to the stream.")),
}

MLP = {
    "pre": Step("pre", MLP_POS, _("The MLP's neurons before the activation."), "hidden, neurons"),
    "post": Step("post", MLP_POS, _("The MLP's neurons after the activation."), "activation, gelu"),
    "out": Step("m", POS, _("What the MLP adds to the residual stream."), "MLP output"),
    "W_in": Step("W_in", ("d_model", "d_mlp"), _("From the residual stream to the neurons.")),
    "W_out": Step("W_out", ("d_mlp", "d_model"), _("From the neurons back.")),
}


def layer_norm(of, prime, out, aliases=("", "", "")):
    """A LayerNorm of the step whose symbol is `of`: its mean, std and out, which is this symbol and gloss."""
    mean, std = _("The mean of each row of {of}.", of=of), _("The standard deviation of each row, epsilon included.")
    return {
        "mean": Step("μ" + prime, ("pos",), mean, aliases[0]),
        "std": Step("σ" + prime, ("pos",), std, aliases[1]),
        "out": Step(*out[:1], POS, *out[1:], aliases[2]),
    }


NORM_1 = layer_norm(
    "x", "", ("u", _("Each row minus its mean, over its standard deviation.")), ("average", "sigma", "LayerNorm")
)
NORM_2 = layer_norm("h", "′", ("u′", _("The second LayerNorm: what the MLP reads.")))
NORM_FINAL = layer_norm("y", "″", ("f", _("The last LayerNorm: what the logits are read from.")))

BLOCK = {  # pre-LayerNorm, in the order of the path
    "resid_pre": Step("x", POS, _("The residual stream that enters the block."), "residual stream"),
    **under("ln1", NORM_1),
    **under("attn", ATTENTION),
    "resid_mid": Step("h", POS, _("The residual stream after attention.")),
    **under("ln2", NORM_2),
    **under("mlp", MLP),
    "resid_post": Step("y", POS, _("The residual stream that leaves the block.")),
}

ENDING = {
    "logits": Step("z", VOCAB_POS, _("One number for each token that could come next.")),
    "exp_logits": Step("e^z", VOCAB_POS, _("e to the power of each logit, whatever the temperature.")),
    "exp_logits_sum": Step("Σe^z", ("pos",), _("The sum of a row's e^logit.")),
    "probs": Step(
        "p", VOCAB_POS, _("The softmax of the logits over the temperature: what comes next."), "probabilities, softmax"
    ),
    "W_U": Step("W_U", ("d_model", "d_vocab"), _("One column for each token that could come next.")),
}
