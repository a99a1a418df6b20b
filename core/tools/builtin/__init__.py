"""The tools that Metier brings along, a tool a file (AGENTS_AND_TOOLS §5)."""

from core.ports.clock import Clock
from core.ports.sandbox import Sandbox
from core.tools.builtin import (
    ask_user,
    calculator,
    delegate_task,
    list_files,
    parallel_tasks,
    read_file,
    run_code,
    spawn_agent,
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
        ask_user.tool(),
        spawn_agent.tool(),
        delegate_task.tool(),
        parallel_tasks.tool(),
    ]
