"""How many digits a printed sum needs: so many that working it out again, on paper, gives the number that is shown."""

from ..core.expression import WORKED_OUT, Node
from ..shown import shown, shown_to

LEAST, MOST = 3, 12  # digits that count; at the least, three decimals


def enough_digits(lines, value, shown=shown):
    """How many digits the leaves of these expressions need, so that each comes to `value`, as it is shown.

    That is, to within one and a half of its last place; `MOST` where even they do not do. `shown` is how a leaf is
    shown where three decimals do.
    """
    return next((n for n in range(LEAST, MOST) if all(comes_to(value, line, n, shown) for line in lines)), MOST)


def leaf_text(leaf, digits=LEAST, shown=shown):
    """A number as a sum shows it: by its own text if it has one; as `shown` does, or with more digits that count."""
    return getattr(leaf, "text", None) or (shown(leaf.value) if digits == LEAST else shown_to(leaf.value, digits))


def comes_to(value, line, digits, shown):
    """Whether a line, worked out from what it prints, comes to the value that is shown."""
    try:
        found = worked_out(line, digits, shown)
    except (ArithmeticError, ValueError):  # 0.000 below a fraction, or in a logarithm
        return False
    return found == float(value) or abs(found - float(value)) <= 1.5 * last_place(value)


def worked_out(expression, digits, shown):
    """The expression's value from the printed digits of its leaves; a sign, such as π, is as exact as it means."""
    if isinstance(expression, Node):
        return WORKED_OUT[expression.op](*(worked_out(it, digits, shown) for it in expression.args))
    return expression.value if getattr(expression, "text", None) else float(leaf_text(expression, digits, shown))


def last_place(text):
    """What one more in the last digit of a shown number is: 0.001 for 0.640 (and for 0), 1e6 for 1.235e+09."""
    number, _e, power = text.partition("e")
    decimals = number.partition(".")[2]
    return 10.0 ** (int(power or 0) - (len(decimals) or 3))
