"""Questions on lessons 3 to 6, asked again at the beginning of lessons 5 to 8."""

import numpy as np

from ..core.ops import softmax
from ..language import _
from . import Item


def moved_value():
    weights, more, which = [0.5, 0.3, 0.2], 10, 2
    return Item(
        _(
            "A query has the attention weights `{weights}`. The value of the last key grows by {more}. "
            "By how much does the mixture grow?",
            weights=weights,
            more=more,
        ),
        weights[which] * more,
        _("Each value counts by its weight. The weights come from queries and keys alone."),
        {
            _("So much grows the value. In the mixture it counts by its weight."): more,
            _("That is a plain mean. This key has a weight of its own."): more / len(weights),
            _("The weights stay, yes. But what is mixed has changed."): 0,
            _("That is by the first weight."): weights[0] * more,
        },
        (
            _("Write the mixture as a sum of three products. Which of them changes?"),
            _("The last product is weight times value, and its weight is {weight}.", weight=weights[which]),
            _("{weight} × {more} = {answer:g}.", weight=weights[which], more=more, answer=weights[which] * more),
        ),
    )


def slope():
    scores = np.array([2.0, 0.0])
    w = softmax.value(scores)[0]
    return Item(
        _(
            "Two keys have the scores `{scores}`. What is the slope of the first weight, w(1 - w)?",
            scores=scores.tolist(),
        ),
        w * (1 - w),
        _("The further apart the scores, the nearer w is to 1, and its slope to 0: a saturated softmax."),
        {
            _("That is the weight itself. The slope is w(1 - w)."): w,
            _("That is the other weight, 1 - w. The slope is their product."): 1 - w,
            _("That is the square of the weight."): w**2,
            _("That is the slope where both scores are equal: the largest there is."): 0.25,
        },
        (
            _("First the weight: e to its score, over the sum of both powers."),
            _("The weight of the first is {w:.3f}. What is 1 - w?", w=w),
            _(
                "w = {w:.3f}, 1 - w = {rest:.3f}, and {w:.3f} × {rest:.3f} = {slope:.3f}.",
                w=w,
                rest=1 - w,
                slope=w * (1 - w),
            ),
        ),
    )


def relu():
    row, W_in, W_out = np.array([1, -2]), np.array([[1, 0, 2], [0, 1, -1]]), np.array([3, 1, 0.75])
    pre = row @ W_in
    post = np.maximum(pre, 0)
    return Item(
        _(
            "An MLP with ReLU and no biases reads the row `{row}`. W_in = `{W_in}`. To one number its three neurons "
            "hand on `{W_out}`, each its own. What does it add there?",
            row=row.tolist(),
            W_in=W_in.tolist(),
            W_out=W_out.tolist(),
        ),
        post @ W_out,
        _("The neurons are `{pre}` before the bend: the one below 0 hands on nothing.", pre=pre.tolist()),
        {
            _("That is without the bend: ReLU makes 0 of what is below it."): pre @ W_out,
            _("ReLU does not turn a sign, it makes 0 of what is below it."): np.abs(pre) @ W_out,
            _("That adds the neurons as they are. Each is multiplied by its number of W_out first."): post.sum(),
        },
        (
            _("First the three neurons: the row times each column of W_in. Which are on?"),
            _("Before the bend they are `{pre}`. Now ReLU, then W_out.", pre=pre.tolist()),
            _(
                "`{pre}` becomes `{post}`, and {a} × {p:g} + {b} × {q:g} + {c} × {r:g} = {sum:g}.",
                pre=pre.tolist(),
                post=post.tolist(),
                a=post[0],
                b=post[1],
                c=post[2],
                p=W_out[0],
                q=W_out[1],
                r=W_out[2],
                sum=post @ W_out,
            ),
        ),
    )


def turned():
    largest, smallest, times, plus = 1.3, -0.8, -2, 5
    return Item(
        _(
            "LayerNorm makes a row of which the largest number is {largest}, the smallest {smallest}. Now what "
            "it reads is multiplied by {times}, and {plus} is added everywhere. Epsilon aside, what is the largest?",
            largest=largest,
            smallest=smallest,
            times=times,
            plus=plus,
        ),
        -smallest,
        _("The mean takes away what is added, the standard deviation what is multiplied: but for the sign."),
        {
            _("Minus turns the row round: what was smallest is largest now."): largest,
            _("The standard deviation doubles, too, and is divided by."): times * smallest,
            _("What is added to every number is in the mean, too, and that is subtracted."): times * smallest + plus,
            _("A standard deviation is never below 0: the sign of the row stays turned."): smallest,
        },
        (
            _("What becomes of the mean, and what of the standard deviation?"),
            _("The mean moves along. The standard deviation doubles, but has no sign: the row turns round."),
            _(
                "What is added is subtracted again, and ({times}) × ({smallest}) / {size} = {answer}.",
                times=times,
                smallest=smallest,
                size=-times,
                answer=-smallest,
            ),
        ),
    )


def ratio():
    times, T = 3, 0.5
    return Item(
        _(
            "At temperature 1, a token is {times} times as likely as another. How many times as likely is it at "
            "temperature {T}?",
            times=times,
            T=T,
        ),
        times ** (1 / T),
        _("Half the temperature doubles the difference of the logits, and so squares the ratio of their powers of e."),
        {
            _("That is at temperature 1. A lower one sharpens."): times,
            _("The difference of the logits doubles, not the ratio: a power of e lies between."): times / T,
            _("That is at temperature 2: it levels. A lower one sharpens."): times**0.5,
            _("That divides the ratio. The temperature divides logits."): times * T,
        },
        (
            _("The ratio is e to the difference of the two logits. What does the temperature do to that difference?"),
            _("The difference is ln {times}. Divide it by {T}, then take e to that power.", times=times, T=T),
            _(
                "ln {times} / {T} is {n:g} times ln {times}, so the ratio is squared: {times} × {times} = {answer:g}.",
                times=times,
                T=T,
                n=1 / T,
                answer=times ** (1 / T),
            ),
        ),
    )


def surprise():
    p = np.array([0.5, 0.8, 0.25, 1.0])
    each = -np.log(p)
    return Item(
        _(
            "The tokens of a sentence have the probabilities `{p}`, each given all before it. What is the surprise of "
            "the whole sentence?",
            p=p.tolist(),
        ),
        each.sum(),
        _("The sum of the -ln p is -ln of their product, {product:g}. What is certain adds nothing.", product=p.prod()),
        {
            _("That is the mean. The whole sentence has the sum."): each.mean(),
            _("That is the probability of the sentence. Its surprise is -ln of it."): p.prod(),
            _("The sign is turned: -ln p is never below 0."): -each.sum(),
            _("That is with the logarithm to base 2. Surprise takes the natural one."): each.sum() / np.log(2),
            _("That is with the logarithm to base 10. Surprise takes the natural one."): each.sum() / np.log(10),
            _("That is -ln of their sum. Along a sentence probabilities are multiplied."): -np.log(p.sum()),
        },
        (
            _("What is -ln p of each token? And what is done with the four?"),
            _("Add them up; or multiply the probabilities first, and take -ln once."),
            _(
                "{terms} = {sum:.3f}.",
                terms=" + ".join(f"{it:.3f}" for it in abs(each)),
                sum=each.sum(),
            ),
        ),
    )


def step():
    w, slope, rate = 0.4, -1.5, 0.2
    return Item(
        _(
            "A weight is {w}, and the derivative of the loss by it {slope}. Where is it after one step of gradient "
            "descent with a learning rate of {rate}?",
            w=w,
            slope=slope,
            rate=rate,
        ),
        w - rate * slope,
        _("The derivative is negative: where the weight grows, the loss falls. So it grows."),
        {
            _("That goes the way that makes the loss larger: minus a negative number is plus."): w + rate * slope,
            _("The learning rate is missing."): w - slope,
            _("That is how far it moves. Where does it arrive?"): -rate * slope,
            _("That moves by the learning rate alone. It is multiplied by the derivative."): w + rate,
            _("The derivative is multiplied by the learning rate, not by the weight, too."): w - rate * slope * w,
        },
        (
            _("A step goes against the derivative. Which way is that here?"),
            _("The weight, less the learning rate times the derivative. Mind the two signs."),
            _("{w} - {rate} × ({slope}) = {answer:g}.", w=w, rate=rate, slope=slope, answer=w - rate * slope),
        ),
    )
