"""An Array: numbers that know how they came about. An Op makes one; an Aside makes one that is only looked at."""

from .expression import Element


class Array:
    """Numbers that know how they came about; a recorder adds their name, and a note where there is more to say."""

    __slots__ = ("inputs", "name", "note", "op", "settings", "value")
    __iter__ = None  # x[i] below always answers, so a loop would not end

    def __init__(self, op, inputs, settings):
        self.op, self.inputs, self.settings, self.name, self.note = op, inputs, settings, "", ""

    def __getattr__(self, name):  # only asked for what is not there yet: an aside's value
        if name != "value":
            raise AttributeError(name)
        self.value = self.op.value(*[x.value for x in self.inputs], **self.settings)
        return self.value

    def __getitem__(self, index):
        return Element(self, index)


class Op:
    """What all operations share: calling one makes an Array. Its functions stand together; it has no instances."""

    def __new__(cls, *inputs, **settings):
        array = Array(cls, inputs, settings)
        array.value = cls.value(*[x.value for x in inputs], **settings)
        return array

    def note(index, *inputs, **settings):
        """What there is to say of an element besides its sum."""
        return ""


class Aside(Op):
    """An operation whose result is only looked at: it is worked out when it is, and needs no derivative."""

    def __new__(cls, *inputs, **settings):
        return Array(cls, inputs, settings)


def path_to(array):
    """Every Array behind this one, and itself: inputs before what is computed from them. A dict, for its order."""
    found, way = {}, [(array, iter(array.inputs))]  # no recursion: a path may be longer than Python's stack is high
    while way:
        it, rest = way[-1]
        for x in rest:
            if x in found:
                continue
            if x.inputs:
                way.append((x, iter(x.inputs)))
                break
            found[x] = True
        else:
            found[it] = True
            way.pop()
    return found
