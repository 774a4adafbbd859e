"""What a reader may ask of a model, and the sentence where it is something else."""

from collections.abc import Mapping
from numbers import Integral

import numpy as np

from ..core.arguments import checked_causal, checked_numbers, finite
from ..language import _
from .toy_weights import TOY_WEIGHTS

HEADS = (1, 2, 4)  # what divides d_model


def checked_settings(n_heads, causal, temperature):
    """The settings as an int, a bool and a float. Raises ValueError naming the one that is wrong."""
    if not isinstance(n_heads, Integral) or isinstance(n_heads, bool) or n_heads not in HEADS:
        raise ValueError(_("n_heads must be 1, 2 or 4 (it has to divide d_model), not {it!r}.", it=n_heads))
    causal = checked_causal(causal)
    number = finite(temperature)
    if number is None or number < 0:
        raise ValueError(
            _("temperature must be a finite number from 0 up (0 picks the likeliest), not {it!r}.", it=temperature)
        )
    smallest = np.finfo(float).tiny  # below it 1 / temperature would be infinite: that is temperature 0
    return {"n_heads": int(n_heads), "causal": causal, "temperature": number if number >= smallest else 0.0}


def checked_weights(weights):
    """A copy of the weights, float64 arrays of the toy's shapes. Raises ValueError naming the one that is wrong."""
    if not isinstance(weights, Mapping):
        kind = type(weights).__name__
        raise ValueError(_("weights must be a dict of named arrays, like tm.toy_weights(), not {kind}.", kind=kind))
    for name in {**dict.fromkeys(weights), **TOY_WEIGHTS}:
        if name not in weights:
            raise ValueError(_("weights has no `{name}`: start from tm.toy_weights() and change it.", name=name))
        if name not in TOY_WEIGHTS:
            known = ", ".join(TOY_WEIGHTS)
            raise ValueError(_("weights has an unknown name, {name!r}. The toy has {known}.", name=name, known=known))
    return {name: checked_numbers(weights[name], f"weights[{name!r}]", w.shape) for name, w in TOY_WEIGHTS.items()}
