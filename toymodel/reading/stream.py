"""The residual stream opened: what each part adds to a logit, and what would be said after each part."""

import numpy as np
import pandas as pd

from ..core.arguments import checked_index, within_float64
from ..core.asides import mean, std
from ..core.ops import add, given, identity, matmul, normalize, softmax
from ..core.trace import require_trace
from ..language import _
from ..shown import rounded
from .tables import Table

_PARTS = {  # the steps that the residual stream is the sum of, and what a ledger calls them
    "embed": _("token"),
    "pos_embed": _("position"),
    "blocks.0.attn.out": _("attention"),
    "blocks.0.mlp.out": _("MLP"),
}


def ledger(trace, pos=-1):
    """What each part adds to every logit at one position: a Table, one row for each part, then `sum` and `logit`.

    The last LayerNorm divides by the standard deviation of the whole row. That number is held fixed, as the run had it:
    then a part's share is (part - its mean) / std, times W_U, and the shares add up to the logit (Elhage et al. 2021).
    So a share tells what went into this sum, not what the logit would be without the part, for then the std (and
    whatever reads the part) would be another. Raises ValueError for logits that were set by hand.
    """
    require_trace(trace)
    (pos,) = checked_index(pos, ("pos",), (len(trace.tokens),))
    rows = {part_name(part): share for part, share in shares(trace, pos).items()}
    rows |= {_("sum"): sum(rows.values()), _("logit"): trace["logits"][pos]}
    return Table(rows, index=pd.Index(trace.vocab, name="d_vocab")).T.rename_axis(_("part"))


def shares(trace, pos):
    """What each part adds to every logit: {step: numbers}, and for a head of attention {(step, head): numbers}."""
    logits, f = trace.array("logits"), trace.array("ln_final.out")
    if logits.op is given:
        raise ValueError(_("the logits were set by hand: no parts add up to them."))
    y, _mean, std = f.inputs if f.op is normalize else (f, None, None)
    rows = {part: row for term in _terms(y) for part, row in _parts(term, pos, trace.settings["n_heads"])}
    if std is not None:
        rows = {part: (row - row.mean()) / std.value[pos] for part, row in rows.items()}
    return {part: row @ trace["W_U"] for part, row in rows.items()}


def part_name(part):
    """What a ledger calls a part, as `shares` gives it: a step, or a step and a head."""
    return _("head {h}", h=part[1]) if isinstance(part, tuple) else _PARTS.get(part, part)


def _terms(array):
    """The Arrays whose sum a residual stream is."""
    if array.name in _PARTS or array.op not in (add, identity):
        return [array]
    return [term for x in array.inputs for term in _terms(x)]


def _parts(term, pos, n_heads):
    """The row of one term, by its name; attention's head by head, unless it was set by hand."""
    if term.name != "blocks.0.attn.out" or term.op is not matmul:
        return [(term.name, term.value[pos])]
    concat, W_O = (x.value for x in term.inputs)
    heads = zip(np.split(concat[pos], n_heads), np.split(W_O, n_heads), strict=True)
    return [((term.name, h), z @ W) for h, (z, W) in enumerate(heads)]


STAGES = {  # what the stream is after each part, and what a logit lens calls it
    "embed": _("token"),
    "blocks.0.resid_pre": _("+ position"),
    "blocks.0.resid_mid": _("+ attention"),
    "blocks.0.resid_post": _("+ MLP"),
}


def lens(trace, pos=-1):
    """What one position would say if the path ended after each part: a Table of probabilities, one row for each part.

    A logit lens (nostalgebraist 2020): the stream, as far as it has come, through a last LayerNorm of its own, W_U and
    the softmax, at the temperature of the run. Where nothing was replaced after it, the last row is the run's answer.
    """
    require_trace(trace)
    (pos,) = checked_index(pos, ("pos",), (len(trace.tokens),))
    rows = {name: rounded(read_off(trace, key)[pos]) for key, name in STAGES.items()}
    return Table(rows, index=pd.Index(trace.vocab, name="d_vocab")).T.rename_axis(_("after"))


def read_off(trace, key):
    """The probabilities that a stage of the stream gives by itself: (pos, d_vocab)."""
    x = trace[key]
    with within_float64():
        mu = mean.value(x)
        return softmax.value(normalize.value(x, mu, std.value(x, mu)) @ trace["W_U"], trace.settings["temperature"])
