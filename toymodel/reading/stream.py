"""The residual stream opened: what each part adds to a logit, and what would be said after each part."""

import re

import numpy as np
import pandas as pd

from ..core.arguments import checked_index
from ..core.moves import given, identity
from ..core.ops import add, matmul, normalize, scale
from ..core.trace import require_model
from ..language import _
from ..shown import rounded
from .tables import Table

LEDGER_PARTS = {  # what a ledger calls a step that the stream is the sum of, with its block where there are several
    "embed": _("token"),
    "pos_embed": _("position"),
    "attn.out": _("attention"),
    "mlp.out": _("MLP"),
}


def ledger(trace, pos=-1):
    """What each part adds to every logit at one position: a Table, one row for each part, then `sum` and `logit`.

    The last normalisation divides by a number that the whole row has made. It is held fixed, as the run had it: then a
    part's share (of a LayerNorm, (part - its mean) / std) times W_U, and the shares add up to the logit (Elhage et al.
    2021). So a share tells what went into this sum, not what the logit would be without the part, for then that number
    (and whatever reads the part) would be another. Raises ValueError for logits that no parts add up to.
    """
    require_model(trace)
    (pos,) = checked_index(pos, ("pos",), (len(trace.tokens),))
    rows = {part_name(trace, part): share for part, share in shares(trace, pos).items()}
    rows |= {_("sum"): sum(rows.values()), _("logit"): trace["logits"][pos]}
    return Table(rows, index=pd.Index(trace.vocab, name="d_vocab")).T.rename_axis(_("part"))


def shares(trace, pos):
    """What each part adds to every logit: {step: numbers}, and for a head of attention {(step, head): numbers}."""
    logits = trace.array("logits")
    if logits.op is given:
        raise ValueError(_("the logits were set by hand: no parts add up to them."))
    if logits.op is not matmul:
        raise ValueError(_("the logits are no product of the stream with a table: no parts add up to them."))
    f, W_U = logits.inputs
    y, *made_of_y = f.inputs if f.op in (normalize, scale) else [f]
    rows = {}
    for name, term in _terms(y, y.name):
        for part, row in _parts(trace, name, term, pos):
            rows[part] = rows.get(part, 0) + row
    if f.op is normalize:
        rows = {part: row - row.mean() for part, row in rows.items()}
    divisor = made_of_y[-1].value[pos] if made_of_y else 1.0
    return {part: row / divisor @ W_U.value for part, row in rows.items()}


def _terms(array, name):
    """The Arrays whose sum a stream is, each with the name of the step that it is part of."""
    found, todo = [], [(array, name)]  # no recursion: a stream may be the sum of very many
    while todo:
        array, name = todo.pop()
        name = array.name or name
        if array.op is add or (array.op is identity and _bare(name) not in LEDGER_PARTS):
            todo += [(x, name) for x in reversed(array.inputs)]
        else:
            found.append((name, array))
    return found


def _parts(trace, name, term, pos):
    """The row of one term; attention's head by head. A bias is the same row at every position."""
    if term.op is matmul and term.inputs[0].name.endswith(".concat"):
        concat, W_O = term.inputs
        n_heads = len(trace[concat.name.removesuffix("concat") + "z"])
        heads = zip(np.split(concat.value[pos], n_heads), np.split(W_O.value, n_heads), strict=True)
        return [((name, h), z @ W) for h, (z, W) in enumerate(heads)]
    return [(name, term.value[pos] if term.value.ndim == 2 else term.value)]


def part_name(trace, part):
    """What a ledger calls a part, as `shares` gives it: a step, or a step and a head."""
    key, *head = part if isinstance(part, tuple) else [part]
    name = _("head {h}", h=head[0]) if head else LEDGER_PARTS.get(_bare(key))
    return _in_block(trace, key, name) if name else key


STAGES = {  # the stream after each part, and what a logit lens calls it
    "embed": _("token"),
    "resid_pre": _("+ position"),
    "resid_mid": _("+ attention"),
    "resid_post": _("+ MLP"),
}


def lens(trace, pos=-1):
    """What one position would say if the path ended after each part: a Table of probabilities, one row for each part.

    A logit lens (nostalgebraist 2020): what the stream is by then stands at its end, and the rest is run from there, at
    the temperature of the run. Where nothing was replaced after it, the last row is the run's answer. Raises ValueError
    for a run without a stream.
    """
    require_model(trace)
    (pos,) = checked_index(pos, ("pos",), (len(trace.tokens),))
    rows = {name: rounded(read_off(trace, key)[pos]) for key, name in stages(trace).items()}
    return Table(rows, index=pd.Index(trace.vocab, name="d_vocab")).T.rename_axis(_("after"))


def stages(trace):
    """The steps that the stream is after each part, and what they are called. A block begins where the last ended."""
    keys = [key for key in trace if _bare(key) in STAGES]
    if not any(key.endswith("resid_post") for key in keys):
        raise ValueError(_("this run has no residual stream that could be read off."))
    later = [key for key in keys if key.endswith("resid_pre")][1:]
    return {key: _in_block(trace, key, STAGES[_bare(key)]) for key in keys if key not in later}


def read_off(trace, key):
    """The probabilities that a stage of the stream gives by itself: (pos, d_vocab).

    The rest of the path is the run's own, wired as it was; numbers set by hand there would say the same of each stage.
    """
    keys, last = trace.keys(), [*stages(trace)][-1]
    before = keys[: keys.index(last)]
    replace = {it: new for it, new in trace.replaced.items() if it in before or isinstance(new, str)}
    replace[last], kept = trace[key], (trace.earlier, trace.kept)
    return trace.model.run(trace.inputs, trace.leaves, replace, kept, **trace.settings)["probs"]


def _bare(key):
    """A step's name without its block."""
    return re.sub(r"^blocks\.\d+\.", "", key)


def _in_block(trace, key, name):
    """The name of a part, with its block where there are several."""
    block = re.match(r"blocks\.(\d+)\.", key)
    return _("block {i}: {name}", i=block[1], name=name) if block and "blocks.1.resid_pre" in trace.steps else name
