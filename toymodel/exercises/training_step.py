"""Lesson 6."""

import numpy as np

from ..core.ops import softmax
from ..language import _
from . import Item, in_a_row


def at_logits():
    z, target = np.array([2.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
    p = softmax.value(z)
    return Item(
        _("The logits of three tokens are `{z}`, and the last token was right. What is ∂z?", z=z.tolist()),
        p - target,
        _("The probabilities, less 1 at the right token. They sum to 0."),
        {
            _("The sign is turned. Where ∂z is negative, growing lowers the loss."): target - p,
            _("Those are the probabilities. Something is missing at the right token."): p,
            _("The 1 was subtracted at the likeliest token. It belongs to the right one."): p - target[::-1],
            _("Almost: at the right token it is p less 1, not 1 less p. The three must sum to 0."): abs(p - target),
            _("The wrong tokens count, too: a larger logit of theirs takes probability away."): (p - 1) * target,
            _("The softmax is missing: p is not z."): z - target,
        },
        (
            _("First make probabilities of the logits. What is to be subtracted, and where?"),
            _("The three numbers must sum to 0."),
            _("p = {p}; less 1 at the last place: {slopes}.", p=in_a_row(p), slopes=in_a_row(p - target)),
        ),
    )


def chain():
    arrives, slope = 0.5, -0.6
    return Item(
        _(
            "In y = h + m, m is computed from h: its slope there is {slope:g}. From the loss, "
            "∂y = {arrives:g} arrives. All are single numbers. What is ∂h?",
            slope=slope,
            arrives=arrives,
        ),
        arrives + slope * arrives,
        _("Past m the slope is 1, through m it is {slope:g}: both times ∂y, and add.", slope=slope),
        {
            _("That is the way through m. h goes straight into the sum, too."): slope * arrives,
            _("That is the way past m. h goes through m, too."): arrives,
            _("The slope must be multiplied by what arrives at m. The plus hands ∂y on to it."): arrives + slope,
            _("Along one way slopes are multiplied. But two ways are added."): slope * arrives * arrives,
            _("That is the slope of y by h. It is still to be multiplied by what arrives."): 1 + slope,
            _("The way through m is added with its sign, not subtracted."): arrives - slope * arrives,
        },
        (
            _("In how many ways does h reach y?"),
            _("For each way, its slope times ∂y. Then add the ways."),
            _(
                "{arrives:g} + ({slope:g}) × {arrives:g} = {answer:g}.",
                arrives=arrives,
                slope=slope,
                answer=arrives + slope * arrives,
            ),
        ),
    )


def central():
    x, delta = 2.0, 1.0
    below, here, above = ((x + it) ** 3 for it in (-delta, 0, delta))
    return Item(
        _(
            "The function is x to the power of 3. What is its central difference at {x:g}, with δ = {delta:g}?",
            x=x,
            delta=delta,
        ),
        (above - below) / (2 * delta),
        _(
            "It is ({above:g} - {below:g}) / {width:g}. With so large a δ it is not exact.",
            above=above,
            below=below,
            width=2 * delta,
        ),
        {
            _("That is the derivative itself. With so large a δ the central difference is another."): 3 * x**2,
            _("That goes one step up only. The central difference goes up and down."): (above - here) / delta,
            _("That goes one step down only. The central difference goes up and down."): (here - below) / delta,
            _("From below to above it is two steps of δ."): (above - below) / delta,
            _("The sign is turned: above less below."): (below - above) / (2 * delta),
        },
        (
            _("Work out the function at two places: x - δ and x + δ."),
            _("The difference of the two, over how far they are apart."),
            _(
                "{x:g} + {delta:g} gives {above:g}, {x:g} - {delta:g} gives {below:g}: ({above:g} - {below:g}) / "
                "{width:g} = {answer:g}.",
                x=x,
                delta=delta,
                above=above,
                below=below,
                width=2 * delta,
                answer=(above - below) / (2 * delta),
            ),
        ),
    )


def descent():
    start, rate = 3.0, 0.1

    def after(step):
        w = start
        for _n in range(2):
            w = step(w)
        return w

    return Item(
        _(
            "The loss is w times w. It begins at w = {start:g}, with a learning rate of {rate:g}. "
            "Where is w after two steps of gradient descent?",
            start=start,
            rate=rate,
        ),
        after(lambda w: w - rate * 2 * w),
        _("The derivative is 2 w, so each step leaves {left:g} of w.", left=1 - 2 * rate),
        {
            _("That is one step."): start - rate * 2 * start,
            _("After the first step the derivative is another one."): start - 2 * rate * 2 * start,
            _("Against the derivative: it is subtracted."): after(lambda w: w + rate * 2 * w),
            _("The derivative of w times w is not w."): after(lambda w: w - rate * w),
            _("The derivative is subtracted, not the loss."): after(lambda w: w - rate * w * w),
            _("The learning rate is missing."): after(lambda w: w - 2 * w),
        },
        (
            _("The derivative of w times w is 2 w. What is it at the start?"),
            _("Take one step, then the derivative at the new place, then the second step."),
            _(
                "{start:g} - {rate:g} × {slope:g} = {one:g}, and {one:g} - {rate:g} × {next:g} = {two:g}.",
                start=start,
                rate=rate,
                slope=2 * start,
                one=start - rate * 2 * start,
                next=2 * (start - rate * 2 * start),
                two=after(lambda w: w - rate * 2 * w),
            ),
        ),
    )


def adam():
    w, g, rate = 2.0, 0.004, 0.05
    m, v = 0.1 * g, 0.001 * g**2
    return Item(
        _(
            "At the first step of Adam, a weight is {w:g} and its derivative {g:g}. The learning rate is {rate:g}, "
            "the rest as in this lesson. What is the weight after the step?",
            w=w,
            g=g,
            rate=rate,
        ),
        w - rate,
        _("At the first step m̂ is the derivative and v̂ its square: the weight moves by the learning rate."),
        {
            _("That is gradient descent. Adam divides by the derivative's size."): w - rate * g,
            _("The sign is turned: a positive derivative makes the weight smaller."): w + rate,
            _("That is m over the root of v: both hats are missing."): w - rate * m / np.sqrt(v),
            _("The hat of m is missing."): w - rate * m / g,
            _("The hat of v is missing."): w - rate * g / np.sqrt(v),
            _("The root of v̂ is missing: it is a mean of squares."): w - rate * g / g**2,
        },
        (
            _("Work out m and v first, then their hats. At n = 1 they become simple."),
            _("What is a number over the root of its own square?"),
            _(
                "m̂ = {g:g}, and √v̂ = {g:g}: {w:g} - {rate:g} × {g:g} / {g:g} = {answer:g}.",
                g=g,
                w=w,
                rate=rate,
                answer=w - rate,
            ),
        ),
    )


def floor():
    share, n_tokens = np.array([2, 1]) / 3, 5
    n = n_tokens - 1
    surprise = -(share @ np.log(share))
    return Item(
        _(
            "Three sentences of {n_tokens} tokens are the same but for their second token: in two of them it is gato, "
            "in one cão. The first token is given. What is the smallest mean loss that any model can reach?",
            n_tokens=n_tokens,
        ),
        surprise / n,
        _("Best is to say each as often as it comes. What is left stands in one prediction of {n}.", n=n),
        {
            _("After the first token no model can know what comes. Something remains."): 0.0,
            _("The sign is turned: -ln p is never below 0, so no loss is."): -surprise / n,
            _("That is what is left in that one prediction. The others cost nothing: take the mean."): surprise,
            _("That is for two equally likely tokens. One comes twice as often."): np.log(2) / n,
            _("The first token is given, so there is one prediction fewer than tokens."): surprise / n_tokens,
            _("That is to base 2. The loss takes the natural logarithm."): surprise / np.log(2) / n,
            _("There are three sentences, but two different tokens."): np.log(3) / n,
        },
        (
            _("Which predictions can be certain, and which cannot?"),
            _("With p for gato: two sentences of three cost -ln p, one costs -ln(1 - p). Which p is best?"),
            _(
                "p = 2/3: in that prediction 2/3 × {cheap:.3f} + 1/3 × {dear:.3f} = {surprise:.3f} is left, and "
                "{surprise:.3f} / {n} = {answer:.3f}.",
                cheap=-np.log(share[0]),
                dear=-np.log(share[1]),
                surprise=surprise,
                n=n,
                answer=surprise / n,
            ),
        ),
    )
