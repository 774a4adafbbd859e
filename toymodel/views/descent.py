"""A step of learning, or a few: the loss before and after, the probabilities, and one weight's arithmetic."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..core.arguments import within_float64
from ..core.trace import Trace
from ..language import _, plural
from ..learning.backprop import Gradients, gradients
from ..learning.optimizers import BETA1, BETA2, Adam, checked_rate, in_step, one_step
from ..reading.tables import Table
from ..shown import shown, shown_rows
from .shared.derivatives import Judged, Learning, derivative_grid, within_shape
from .shared.grids import grid, mark, mark_move, token
from .shared.traits import ChoiceOf, ListOf, Whole
from .shared.view import esm, within

MOST_STEPS = 10


class Moment(NamedTuple):
    """Where the weights stand after some steps: a run, its gradients, what Adam did to get there, what was promised."""

    trace: Trace
    gradients: Gradients
    adam: Adam | None
    promised: float | None


class Descent(Learning, Judged):
    """A step of learning, live: Descent(text="o gato subiu no", target="␣telhado", learning_rate=0.1, optimizer="sgd").

    Traits: text, as in `run`; target, the token whose -ln p at the last position is the loss; optimizer, "sgd" or
    "adam"; learning_rate; n_steps, from 1 to 10; key and index, the weight whose arithmetic is written down (if there
    is no such place, the nearest). Probabilities that the last move changed are marked.
    """

    _esm = esm("shared/grids.js", "descent.js")
    controls = ("text", "target", "optimizer", "learning_rate", "n_steps", "key", "index")
    n_steps = Whole(1)
    key = ChoiceOf(lambda view: list(view.base.weights), "W_E")
    index = ListOf(Whole(), [1, 1])

    def words(self):
        controls = {"text": _("Sentence"), "target": _("Right next token"), "n_steps": _("Steps"), "key": _("Weight")}
        return super().words() | controls

    def picture(self):
        """The losses, the probabilities with what has changed, one weight step by step; keeps all runs as `moments`."""
        n_steps = 1 + within(self.n_steps - 1, MOST_STEPS)
        moments = list(walk(self.run(), self.target, self.learning_rate, self.optimizer, n_steps))
        first, *_others = self.moments = moments
        index = within_shape(self.index, first.gradients[self.key].shape)
        self.settle(n_steps=n_steps, index=index)
        probabilities = probabilities_grid(first.trace, moments[-1].trace)
        derivatives = derivative_grid(first.gradients, self.key, caption=[_("before the first step")])
        mark([derivatives], "picked", self.key, index)
        weight = [derivatives, arithmetic_grid(moments, self.key, tuple(index), self.learning_rate)]
        changes = mark_move([probabilities], self.state)
        if weight != self.state.get("weight", weight) and not any("changed" in row for row in probabilities["rows"]):
            changes = ""  # only another weight was picked
        return self.choices() | {
            "said": losses_in_words(moments),
            "promise": promise_in_words(moments, self.learning_rate, self.optimizer),
            "changes": changes,
            "tables": [losses_grid(moments), probabilities],
            "weight": weight,
            "targets": list(first.trace.vocab),
            "keys": list(first.trace.weights),
            "steps": plural("{n} step", "{n} steps", n_steps),
            "most": MOST_STEPS,
        }

    def fallback(self):
        losses = [shown(it.gradients.loss) for it in self.moments]
        return Table({_("loss"): losses}, index=step_names(self.moments))._repr_html_()


def walk(t, target, learning_rate, optimizer, n_steps):
    """A Moment before the first step, and one after each. Raises ValueError where float64 ends."""
    g, rate, adam, promised = gradients(t, target), checked_rate(learning_rate), None, None
    for n in range(1, n_steps + 1):
        yield Moment(t, g, adam, promised)
        with in_step(n), within_float64():
            weights, adam = one_step(t.weights, g, rate, optimizer, adam)
            promised = g.loss + sum(float(np.sum(g[name] * (w - t[name]))) for name, w in weights.items())
            t = t.again(weights=weights)
            g = gradients(t, target)
    yield Moment(t, g, adam, promised)


def step_names(moments):
    return [_("step {n}", n=n) if n else _("before") for n in range(len(moments))]


# ---- sentences


def losses_in_words(moments):
    """What became of the loss; and where it went up, as far as it is shown, why."""
    losses = [shown(it.gradients.loss) for it in moments]
    said = _("The loss: {before} before, {after} after.", before=losses[0], after=losses[-1])
    up = ", ".join(str(n) for n in range(1, len(losses)) if float(losses[n]) > float(losses[n - 1]))
    if not up:
        return said
    too_large = _(
        "Where it went up (step {steps}), the move was too large: a slope holds only near its place.", steps=up
    )
    return f"{said} {too_large}"


def promise_in_words(moments, rate, optimizer):
    """What the slope says of the first step, by the formula of SGD; how Adam differs."""
    before, after = moments[:2]
    if optimizer == "adam":
        return _(
            "Adam divides by the size that a derivative has had so far: in the first step every weight that moves at "
            "all moves by about the rate, {rate}. The slope promises a loss of {loss}.",
            rate=f"{rate:.12g}",
            loss=shown(after.promised),
        )
    g = before.gradients
    return _(
        "What the slope promises for the first step: loss − rate · |g|\u2060² = {before} − {rate} · {square} = {loss}. "
        "|g|\u2060² is the sum of the squares of all derivatives.",
        before=fine(g.loss),
        rate=f"{rate:.12g}",
        square=fine(sum(np.sum(g[name] ** 2) for name in g.weights)),
        loss=fine(after.promised),
    )


# ---- grids


def losses_grid(moments):
    """A line for each step: the loss, and what the slope had promised."""
    losses = [(it.gradients.loss, it.promised) for it in moments]
    rows = [[shown(loss), "" if promised is None else shown(promised)] for loss, promised in losses]
    return grid("losses", [_("The loss")], ["", _("is"), _("promised")], step_names(moments), rows, full=None)


def probabilities_grid(before, after):
    rows = shown_rows(list(zip(before["probs"][-1], after["probs"][-1], strict=True)))
    columns = [_("next"), _("before"), _("after")]
    return grid("probabilities", [_("Probabilities")], columns, map(token, before.vocab), rows)


def arithmetic_grid(moments, key, index, rate):
    """One weight, a line for each step, a column for each piece of the arithmetic."""
    steps = [pieces(before, after, key, index, rate) for before, after in pairwise(moments)]
    rows = [list(map(fine, step.values())) for step in steps]
    where = f"[{','.join(map(str, index))}]"
    caption = [f"{key}{where}", _("step by step")]
    return grid("arithmetic", caption, ["", *steps[0]], step_names(moments)[1:], rows, full=None)


def pieces(before, after, key, index, rate):
    """The arithmetic of one step for one weight: {formula: number}. A formula does not break within a term."""
    w, g, new = before.trace[key][index], before.gradients[key][index], after.trace[key][index]
    start = {"w": w, f"g = ∂{before.trace.about(key).symbol}": g}
    if after.adam is None:
        return start | {_("rate\u00a0·\u00a0g"): rate * g, _("new\u00a0w = w −\u00a0rate\u00a0·\u00a0g"): new}
    m, v, m_hat, v_hat = (it[key][index] for it in after.adam[1:5])
    return start | {
        f"m = {BETA1}\u00a0m +\u00a0{1 - BETA1:.12g}\u00a0g": m,
        f"v = {BETA2}\u00a0v +\u00a0{1 - BETA2:.12g}\u00a0g²": v,
        f"m̂\u00a0=\u00a0m /\u00a0(1\u00a0−\u00a0{BETA1}ⁿ)": m_hat,
        f"v̂\u00a0=\u00a0v /\u00a0(1\u00a0−\u00a0{BETA2}ⁿ)": v_hat,
        _("move = rate\u00a0·\u00a0m̂ /\u00a0(√v̂\u00a0+\u00a0ε)"): w - new,
        _("new\u00a0w = w\u00a0−\u00a0move"): new,
    }


def fine(x):
    """A number with more digits than elsewhere, so that what is squared can be seen; an exact 0 is "0"."""
    return "0" if x == 0 else f"{x:.6f}" if 1e-4 <= abs(x) < 1e6 else f"{x:.2e}"
