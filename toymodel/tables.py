"""Steps as pandas tables, labelled with tokens and axes. pandas starts here."""

import numpy as np
import pandas as pd

from .language import _
from .models.sizes import GPT2_SMALL, TOY
from .shown import rounded, shown
from .steps import about


class Table(pd.DataFrame):
    """A DataFrame that always shows three decimals (0.640, not 0.64), and so does whatever is cut out of it."""

    @property
    def _constructor(self):
        return Table

    def _repr_html_(self):
        with pd.option_context("display.float_format", shown):
            return super()._repr_html_()

    def __repr__(self):
        with pd.option_context("display.float_format", shown, "display.width", 100):
            return super().__repr__()


def table(trace, key, head=None):
    """A step, a weight or a gradient as a Table of rounded numbers; rows and columns carry tokens, or count from 0.

    Steps with a head axis: `head` (from 0) picks one; without it the heads stand one below the other.
    Raises UnknownStep, or ValueError for a head that is not there.
    """
    array, axes = trace[key], about(key).axes
    labels = [_labels(trace, axis, n) for axis, n in zip(axes, array.shape, strict=True)]
    if axes[0] != "head":
        if head is not None:
            raise ValueError(_("`{key}` has no head axis: leave head out.", key=key))
        return _frame(array, axes, labels, about(key).symbol)
    if head is None:
        return pd.concat([table(trace, key, h) for h in labels[0]], keys=labels[0], names=["head"])
    if head not in labels[0]:
        raise ValueError(_("head must be from 0 to {last}, not {head!r}.", last=len(array) - 1, head=head))
    return _frame(array[head], axes[1:], labels[1:], about(key).symbol)


def _frame(array, axes, labels, symbol):
    columns = pd.Index(labels[1], name=axes[1]) if len(axes) == 2 else [symbol]
    return Table(rounded(array).reshape(len(array), -1), index=pd.Index(labels[0], name=axes[0]), columns=columns)


def _labels(trace, axis, n):
    if axis in ("pos", "query", "key"):
        return trace.tokens
    return trace.vocab if axis == "d_vocab" else range(n)


def path(trace):
    """Every step of a run, in order: its symbol, shape and meaning: a Table, one row for each step."""
    rows = [(key, about(key).symbol, str(trace[key].shape), about(key).gloss) for key in trace.keys()]  # noqa: SIM118
    return Table(rows, columns=["step", "symbol", "shape", "what it is"]).set_index("step")


def ranking(trace, pos=-1):
    """Every token that could follow position `pos`, the likeliest first: logit z, e^z, probability p."""
    columns = {"z": "logits", "e^z": "exp_logits", "p": "probs"}
    rows = Table(
        {name: rounded(trace[key][pos]) for name, key in columns.items()}, index=pd.Index(trace.vocab, name="next")
    )
    return rows.sort_values(["p", "z"], ascending=False, kind="stable")


def predictions(trace):
    """What each position says comes next: its likeliest token and that token's probability."""
    best = np.argmax(rounded(trace["logits"]), axis=-1)  # rounded, so that a tie falls the same way everywhere
    return Table(
        {"next": [trace.vocab[i] for i in best], "p": rounded(trace["probs"][range(len(best)), best])},
        index=pd.Index(trace.tokens, name="pos"),
    )


def sizes():
    """The toy's sizes beside those of GPT-2 small: a Table, one row for each size."""
    return Table({"toy": TOY._asdict(), "GPT-2 small": GPT2_SMALL._asdict()}).rename_axis("size")


def parameters():
    """Where the weights are, in the toy and in GPT-2 small: a Table, one row for each piece."""
    columns = {"toy": TOY.parameters(), "GPT-2 small": GPT2_SMALL.parameters(tied=True)}
    counts = {name: {**pieces, "total": sum(pieces.values())} for name, pieces in columns.items()}
    return Table(counts).map(short_count).rename_axis("weights")


def short_count(n):
    """A count as it is spoken of: 256, 786 k, 38.6 M."""
    if n < 10_000:
        return str(n)
    return f"{n / 1e3:.0f} k" if n < 1e6 else f"{n / 1e6:.1f} M"
