"""`run_code`: JavaScript of a user or a model in the sandbox (AGENTS_AND_TOOLS §5, §8)."""

from typing import Any

from core.domain.text.json_text import decode, encode, readable_json
from core.domain.tool import ToolInfo
from core.errors import CodeFailed
from core.ports import CallContext, CodeLimits, Console, Sandbox
from core.tools import schema
from core.tools.measure import format_count, shorten
from core.tools.registry import Arguments, Tool

TIMEOUT_S = 30.0
"""Above the limit of the code, 10 s, so that the sandbox's own error comes first, and to wait for a worker."""

_INFO = ToolInfo(
    name="run_code",
    title="Run code",
    description=(
        "Runs JavaScript or TypeScript and returns {output, console}: what the function returned, as JSON, and the "
        "console output as [{level, text}] (64 KB of it). The code is a module that exports a function: "
        "`export default function (input) { return … }`; it may be async. There are no files, no network, no "
        "timers and no imports. Limits: 10 s, 64 MB of memory, 1 MB of output."
    ),
    input_schema=schema.of_object(
        {
            "code": {
                "type": "string",
                "minLength": 1,
                "description": "The source of the module, with a default export that is a function.",
            }
        },
        {"input": {"description": "Any JSON value: the function's argument. An empty object if absent."}},
    ),
)


def tool(sandbox: Sandbox) -> Tool:
    """Return the tool. Errors of the code are its CodeFailed, with line, column and console output."""

    async def run(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        console = Console()
        try:
            output_json = await sandbox.run(
                arguments["code"], encode(arguments.get("input", {})), CodeLimits(), console, context.run_id
            )
        except CodeFailed as error:
            output = _console_fields(console) if console.lines else {}
            raise CodeFailed(error.code, error.message, **error.parameters, **output) from error
        return {"output": decode(output_json), **_console_fields(console)}

    return Tool(_INFO, server=run, read_only=True, timeout_s=TIMEOUT_S, summary=_summary)


def _console_fields(console: Console) -> dict[str, Any]:
    return {"console": console.as_list(), **({"console_cut": True} if console.is_cut else {})}


def _summary(arguments: Arguments, value: Any) -> str:
    match value["output"]:
        case dict() as fields:
            return f"object, {format_count(len(fields), 'field')}"
        case list() as items:
            return f"list, {format_count(len(items), 'item')}"
        case output:
            return shorten(readable_json(output))
