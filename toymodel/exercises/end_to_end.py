"""Lesson 7."""

import numpy as np

from ..calls import run
from ..core.ops import softmax
from ..language import _
from . import Item


def layer_norm():
    row = np.array([0.0, 2.0, 4.0, 6.0])
    off, n = row[-1] - row.mean(), len(row)
    return Item(
        _("A row of the residual stream is `{row}`. What does LayerNorm make of its last number?", row=row.tolist()),
        off / np.sqrt(row.var()),
        _(
            "The last number less the mean {mean:g}, over the standard deviation √{variance:g}.",
            mean=row.mean(),
            variance=row.var(),
        ),
        {
            _("That divides by the variance. LayerNorm divides by its square root, the standard deviation."): off
            / row.var(),
            _("The variance was divided by n - 1. LayerNorm divides by n."): off / row.std(ddof=1),
            _("The mean was not subtracted."): row[-1] / row.std(),
            _("Subtracting the mean is only the first half."): off,
            _("The sum of the squares was not divided by n."): off / np.sqrt(n * row.var()),
        },
        (
            _("Subtract the mean. Then divide by the root of the mean of the squares of what is left."),
            _("What is left is `{left}`. Square, take the mean, take the root.", left=(row - row.mean()).tolist()),
            _("{off:g} / √{variance:g} = {answer:.3f}.", off=off, variance=row.var(), answer=off / np.sqrt(row.var())),
        ),
    )


def temperature():
    z, T = np.array([2.0, 1.0, 0.0]), 2.0
    p = softmax.value(z)
    return Item(
        _("The logits are `{z}`. At temperature {T:g}, what is the probability of the first?", z=z.tolist(), T=T),
        softmax.value(z / T)[0],
        _("Each logit is divided by the temperature, then comes the softmax: the top gets less than at 1."),
        {
            _("That is at temperature 1."): p[0],
            _("That is multiplied by the temperature, where it should be divided."): softmax.value(z * T)[0],
            _("That divides the probability. The temperature divides the logits, before the softmax."): p[0] / T,
            _("That is with powers of 2. The softmax takes powers of e."): 1 / (2.0 ** (z / T - z[0] / T)).sum(),
        },
        (
            _("First divide the logits, then take e to the power of each, then its share of their sum."),
            _("e to the powers `{powers}`. Which share has the first?", powers=(z / T).tolist()),
            _(
                "e^{a:g} = {p:.3f}, e^{b:g} = {q:.3f}, e^{c:g} = {r:g}: {p:.3f} / {sum:.3f} = {answer:.3f}.",
                a=z[0] / T,
                b=z[1] / T,
                c=z[2] / T,
                p=np.exp(z[0] / T),
                q=np.exp(z[1] / T),
                r=np.exp(z[2] / T),
                sum=np.exp(z / T).sum(),
                answer=softmax.value(z / T)[0],
            ),
        ),
        probability=True,
    )


def loss():
    p = 0.25
    return Item(
        _("A model gives the right token the probability `{p}`. What is the loss?", p=p),
        -np.log(p),
        _("-ln of it. A sure model, with probability 1, has a loss of 0."),
        {
            _("That is with the logarithm to base 2. The loss takes the natural one."): -np.log2(p),
            _("That is with the logarithm to base 10. The loss takes the natural one."): -np.log10(p),
            _("The sign is missing: a loss is never below 0."): np.log(p),
            _("That is the probability itself. The loss is minus its logarithm."): p,
            _("That is 1 - p. The loss is a logarithm."): 1 - p,
        },
        (
            _("The loss is -ln p."),
            _("`np.log` is the natural logarithm. Mind the sign."),
            _("ln {p} = {log:.3f}, so the loss is {loss:.3f}.", p=p, log=np.log(p), loss=-np.log(p)),
        ),
    )


def between_positions():
    return Item(
        _("Which part of the block carries something from one position to another: LayerNorm, attention or MLP?"),
        "attention",
        _("All other parts work on each row by itself. Without attention a row knows its own token and place only."),
        {
            _("The MLP works on each row by itself."): "MLP",
            _("LayerNorm takes each row by itself: its mean and spread are of that row."): "LayerNorm",
        },
        (
            _("Answer with one of the three words."),
            _("In which part does one row meet the others?"),
            _("LayerNorm and MLP take each row by itself. In attention, a query meets the keys of others."),
        ),
    )


def smallest_change():
    t = run("o gato subiu no")
    roof, wall = (t.vocab.index(it) for it in ("␣telhado", "␣muro"))
    f, z = t["ln_final.out"][-1], t["logits"][-1]
    ahead, i = z[roof] - z[wall], np.argmax(np.abs(f))
    smallest = ahead / abs(f[i])

    def weigh(given):
        if given < 0:
            return _("Its size is asked, without the sign.")
        if given < smallest:
            return _("With so little no weight does it.")
        above = 100 * (given / smallest - 1)
        percent = f"{above:.0f}" if above >= 1 else f"{above:.1f}"
        return _("That is {percent} % above the smallest.", percent=percent) if above < 200 else ""

    return Item(
        _(
            "One weight of the toy is changed, so that `{text}` goes on with `{wall}`. How large is the smallest such "
            "change, its sign left out?",
            text="o gato subiu no",
            wall="␣muro",
        ),
        smallest,
        _(
            "W_U[{i},{wall}] up, or W_U[{i},{roof}] down: a logit moves by f[{i}] = {f:.3f} times as much. No number "
            "of f is larger, and no weight outside W_U does it with so little.",
            i=i,
            wall=wall,
            roof=roof,
            f=f[i],
        ),
        {
            _("So far is ␣telhado ahead of ␣muro. A weight of W_U is multiplied by a number of f first."): ahead,
            _("That is multiplied by the number of f. Divide by it: the weight moves, and the logit f times as far."): (
                ahead * abs(f[i])
            ),
        },
        (
            _("Which weights are multiplied last, so that nothing dampens what they change?"),
            _(
                "If W_U[i,j] moves by δ, logit j moves by f[i] times δ. ␣telhado is ahead of ␣muro by {ahead:.3f}.",
                ahead=ahead,
            ),
            _(
                "The largest number of f is {f:.3f}, and {ahead:.3f} / {f:.3f} = {smallest:.3f}.",
                f=abs(f[i]),
                ahead=ahead,
                smallest=smallest,
            ),
        ),
        weigh=weigh,
    )
