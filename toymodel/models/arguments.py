"""What a reader may ask of a model, and the sentence where it is something else."""

import math
from collections.abc import Mapping
from numbers import Integral, Real

import numpy as np

from ..language import _
from ..trace import checked_numbers
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


def checked_causal(causal):
    """The mask's setting as a bool. Raises ValueError for anything but True and False."""
    if not isinstance(causal, (bool, np.bool_)):
        raise ValueError(_("causal must be True or False, not {it!r}.", it=causal))
    return bool(causal)


def checked_count(name, it, most=None):
    """A whole number from 1 up, or up to `most`. Raises ValueError, naming it, for anything else."""
    if not isinstance(it, Integral) or isinstance(it, bool) or it < 1 or (most is not None and it > most):
        up = _("from 1 up") if most is None else _("from 1 to {most}", most=f"{most:,}")
        raise ValueError(_("{name} must be a whole number {up}, not {it!r}.", name=name, up=up, it=it))
    return int(it)


def finite(number):
    """A real number as a float; None for anything else, and for NaN and infinity."""
    if not isinstance(number, Real) or isinstance(number, bool):
        return None
    try:
        number = float(number)
    except OverflowError:  # a whole number of more than 308 digits
        return None
    return number if math.isfinite(number) else None


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
