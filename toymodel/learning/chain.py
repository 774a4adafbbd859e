"""The chain rule written out: a derivative is the sum of what each number brings along that was computed from it."""

import numpy as np

from ..core.array import Aside, Op, path_to
from ..core.expression import Element, Node, Number, down_to_names, total
from ..core.ops import cross_entropy, softmax
from ..language import _


class chained(Op):
    """d loss / d a step or weight, of its shape. Each number that was computed from an element has a share in it: the
    slope, which is how much that number moves with the element, times that number's own derivative.
    """

    def value(gradients, key):
        return gradients[key]

    def sentence(index, gradients, key):
        terms = list(contributions(gradients, key, index))
        return total(terms) if len(terms) > 1 else terms[0] if terms else Number(0)

    def note(index, gradients, key):
        return "" if gradients[key][index] else _("exactly 0: the loss does not move with this number")


def derivative(gradients, key):
    """The derivatives of a step or weight as an Array called `∂` and its name. Raises what gradients[key] raises."""
    array = chained(gradients=gradients, key=key)
    array.name = "∂" + key
    return array


def contributions(gradients, key, index):
    """What each number that was computed from one element brings along: Expressions, those left out that are 0."""
    array = gradients.array(key)
    for reader in readers(gradients, array):
        if reader.op is cross_entropy:  # the loss itself: there the chain begins
            slope = slope_of(reader, (), array, index)
            if slope:
                yield at_logit(gradients, index, slope, **reader.settings)
            continue
        behind = derivative(gradients, reader.name)
        for place in map(tuple, np.argwhere(behind.value).tolist()):
            slope = slope_of(reader, place, array, index)
            if slope:
                factors = factors_of(reader, place, Element(array, index), slope)
                yield Node("*", *factors, behind[place]) if factors else behind[place]


def readers(gradients, array):
    """The named steps on the way to the loss that were computed from this array, with no name between."""
    steps = [it for it in path_to(gradients.array("loss")) if it.name and not issubclass(it.op, Aside)]
    return [it for it in steps if array in read_by(it)]


def read_by(array):
    """The named arrays behind this one, with no name between."""
    for x in array.inputs:
        yield from [x] if x.name else read_by(x)


def slope_of(reader, place, array, index):
    """How much one number of a step moves with one element that it was computed from: walked back, as all gradients."""
    one = np.zeros(reader.value.shape)
    one[place] = 1
    return float(carried_back(one, reader, array)[index])


def carried_back(g, reader, array):
    """From a step back to an array that it was computed from, with no name between."""
    collected = np.zeros(array.value.shape)
    behind = reader.op.vjp(g, reader.value, *[x.value for x in reader.inputs], **reader.settings)
    for x, share in zip(reader.inputs, behind, strict=True):
        if x is array and share is not None:
            collected += share
        elif not x.name:
            collected += carried_back(share, x, array)
    return collected


def factors_of(reader, place, element, slope):
    """A slope as factors: by their names where the step is a sum of products, a number where not, none for a 1."""
    sentence = down_to_names(reader.op.sentence(place, *reader.inputs, **reader.settings))
    for term in sentence.args if isinstance(sentence, Node) and sentence.op == "+" else [sentence]:
        factors = term.args if isinstance(term, Node) and term.op == "*" else [term]
        others = [it for it in factors if not is_same(it, element)]
        if any(reads(it, element) for it in others):
            continue  # not a product of it and what stands still
        if len(others) == len(factors) - 1:
            return others
    return [Number(slope)]


def is_same(leaf, element):
    return isinstance(leaf, Element) and leaf.array is element.array and leaf.index == element.index


def reads(expression, element):
    if isinstance(expression, Node):
        return any(reads(it, element) for it in expression.args)
    return is_same(expression, element)


def at_logit(gradients, index, slope, rows, targets):
    """d loss / d a logit: its probability, less 1 for the right token, over the number of rows that are judged."""
    probs = gradients.array("probs")
    if gradients.temperature != 1 or probs.op is not softmax:  # other probabilities than the loss is made of
        return Number(slope)
    row, token = index
    p = probs[row, token]
    (judged,) = np.flatnonzero(np.asarray(rows) == row)
    top = p - 1 if targets[judged] == token else p
    return top if len(rows) == 1 else top / len(rows)
