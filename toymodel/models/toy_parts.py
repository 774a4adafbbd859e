"""The toy with parts switched off and weights set by hand, for the views that offer it."""

from numbers import Real

import numpy as np

from ..core.arguments import is_index
from ..language import _
from ..typed import number
from .toy import TOY

PARTS = {  # what can be switched off: how it is called, the step that it makes, and what stands there then
    "positions": (_("positions"), "pos_embed", None),
    "ln1": (_("first LayerNorm"), "blocks.0.ln1.out", "blocks.0.resid_pre"),
    **{f"head {h}": (_("head {h}", h=h), "blocks.0.attn.z", None) for h in range(max(TOY.choices["n_heads"]))},
    "attention": (_("attention"), "blocks.0.attn.out", None),
    "ln2": (_("second LayerNorm"), "blocks.0.ln2.out", "blocks.0.resid_mid"),
    "mlp": (_("MLP"), "blocks.0.mlp.out", None),
    "ln_final": (_("last LayerNorm"), "ln_final.out", "blocks.0.resid_post"),
}


def switched(t, off, edits=()):
    """The run with some parts switched off and some weights set by hand. Raises ValueError for what cannot be set."""
    t = t.again(weights=edited(t.weights, edits)) if edits else t
    parts = {name: PARTS[name][1:] for name in off if not name.startswith("head ")}
    replace = {step: np.zeros_like(t[step]) if instead is None else instead for step, instead in parts.values()}
    heads = [int(name.removeprefix("head ")) for name in off if name.startswith("head ") and is_there(name, t)]
    if heads:  # what the other heads bring back depends on what else is off
        z = t.again(replace=replace)["blocks.0.attn.z"].copy()
        z[heads] = 0
        replace["blocks.0.attn.z"] = z
    return t.again(replace=replace) if replace else t


def edited(weights, edits):
    """The weights with some set by hand. Raises ValueError for what is no weight, and for what is no number."""
    weights = {name: w.copy() for name, w in weights.items()}
    for edit in edits:
        if len(edit) != 4 or not isinstance(edit[0], str) or not is_index(weights.get(edit[0]), edit[1:3]):
            raise ValueError(_("{edit!r} is no weight: [name, row, column, value] is needed.", edit=edit))
        name, i, j, value = edit
        if not isinstance(value, str) and not isinstance(value, Real):
            raise ValueError(_("{value!r} is not a number.", value=value))
        weights[name][i, j] = number(str(value))
    return weights


def is_there(part, t):
    """Whether the model has this part: all but heads beyond its number."""
    return not part.startswith("head ") or int(part.removeprefix("head ")) < t.settings["n_heads"]
