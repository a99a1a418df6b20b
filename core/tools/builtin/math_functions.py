"""Constants, operators and functions of the calculator. Pure.

Integers stay integers, also where a quotient is even, up to 1,000 digits. Angles are radians. Where there is no real
value a function raises ValueError, ZeroDivisionError or OverflowError, with a message for the user.
"""

import ast
import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal

Number = int | float

DIGITS = 1_000
_BOUND: int = 10**DIGITS
_MANY = 1_000  # more arguments than an expression can hold


def finite(number: Number) -> Number:
    """Return the number. Raises OverflowError if it is infinite, NaN or too long."""
    if abs(number) >= _BOUND if isinstance(number, int) else not math.isfinite(number):
        raise OverflowError
    return number


def power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        # Estimated from the bits: computing the power first could take hours and gigabytes.
        if (base.bit_length() - 1) * exponent > _BOUND.bit_length():
            raise OverflowError
        return int(base**exponent)
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    if base < 0 and not float(exponent).is_integer():
        raise ValueError("a negative number has no real power with this exponent")
    return math.pow(base, exponent)


def divide(dividend: Number, divisor: Number) -> Number:
    if isinstance(dividend, int) and isinstance(divisor, int) and dividend % divisor == 0:
        return dividend // divisor
    return dividend / divisor


def root(number: Number, degree: Number) -> Number:
    """Return the real `degree`-th root. An odd root of a negative number is negative."""
    if degree == 0:
        raise ValueError("there is no 0th root")
    if number < 0 and degree % 2 != 1:
        raise ValueError("a negative number has real roots of odd degree only")
    if number == 0 and degree < 0:
        raise ZeroDivisionError
    size = math.pow(abs(number), 1 / degree)
    whole = round(size)
    if isinstance(degree, int) and degree > 0 and whole**degree == abs(number):
        size = float(whole)  # the cube root of 64 is 4, not 3.9999999999999996
    return math.copysign(size, number)


def rounded(number: Number, digits: Number = 0) -> Number:
    """Round to nearest, halves away from zero, unlike Python's rounding to even."""
    if not isinstance(digits, int) or not 0 <= digits <= 15:
        raise ValueError("the digits to round to are a whole number from 0 to 15")
    if isinstance(number, int):
        return number
    exact = Decimal(repr(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, Context(prec=400))
    return float(exact) if digits else int(exact)


def logarithm(number: Number, base: Number) -> float:
    if number <= 0 or base <= 0 or base == 1:
        raise ValueError("its number must be above 0, its base above 0 and not 1")
    if base in (2, 10):  # exact where there is an exact value
        return math.log2(number) if base == 2 else math.log10(number)
    return math.log(number) / math.log(base)


def _where(
    function: Callable[[Number], Number], holds: Callable[[Number], bool], rule: str
) -> Callable[[Number], Number]:
    def guarded(number: Number) -> Number:
        if not holds(number):
            raise ValueError(f"its number must be {rule}")
        return function(number)

    return guarded


def _sign(number: Number) -> int:
    return (number > 0) - (number < 0)


def _is_positive(number: Number) -> bool:
    return number > 0


def _is_unit(number: Number) -> bool:
    return -1 <= number <= 1


SIGNS: dict[type[ast.unaryop], Callable[[Number], Number]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}

OPERATORS: dict[type[ast.operator], tuple[str, Callable[[Number, Number], Number]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.Div: ("/", divide),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.Pow: ("^", power),
}

CONSTANTS: dict[str, float] = {
    "pi": math.pi,
    "e": math.e,
    "tau": math.tau,
    "sqrt2": math.sqrt(2),
    "ln2": math.log(2),
    "ln10": math.log(10),
}

FUNCTIONS: dict[str, tuple[Callable[..., Number], int, int]] = {
    "sin": (math.sin, 1, 1),
    "cos": (math.cos, 1, 1),
    "tan": (_where(math.tan, lambda x: abs(math.cos(x)) > 1e-10, "no odd multiple of pi/2"), 1, 1),
    "asin": (_where(math.asin, _is_unit, "between -1 and 1"), 1, 1),
    "acos": (_where(math.acos, _is_unit, "between -1 and 1"), 1, 1),
    "atan": (math.atan, 1, 1),
    "sinh": (math.sinh, 1, 1),
    "cosh": (math.cosh, 1, 1),
    "tanh": (math.tanh, 1, 1),
    "sqrt": (_where(math.sqrt, lambda x: x >= 0, "0 or more"), 1, 1),
    "cbrt": (math.cbrt, 1, 1),
    "exp": (math.exp, 1, 1),
    "exp2": (math.exp2, 1, 1),
    "ln": (_where(math.log, _is_positive, "above 0"), 1, 1),
    "log10": (_where(math.log10, _is_positive, "above 0"), 1, 1),
    "abs": (abs, 1, 1),
    "sign": (_sign, 1, 1),
    "floor": (math.floor, 1, 1),
    "ceil": (math.ceil, 1, 1),
    "round": (rounded, 1, 2),
    "trunc": (math.trunc, 1, 1),
    "degrees": (math.degrees, 1, 1),
    "radians": (math.radians, 1, 1),
    "pow": (power, 2, 2),
    "log": (logarithm, 2, 2),
    "mod": (operator.mod, 2, 2),
    "atan2": (math.atan2, 2, 2),
    "nroot": (root, 2, 2),
    "min": (lambda *numbers: min(numbers), 1, _MANY),
    "max": (lambda *numbers: max(numbers), 1, _MANY),
}
