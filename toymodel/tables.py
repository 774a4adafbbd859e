"""Steps as pandas tables, labelled with tokens and axes. pandas starts here."""

import numpy as np
import pandas as pd

from .generation import likeliest
from .language import _
from .models.sizes import GPT2_SMALL, SIZE_GLOSSES, TOY
from .ops import add, given, identity, matmul, normalize
from .shown import rounded, shown
from .steps import about
from .sums import checked_index
from .trace import Trace, require_trace
from .training import Gradients


class Whole:
    """What Table and Column share: each shows all of itself, with three decimals (0.640, not 0.64)."""

    @property
    def _constructor(self):
        return type(self)

    def __repr__(self):
        with three_decimals():
            return super().__repr__()


class Table(Whole, pd.DataFrame):
    """A DataFrame shown the course's way; so is whatever is cut from it."""

    @property
    def _constructor_sliced(self):
        return Column

    def _repr_html_(self):
        with three_decimals():
            return super()._repr_html_()


class Column(Whole, pd.Series):
    """One row or column of a Table."""

    @property
    def _constructor_expanddim(self):
        return Table


def three_decimals():
    """pandas' options for showing a whole table the course's way."""
    whole = ("display.max_columns", None, "display.max_colwidth", None, "display.width", 100)
    return pd.option_context("display.float_format", shown, *whole)


def table(trace, key, head=None):
    """A step, a weight or a gradient as a Table of rounded numbers; rows and columns carry tokens, or count from 0.

    Steps with a head axis: `head` (from 0) picks one; without it the heads stand one below the other.
    Raises UnknownStep, or ValueError for a head that is not there.
    """
    require_trace(trace, (Trace, Gradients))
    array, axes = trace[key], about(key).axes
    labels = [trace.labels(axis, n) for axis, n in zip(axes, array.shape, strict=True)]
    if axes[0] != "head":
        if head is not None:
            raise ValueError(_("`{key}` has no head axis: leave head out.", key=key))
        return _frame(array, axes, labels, about(key).symbol)
    if head is None:
        return pd.concat([table(trace, key, h) for h in labels[0]], keys=labels[0], names=["head"])
    (head,) = checked_index(head, ("head",), (len(array),))
    return _frame(array[head], axes[1:], labels[1:], about(key).symbol)


def _frame(array, axes, labels, symbol):
    columns = pd.Index(labels[1], name=axes[1]) if len(axes) == 2 else [symbol]
    return Table(rounded(array).reshape(len(array), -1), index=pd.Index(labels[0], name=axes[0]), columns=columns)


def path(trace):
    """Every step of a run, in order: its symbol, shape and meaning: a Table, one row for each step."""
    require_trace(trace)
    rows = [(key, about(key).symbol, str(trace[key].shape), about(key).gloss) for key in trace]
    return Table(rows, columns=[_("step"), _("symbol"), _("shape"), _("what it is")]).set_index(_("step"))


def ranking(trace, pos=-1):
    """Every token that could follow position `pos`, the likeliest first: logit z, its power of e, probability p.

    At a temperature T other than 1 the power is that of z/T, which has a column of its own; at 0 there is none.
    """
    require_trace(trace)
    (pos,) = checked_index(pos, ("pos",), (len(trace.tokens),))
    z, T = trace["logits"][pos], trace.settings["temperature"]
    columns = {"z": z}
    if T == 1:
        columns["e^z"] = trace["exp_logits"][pos]
    elif T > 0:
        with np.errstate(over="ignore"):
            columns |= {"z/T": z / T, "e^(z/T)": np.exp(z / T)}
    columns["p"] = trace["probs"][pos]
    rows = Table({name: rounded(c) for name, c in columns.items()}, index=pd.Index(trace.vocab, name=_("next")))
    return rows.iloc[np.argsort(-np.round(z, 9), kind="stable")]


def predictions(trace):
    """What each position says comes next: its likeliest token and that token's probability."""
    require_trace(trace)
    best = likeliest(trace["logits"])
    columns = {_("next"): [trace.vocab[i] for i in best], "p": rounded(trace["probs"][range(len(best)), best])}
    return Table(columns, index=pd.Index(trace.tokens, name=_("after")))


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


def sizes():
    """The toy's sizes beside those of GPT-2 small: a Table, one row for each size."""
    columns = {_("toy"): TOY, "GPT-2 small": GPT2_SMALL, _("what it is"): SIZE_GLOSSES}
    return Table({name: sizes._asdict() for name, sizes in columns.items()}).rename_axis(_("size"))


def parameters():
    """Where the weights are, in the toy and in GPT-2 small: a Table, one row for each piece."""
    columns = {_("toy"): TOY.parameters(), "GPT-2 small": GPT2_SMALL.parameters(tied=True)}
    counts = {name: {**pieces, _("total"): sum(pieces.values())} for name, pieces in columns.items()}
    table = Table(counts).map(_short_count).rename_axis(_("weights"))
    table.loc["W_U", "GPT-2 small"] = _("tied to W_E")
    return table


def _short_count(n):
    """A count as it is spoken of: 256, 786 k, 38.6 M."""
    if n < 10_000:
        return str(n)
    return f"{n / 1e3:.0f} k" if n < 999_500 else f"{n / 1e6:.1f} M"
