"""The tools that Metier brings along, a tool a file (AGENTS_AND_TOOLS §5)."""

from core.ports.clock import Clock
from core.ports.file_picker import FilePicker
from core.ports.sandbox import Sandbox
from core.ports.storage import Storage
from core.tools.builtin import (
    ask_user,
    calculator,
    http_fetch,
    list_files,
    memory,
    pick_file,
    read_file,
    run_code,
    todo,
    wait,
    write_file,
)
from core.tools.registry import Tool


def builtin_tools(sandbox: Sandbox, clock: Clock) -> list[Tool]:
    """Those that keep nothing, ready to be registered."""
    return [
        calculator.tool(),
        wait.tool(clock),
        list_files.tool(),
        run_code.tool(sandbox),
        http_fetch.tool(),
        ask_user.tool(),
    ]


def keeping_tools(storage: Storage, clock: Clock, picker: FilePicker | None = None) -> list[Tool]:
    """Those that keep something in the store, or look into it. `picker` is the window's, if there is one."""
    return [
        todo.tool(storage, clock),
        memory.tool(storage.memories, clock),
        pick_file.tool(storage, picker),
        read_file.tool(storage.allowed_files),
        write_file.tool(storage.allowed_files),
    ]
