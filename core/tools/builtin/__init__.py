"""The tools that Metier brings along, a tool a file (AGENTS_AND_TOOLS §5)."""

from core.ports.clock import Clock
from core.ports.sandbox import Sandbox
from core.ports.storage import Storage
from core.tools.builtin import (
    ask_user,
    calculator,
    http_fetch,
    list_files,
    memory,
    read_file,
    run_code,
    todo,
    wait,
    write_file,
)
from core.tools.registry import Tool


def builtin_tools(sandbox: Sandbox, clock: Clock) -> list[Tool]:
    """All of them, ready to be registered."""
    return [
        calculator.tool(),
        wait.tool(clock),
        read_file.tool(),
        write_file.tool(),
        list_files.tool(),
        run_code.tool(sandbox),
        http_fetch.tool(),
        ask_user.tool(),
    ]


def keeping_tools(storage: Storage, clock: Clock) -> list[Tool]:
    """Those that keep something in the store."""
    return [todo.tool(storage, clock), memory.tool(storage.memories, clock)]
