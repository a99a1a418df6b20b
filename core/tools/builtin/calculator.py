"""`calculator`: the value of an expression (AGENTS_AND_TOOLS §5)."""

from typing import Any

from core.domain.tool import ToolInfo
from core.ports.tools import CallContext
from core.tools import schema
from core.tools.arithmetic import evaluate
from core.tools.math_functions import CONSTANTS, FUNCTIONS
from core.tools.quantities import shortened
from core.tools.registry import Arguments, Tool

LENGTH = 1_000

_INFO = ToolInfo(
    name="calculator",
    title="Calculator",
    description=(
        "Evaluates an arithmetic expression and gives {result}. Operators: + - * / // % ^ (power, also **) and "
        f"parentheses. Functions: {', '.join(FUNCTIONS)}; log takes (x, base), nroot (x, n), round (x) or "
        f"(x, digits). Constants: {', '.join(CONSTANTS)}. Angles are in radians. Integers are exact."
    ),
    input_schema=schema.of_object(
        {
            "expression": {
                "type": "string",
                "minLength": 1,
                "maxLength": LENGTH,
                "description": "For example: (3 + 4) * sqrt(2) / 1.5^3",
            }
        }
    ),
)


def tool() -> Tool:
    """Domain errors are `failed`, what cannot be read is `invalid_arguments`; both say what is wrong."""
    return Tool(_INFO, server=_calculate, read_only=True, summary=_summary)


async def _calculate(arguments: Arguments, context: CallContext) -> dict[str, Any]:
    return {"result": evaluate(arguments["expression"])}


def _summary(arguments: Arguments, value: Any) -> str:
    return shortened(f"{arguments['expression']} = {value['result']}")
