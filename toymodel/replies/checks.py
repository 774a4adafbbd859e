"""`check` replies to an answer: right, and why; or which mistake it looks like; or a hint. It never raises."""

import re
from collections import Counter
from importlib import import_module
from inspect import isfunction
from pathlib import Path

import numpy as np

from .. import exercises as questions
from ..language import _
from ..typed import NoNumber
from .answers import TWO_NUMBERS, as_numbers, is_rounded, same

_GROUPED = re.compile(r"\s*\d{1,3}((\s\d{3})+|(,\d{3})+)\s*")  # a space or a comma before each three digits
_misses = Counter()  # for each question, how often a hint was given


class Reply(str):
    """What `check` says; `right` is True for a right answer."""

    right = False

    def _repr_markdown_(self):
        return str(self)

    def __repr__(self):
        return str(self)


def check(name, answer=..., *more):
    """Reply to an answer, check("attention.score", 1.5): numbers, lists, arrays, tables, text such as "0,395".

    Without an answer, or with `...` left in its place, it asks the question. Numbers may be off by the tolerance that
    the question names. (`more` is what a decimal comma leaves behind it, check("attention.score", 1,5).)
    """
    asked = exercises()
    if not isinstance(name, str) or name not in asked:
        return Reply(_("There is no such question. There are: {names}.", names=", ".join(asked)))
    item = asked[name]()
    verdict, right = (TWO_NUMBERS, False) if more else _judge(name, item, answer)
    reply = Reply(f"**{_('Question.')}** {item.question} *{_form(item)}*\n\n{verdict}")
    reply.right = right
    return reply


def exercises():
    """All questions: "lesson.question" -> the function that makes its Item."""
    found = {}
    for file in sorted(Path(questions.__file__).parent.glob("[a-z]*.py")):
        module = import_module(f"{questions.__name__}.{file.stem}")
        for question, make in vars(module).items():
            if isfunction(make) and make.__module__ == module.__name__ and not question.startswith("_"):
                found[f"{file.stem}.{question}"] = make
    return found


def _form(item):
    """How to answer."""
    if isinstance(item.answer, str):
        return _("(a word)")
    if isinstance(item.answer, int):
        return _("(a whole number)")
    if _are_ids(item.answer):
        return _("(whole numbers in a list)")
    n = np.size(item.answer)
    if n == 1:
        return _("(a number, to within {tolerance})", tolerance=item.tolerance)
    return _("({n} numbers in a list, each to within {tolerance})", n=n, tolerance=item.tolerance)


def _judge(name, item, answer):
    """What to say to an answer, and whether it is right."""
    if answer is ... or answer is None or (isinstance(answer, str) and not answer.strip()):
        return _("Put your answer in place of the three dots, and run the cell again."), False
    try:
        given = _read(answer, item.answer)
    except ValueError as error:
        return _("**I cannot read this answer.** {error}", error=error), False
    if same(given, item.answer, item.tolerance):
        del _misses[name]
        return _("**Right.** {why}", why=item.why), True
    for mistake, value in item.mistakes.items():
        if same(given, value, item.tolerance):
            return _("**Not yet.** {mistake}", mistake=mistake), False
    if item.probability and not 0 <= given <= 1:
        return _("**Not yet.** A probability is a number from 0 to 1 (20 % is 0.2)."), False
    if item.weigh and (said := item.weigh(given)):
        return _("**Not yet.** {mistake}", mistake=said), False
    _misses[name] += 1
    if is_rounded(given, item.answer):
        return _("**Close.** The way seems right: give three decimals, and round at the end only."), False
    for mistake, value in item.mistakes.items():
        if is_rounded(given, value):
            return _("**Not yet.** {mistake}", mistake=mistake), False
    return _("**Not yet.** {hint}", hint=item.hints[min(_misses[name], len(item.hints)) - 1]), False


def _read(answer, expected):
    """The answer in the form of the expected one: a word, or an array of its shape. Raises ValueError.

    Ids may be of any number: how many there are is part of the question.
    """
    if isinstance(expected, str):
        if not isinstance(answer, str):
            raise ValueError(_("A word in quotation marks is needed."))
        return answer
    if isinstance(expected, int) and isinstance(answer, str) and _GROUPED.fullmatch(answer):
        answer = re.sub(r"[\s,]", "", answer)
    if _are_ids(expected):
        return _read_ids(answer)
    array = np.squeeze(as_numbers(answer))
    shape = np.shape(expected)
    if array.shape != shape:
        if not shape:
            raise ValueError(_("One number is needed, not {n}.", n=array.size))
        raise ValueError(_("{n} numbers in a list are needed, not {m}.", n=shape[0], m=array.size))
    if not np.isfinite(array).all():
        raise ValueError(_("Only finite numbers, please."))
    return array


def _are_ids(expected):
    return isinstance(expected, list) and all(isinstance(it, int) for it in expected)


def _read_ids(answer):
    """Whole numbers in a row; a comma stands between two of them."""
    try:
        ids = as_numbers(answer.replace(",", " ") if isinstance(answer, str) else answer).ravel()
    except NoNumber:
        raise ValueError(_("Ids are asked, not tokens: whole numbers in a list.")) from None
    if not np.isfinite(ids).all():
        raise ValueError(_("Only finite numbers, please."))
    return ids
