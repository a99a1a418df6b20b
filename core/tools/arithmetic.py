"""Arithmetic from text: an expression gives a number, or ToolFailed says why there is none. Pure.

A walk over Python's own syntax tree, with its precedences and signs: `-2^2` is -4 and `-7 % 3` is 2. NaN and
infinity never come out. What has no real value is `failed`, what cannot be read `invalid_arguments`. An operation
takes microseconds: powers are estimated before they are computed.

simpleeval was read for this: it computes 4000000**4000000, bounds no product of integers, and takes text,
attributes and subscripts; more would have to be switched off there than stands here.
"""

import ast
from collections.abc import Callable
from typing import Any

from core.errors import ToolFailed
from core.tools.math_functions import CONSTANTS, FUNCTIONS, OPERATORS, SIGNS, Number, finite
from core.tools.quantities import counted, shortened


def evaluate(expression: str) -> Number:
    """The value of the expression. Raises ToolFailed `invalid_arguments` or `failed`."""
    try:
        # No text is left in an expression that is taken, so that the sign cannot stand for anything else.
        tree = ast.parse(expression.strip().replace("^", "**"), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable("it is not complete, or not arithmetic") from None
    try:
        return _value(tree.body)
    except RecursionError:
        raise _unreadable("it is nested too deeply") from None


def _value(node: ast.expr) -> Number:
    """Of a part. One call a level, so that a sum of 500 numbers fits the interpreter's stack."""
    match node:
        case ast.Constant(value=bool()):
            raise _unreadable("true and false are no numbers")
        case ast.Constant(value=int() | float() as number):
            return _applied("the number", finite, [number])
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.Name(id=name):
            raise _unreadable(f"there is no constant {name!r}; there are {', '.join(CONSTANTS)}")
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in SIGNS:
            return SIGNS[type(sign)](_value(operand))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            name, function = OPERATORS[type(operator)]
            return _applied(name, function, [_value(left), _value(right)])
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _applied(name, _function(name, len(arguments)), [_value(argument) for argument in arguments])
        case _:
            raise _unreadable(f"{shortened(ast.unparse(node), 40)} is no arithmetic")


def _function(name: str, count: int) -> Callable[..., Number]:
    if name not in FUNCTIONS:
        raise _unreadable(f"there is no function {name!r}; there are {', '.join(FUNCTIONS)}")
    function, least, most = FUNCTIONS[name]
    if not least <= count <= most:
        takes = counted(most, "number") if least == most else f"{least} to {counted(most, 'number')}"
        raise _unreadable(f"{name} takes {takes}, not {count}")
    return function


def _applied(name: str, function: Callable[..., Any], numbers: list[Number]) -> Number:
    try:
        return finite(function(*numbers))
    except ZeroDivisionError:
        raise ToolFailed("failed", f"{name}: division by zero") from None
    except OverflowError:
        raise ToolFailed("failed", f"{name}: the result is too large") from None
    except ValueError as error:
        raise ToolFailed("failed", f"{name}: {error}") from None


def _unreadable(why: str) -> ToolFailed:
    return ToolFailed("invalid_arguments", f"the expression cannot be read: {why}")
