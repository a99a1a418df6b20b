"""`calculator`: the value of an arithmetic expression (AGENTS_AND_TOOLS §5).

The evaluator walks Python's own syntax tree, with its precedences and signs: `-2^2` is -4 and `-7 % 3` is 2. NaN and
infinity are never returned. An expression without a real value is `failed`, one that cannot be parsed
`invalid_arguments`. An operation takes microseconds: powers are estimated before they are computed.

simpleeval was considered: it computes 4000000**4000000, bounds no product of integers, and accepts text, attributes and
subscripts; more would have to be switched off there than is written here.
"""

import ast
from collections.abc import Callable
from typing import Any

from core.domain.tool import ToolInfo
from core.errors import ToolFailed
from core.ports import CallContext
from core.tools import schema
from core.tools.builtin.math_functions import CONSTANTS, FUNCTIONS, OPERATORS, SIGNS, Number, finite
from core.tools.measure import format_count, shorten
from core.tools.registry import Arguments, Tool

MAX_CHARACTERS = 1_000

_INFO = ToolInfo(
    name="calculator",
    title="Calculator",
    description=(
        "Evaluates an arithmetic expression and returns {result}. Operators: + - * / // % ^ (power, also **) and "
        f"parentheses. Functions: {', '.join(FUNCTIONS)}; log takes (x, base), nroot (x, n), round (x) or "
        f"(x, digits). Constants: {', '.join(CONSTANTS)}. Angles are in radians. Integers are exact."
    ),
    input_schema=schema.of_object(
        {"expression": schema.text("For example: (3 + 4) * sqrt(2) / 1.5^3", MAX_CHARACTERS)}
    ),
)


def tool() -> Tool:
    """Return the tool. Domain errors are `failed`, expressions that cannot be parsed `invalid_arguments`."""
    return Tool(_INFO, server=_calculate, read_only=True, summary=_summary)


async def _calculate(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    return {"result": evaluate(arguments["expression"])}


def _summary(arguments: Arguments, value: Any) -> str:
    return shorten(f"{arguments['expression']} = {value['result']}")


def evaluate(expression: str) -> Number:
    """Return the value of the expression. Raises ToolFailed `invalid_arguments` or `failed`."""
    try:
        # No text is left in an expression that is taken, so that the sign cannot stand for anything else.
        tree = ast.parse(expression.strip().replace("^", "**"), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _invalid_expression("it is not complete, or not arithmetic") from None
    try:
        return _value(tree.body)
    except RecursionError:
        raise _invalid_expression("it is nested too deeply") from None


def _value(node: ast.expr) -> Number:
    """Return the value of a node. Each level costs a single call, so that a sum of 500 numbers fits the interpreter's
    stack.
    """
    match node:
        case ast.Constant(value=bool()):
            raise _invalid_expression("true and false are not numbers")
        case ast.Constant(value=int() | float() as number):
            return _apply("the number", finite, [number])
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.Name(id=name):
            raise _invalid_expression(f"there is no constant {name!r}; there are {', '.join(CONSTANTS)}")
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in SIGNS:
            return SIGNS[type(sign)](_value(operand))
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            name, function = OPERATORS[type(operator)]
            return _apply(name, function, [_value(left), _value(right)])
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _apply(name, _function(name, len(arguments)), [_value(argument) for argument in arguments])
        case _:
            raise _invalid_expression(f"{shorten(ast.unparse(node), 40)} is not arithmetic")


def _function(name: str, count: int) -> Callable[..., Number]:
    if name not in FUNCTIONS:
        raise _invalid_expression(f"there is no function {name!r}; there are {', '.join(FUNCTIONS)}")
    function, least, most = FUNCTIONS[name]
    if not least <= count <= most:
        takes = format_count(most, "number") if least == most else f"{least} to {format_count(most, 'number')}"
        raise _invalid_expression(f"{name} takes {takes}, not {count}")
    return function


def _apply(name: str, function: Callable[..., Any], numbers: list[Number]) -> Number:
    try:
        return finite(function(*numbers))
    except ZeroDivisionError:
        raise ToolFailed("failed", f"{name}: division by zero") from None
    except OverflowError:
        raise ToolFailed("failed", f"{name}: the result is too large") from None
    except ValueError as error:
        raise ToolFailed("failed", f"{name}: {error}") from None


def _invalid_expression(why: str) -> ToolFailed:
    return ToolFailed("invalid_arguments", f"the expression cannot be read: {why}")
