"""What the steps and weights of the encoder-decoder are. In no sum does a symbol stand for two things.

What belongs to the encoder is marked _enc, what belongs to the cross-attention _cross; the decoder's own is bare.
"""

from ..core.steps import Step, under
from ..language import _
from .glosses import ATTENTION, EMBEDDING, ENDING, MLP, POS, layer_norm

SOURCE = {"pos": "source pos", "query": "source query", "key": "source key"}  # the same axes, of the text that is read
SOURCE_AXES = tuple(SOURCE.values())


def marked(steps, mark, axes):
    """The same steps with a mark below their symbols (W_Q has one there: W_Q,enc), and some axes of other names."""
    return {
        name: it._replace(
            symbol=f"{it.symbol}{',' if '_' in it.symbol else '_'}{mark}",
            axes=tuple(axes.get(axis, axis) for axis in it.axes),
        )
        for name, it in steps.items()
    }


def norm(place, prime, added, out):
    """The steps and weights of an add & norm: what `added` says was added, and what `out` says the result is."""
    h = "h" + prime
    steps = {
        "sum": Step(h, POS, added, "add, residual stream"),
        **layer_norm(h, prime, ("u" + prime, out), ("average", "sigma", "add & norm, LayerNorm")),
        "normed": Step("n" + prime, POS, _("Each row of {h} minus its mean, over its standard deviation.", h=h)),
        "gain": Step("γ" + prime, ("d_model",), _("By this, each column of a LayerNorm is multiplied.")),
        "bias": Step("β" + prime, ("d_model",), _("This is added to each column of a LayerNorm.")),
    }
    return under(place, steps)


FEED_FORWARD = MLP | {
    "b_in": Step("b_in", ("d_mlp",), _("Added to the neurons before the activation.")),
    "b_out": Step("b_out", ("d_model",), _("Added to what the neurons bring back.")),
}
_PLACE = {"pos_embed": EMBEDDING["pos_embed"]._replace(gloss=_("A wave for each place: sines and cosines."))}
_BLOCK = {"resid_pre": Step("x", POS, _("What enters the block: words and places.")), **under("mlp", FEED_FORWARD)}
_AFTER_SELF = norm("ln1", "", _("What enters, plus what self-attention found."), _("The same, normalised."))

ENCODER = {
    **_BLOCK,
    **under("self", ATTENTION),
    **_AFTER_SELF,
    **norm("ln2", "′", _("The same, plus what the MLP adds."), _("What the encoder hands to the decoder.")),
}
FROM_THE_ENCODER = {
    "k": ATTENTION["k"]._replace(gloss=_("Keys, made from what the encoder hands over: one for each source word.")),
    "v": ATTENTION["v"]._replace(gloss=_("Values, made from what the encoder hands over: what is read there.")),
}
CROSS = marked(ATTENTION, "cross", {"key": "source key"}) | marked(FROM_THE_ENCODER, "cross", SOURCE)
DECODER = {
    **_BLOCK,
    **under("self", ATTENTION),
    **_AFTER_SELF,
    **under("cross", CROSS),
    **norm("ln2", "′", _("The same, plus what cross-attention found."), _("The same, normalised: the MLP reads it.")),
    **norm("ln3", "″", _("The same, plus what the MLP adds."), _("What the logits are read from.")),
}
_EMBEDDED = {"embed": EMBEDDING["embed"], **_PLACE}

ABOUT = {
    "W_E": EMBEDDING["W_E"]._replace(gloss=_("One row for each word, of both languages.")),
    **marked(under("encoder", _EMBEDDED) | under("encoder.0", ENCODER), "enc", SOURCE),
    **under("decoder", _EMBEDDED),
    **under("decoder.0", DECODER),
    **ENDING,
    "b_U": Step("b_U", ("d_vocab",), _("Added to the logits.")),
}
