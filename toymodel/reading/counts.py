"""How many: the sizes of a model, its weights, and the multiplications of a run."""

from ..core.array import path_to
from ..core.ops import matmul
from ..core.trace import require_model
from ..language import _
from ..models.sizes import GPT2_SMALL, SIZE_GLOSSES, TOY_SIZES
from .tables import Table


def sizes():
    """The toy's sizes beside those of GPT-2 small: a Table, one row for each size."""
    columns = {_("toy"): TOY_SIZES, "GPT-2 small": GPT2_SMALL, _("what it is"): SIZE_GLOSSES}
    return Table({name: sizes._asdict() for name, sizes in columns.items()}).rename_axis(_("size"))


def parameters():
    """Where the weights are, in the toy and in GPT-2 small: a Table, one row for each piece."""
    columns = {_("toy"): TOY_SIZES.parameters(), "GPT-2 small": GPT2_SMALL.parameters(tied=True)}
    counts = {name: {**pieces, _("total"): sum(pieces.values())} for name, pieces in columns.items()}
    table = Table(counts).map(_short_count).rename_axis(_("weights"))
    table.loc["W_U", "GPT-2 small"] = _("tied to W_E")
    return table


def _short_count(n):
    """A count as it is spoken of: 256, 786 k, 38.6 M."""
    if n < 10_000:
        return str(n)
    return f"{n / 1e3:.0f} k" if n < 999_500 else f"{n / 1e6:.1f} M"


def multiplications(trace):
    """How often a run multiplied two numbers, in the products of matrices that lead to its logits: {step: how often}.

    Counted where they were recorded: a product of (n, k) and (k, m) takes n times k times m. What every element costs
    by itself (LayerNorm, softmax, GELU) is left out.
    """
    require_model(trace)
    behind, counted = path_to(trace.array("logits")), set()
    counts = {key: _multiplied(trace.array(key), counted) for key in trace if trace.array(key) in behind}
    return {key: n for key, n in counts.items() if n}


def _multiplied(array, counted):
    """The multiplications of a step: a product without a name belongs to the first step that it is made for."""
    n, todo = 0, [array]
    while todo:
        array = todo.pop()
        counted.add(array)
        if array.op is matmul:
            n += array.value.size * array.inputs[0].value.shape[-1]
        todo += [x for x in array.inputs if not x.name and x not in counted]
    return n
