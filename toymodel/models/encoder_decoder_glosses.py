"""What the steps and weights of the encoder-decoder are. In no sum does a symbol stand for two things.

What belongs to the encoder is marked _enc, what belongs to the cross-attention _cross; the decoder's own is bare.
"""

from ..core.steps import Step, under
from ..language import _
from .glosses import ATTENTION, EMBEDDING, ENDING, MLP, POS, layer_norm

OF_SOURCE = {
    "pos": "source pos",
    "query": "source query",
    "key": "source key",
}  # the same axes, of the text that is read
SOURCE_AXES = tuple(OF_SOURCE.values())


def named(steps, axes):
    """The same steps, with some axes of other names."""
    return {name: it._replace(axes=tuple(axes.get(axis, axis) for axis in it.axes)) for name, it in steps.items()}


def marked(steps, mark, axes):
    """The same steps with a mark below their symbols (W_Q has one there: W_Q,enc), and some axes of other names."""
    symbols = {name: f"{it.symbol}{',' if '_' in it.symbol else '_'}{mark}" for name, it in steps.items()}
    return {name: it._replace(symbol=symbols[name]) for name, it in named(steps, axes).items()}


def norm(place, marks, added, out):
    """The steps and weights of an add & norm: what `added` says was added, and what `out` says the result is."""
    h = "h" + marks
    steps = {
        "sum": Step(h, POS, added, "add, residual stream"),
        **layer_norm(h, marks, ("u" + marks, out), ("average", "sigma", "add & norm, LayerNorm")),
        "normed": Step("n" + marks, POS, _("Each row of {h} minus its mean, over its standard deviation.", h=h)),
        "gain": Step("γ" + marks, ("d_model",), _("By this, each column of a LayerNorm is multiplied.")),
        "bias": Step("β" + marks, ("d_model",), _("This is added to each column of a LayerNorm.")),
    }
    return under(place, steps)


WITHOUT_MASK = ATTENTION | {
    "masked_scores": ATTENTION["masked_scores"]._replace(
        gloss=_("The scores again: no mask hides a word of the source.")
    )
}
FEED_FORWARD = MLP | {
    "post": MLP["post"]._replace(
        gloss=_("The neurons after ReLU, which makes 0 of what is below."), aliases="activation, relu"
    ),
    "b_in": Step("b_in", ("d_mlp",), _("Added to the neurons before the activation.")),
    "b_out": Step("b_out", ("d_model",), _("Added to what the neurons bring back.")),
}
FROM_THE_ENCODER = {
    "k": ATTENTION["k"]._replace(gloss=_("Keys, made from what the encoder hands over: one for each source word.")),
    "v": ATTENTION["v"]._replace(gloss=_("Values, made from what the encoder hands over: what is read there.")),
}
BEGINNING = {
    "embed": EMBEDDING["embed"],
    "pos_embed": EMBEDDING["pos_embed"]._replace(gloss=_("A wave for each place: sines and cosines.")),
}
BLOCK = {"resid_pre": Step("x", POS, _("What enters the block.")), **under("mlp", FEED_FORWARD)}
ADDED = {
    "self": _("What enters, plus what self-attention found."),
    "cross": _("The same, plus what cross-attention found."),
    "mlp": _("The same, plus what the MLP adds."),
}
NORMED = _("The sum, normalised: what the next part reads.")

ENCODER_BLOCK = {
    **marked({**BLOCK, **under("self", WITHOUT_MASK)}, "enc", OF_SOURCE),
    **named(norm("ln1", "_enc", ADDED["self"], NORMED), OF_SOURCE),
    **named(norm("ln2", "′_enc", ADDED["mlp"], _("What the encoder hands to the decoder.")), OF_SOURCE),
}
DECODER_BLOCK = {
    **BLOCK,
    **under("self", ATTENTION),
    **norm("ln1", "", ADDED["self"], NORMED),
    **under(
        "cross", marked(WITHOUT_MASK, "cross", {"key": "source key"}) | marked(FROM_THE_ENCODER, "cross", OF_SOURCE)
    ),
    **norm("ln2", "′", ADDED["cross"], NORMED),
    **norm("ln3", "″", ADDED["mlp"], _("What the logits are read from.")),
}

ABOUT = {
    "W_E": EMBEDDING["W_E"]._replace(gloss=_("One row for each word, of both languages.")),
    **under("encoder", marked(BEGINNING, "enc", OF_SOURCE)),
    **under("encoder.0", ENCODER_BLOCK),
    **under("decoder", BEGINNING),
    **under("decoder.0", DECODER_BLOCK),
    **ENDING,
    "b_U": Step("b_U", ("d_vocab",), _("Added to the logits.")),
}
