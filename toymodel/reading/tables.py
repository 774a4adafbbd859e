"""Steps as pandas tables, labelled with tokens and axes. pandas starts here."""

import numpy as np
import pandas as pd

from ..core.arguments import checked_count, checked_index, dice
from ..core.ops import softmax
from ..core.trace import Trace, require_model, require_trace
from ..language import _
from ..learning.backprop import Gradients
from ..shown import rounded, same, shown
from ..writing.branches import Branch, likeliest_first, paths
from ..writing.generation import by_likelihood, drawn, likeliest, next_probs


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
    """pandas' options for showing a whole table the course's way. (Without MathJax: `$a$` is a token like others.)"""
    whole = ("display.max_columns", None, "display.max_colwidth", None, "display.width", 100)
    return pd.option_context("display.float_format", shown, "display.html.use_mathjax", False, *whole)


def table(trace, key, head=None):
    """A step, a weight or a gradient as a Table of rounded numbers; rows and columns carry tokens, or count from 0.

    Steps with a head axis: `head` (from 0) picks one; without it the heads stand one below the other.
    Raises UnknownStep, or ValueError for a head that is not there.
    """
    require_trace(trace, (Trace, Gradients))
    array, step = trace[key], trace.about(key)
    axes = step.axes
    labels = [trace.labels(axis, n) for axis, n in zip(axes, array.shape, strict=True)]
    if axes[0] != "head" and array.ndim < 3:
        if head is not None:
            raise ValueError(_("`{key}` has no head axis: leave head out.", key=key))
        return _frame(array, axes, labels, step.symbol)
    if head is None:
        return pd.concat([table(trace, key, h) for h in labels[0]], keys=labels[0], names=axes[:1])
    (head,) = checked_index(head, axes[:1], (len(array),))
    return _frame(array[head], axes[1:], labels[1:], step.symbol)


def _frame(array, axes, labels, symbol):
    columns = pd.Index(labels[1], name=axes[1]) if len(axes) == 2 else [symbol]
    return Table(rounded(array).reshape(len(array), -1), index=pd.Index(labels[0], name=axes[0]), columns=columns)


def path(trace):
    """Every step of a run, in order: its symbol, shape and meaning: a Table, one row for each step."""
    require_trace(trace)
    about = {key: trace.about(key) for key in trace}
    rows = [(key, step.symbol, str(trace[key].shape), step.gloss) for key, step in about.items()]
    return Table(rows, columns=[_("step"), _("symbol"), _("shape"), _("what it is")]).set_index(_("step"))


def ranking(trace, pos=-1):
    """Every token that could follow position `pos`, the likeliest first: logit z, its power of e, probability p.

    At a temperature T other than 1 the power is that of z/T, which has a column of its own; at 0 there is none.
    """
    require_model(trace)
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
    return rows.iloc[by_likelihood(z)]


def candidates(trace, top_k=None, top_p=None):
    """What the next token is drawn from, the likeliest first: probability p, the sum so far, and what is kept of it.

    `top_k` and `top_p` as in `next_probs`; a token that is cut has 0 left.
    """
    kept = next_probs(trace, top_k, top_p)
    order = by_likelihood(trace["logits"][-1])
    columns = {
        "p": trace["probs"][-1][order],
        _("sum so far"): trace["probs"][-1][order].cumsum(),
        _("kept"): kept[order],
    }
    index = pd.Index([trace.vocab[i] for i in order], name=_("next"))
    return Table({name: rounded(column) for name, column in columns.items()}, index=index)


def draws(trace, n=1000, seed=0, top_k=None, top_p=None):
    """How often each token is drawn in n draws, beside how often its probability promises: a Table, likeliest first.

    The same draws for the same seed. Raises ValueError for an n that is no whole number from 1 to 1,000,000.
    """
    n = checked_count("n", n, 1_000_000)
    p = next_probs(trace, top_k, top_p)
    counts = np.bincount(drawn(p, dice(seed).random_sample(n)), minlength=len(p))
    columns = {"p": rounded(p), _("promised"): rounded(n * p), _("drawn"): counts, _("share"): rounded(counts / n)}
    return Table(columns, index=pd.Index(trace.vocab, name=_("next"))).iloc[by_likelihood(trace["logits"][-1])]


def likelihood(trace):
    """How probable the text was, token by token: each token's p after all before it, their product, and -ln of both.

    At the temperature of the run; the first token is given. Raises ValueError for a text of one token.
    """
    require_model(trace)
    ids = trace.next_ids
    if not ids:
        raise ValueError(_("a run that has read one token has no next one to weigh."))
    columns = weighed(trace, range(len(ids)), ids)
    index = pd.Index([trace.vocab[i] for i in ids], name=_("next"))
    return Table({name: rounded(c) for name, c in columns.items()}, index=index)


def weighed(trace, rows, ids):
    """The columns that weigh tokens, each as its row of a run has it, one after the other: {heading: numbers}."""
    p, surprise = trace["probs"][rows, ids], 0.0 - log_probs(trace)[rows, ids]
    return {"p": p, _("product"): p.cumprod(), "-ln p": surprise, _("sum"): surprise.cumsum()}


def log_probs(trace):
    """ln p of a run, (pos, d_vocab): from the logits, for p itself may be too near 0 for float64.

    At temperature 0 the likeliest share all, and the others have -inf. Probabilities set by hand are taken as they are.
    """
    probs = trace.array("probs")
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if probs.op is not softmax:
            return np.log(probs.value)
        (z,), T = [it.value for it in probs.inputs], probs.settings.get("temperature", 1)
        largest = z.max(-1, keepdims=True)
        z = (z - largest) / T if T > 0 else np.where(same(z, largest), 0, -np.inf)
        return z - np.log(np.exp(z).sum(-1, keepdims=True))


def ends(branches):
    """Where a tree, as `tree` gives it, ends: a Table, a row for each end with the product on its way, likeliest first.

    On ties the order is that of the tree. Raises ValueError for what is no tree.
    """
    if not isinstance(branches, list) or not all(isinstance(it, Branch) for it in branches):
        raise ValueError(_("branches must be a tree, tm.tree('o gato'), not {it!r}.", it=branches))
    found = likeliest_first(paths(branches))
    index = pd.Index([" ".join(it.token for it in path) for path in found], name=_("branch"))
    return Table({_("product"): rounded([path[-1].product for path in found])}, index=index)


def predictions(trace):
    """What each position says comes next: its likeliest token and that token's probability."""
    require_model(trace)
    best = likeliest(trace["logits"])
    columns = {_("next"): [trace.vocab[i] for i in best], "p": rounded(trace["probs"][range(len(best)), best])}
    return Table(columns, index=pd.Index(trace.tokens, name=_("after")))
