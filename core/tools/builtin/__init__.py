"""The tools that ship with Metier, a file per subject (AGENTS_AND_TOOLS §5)."""

from core.ports.clock import Clock
from core.ports.executions import Runs
from core.ports.recording import Recordings
from core.ports.sandbox import Sandbox
from core.ports.storage import Storage
from core.ports.templates import TemplateLibrary
from core.ports.tools import FilePicker
from core.tools.builtin import (
    ask_user,
    calculator,
    delegate_task,
    execution_create,
    execution_record,
    execution_save_as_template,
    execution_set_step_result,
    executions,
    http_fetch,
    list_files,
    memory,
    parallel_tasks,
    pick_file,
    read_file,
    run_code,
    spawn_agent,
    templates,
    todo,
    wait,
    write_file,
)
from core.tools.registry import Tool


def builtin_tools(sandbox: Sandbox, clock: Clock) -> list[Tool]:
    """Return the tools that store nothing, ready to be registered."""
    return [
        calculator.tool(),
        wait.tool(clock),
        list_files.tool(),
        run_code.tool(sandbox),
        http_fetch.tool(),
        ask_user.tool(),
        spawn_agent.tool(),
        delegate_task.tool(),
        parallel_tasks.tool(),
    ]


def keeping_tools(storage: Storage, clock: Clock, picker: FilePicker | None = None) -> list[Tool]:
    """Return the tools that read or write the store. `picker` is the window's file picker, if there is a window."""
    return [
        todo.tool(storage, clock),
        memory.tool(storage.memories, clock),
        pick_file.tool(storage, picker),
        read_file.tool(storage.allowed_files.of_run),
        write_file.tool(storage.allowed_files.of_run),
    ]


def collection_tools(runs: Runs, book: TemplateLibrary) -> list[Tool]:
    """Return the tools for templates and runs, which the app also serves through MCP."""
    return [*templates.tools(book), execution_create.tool(runs), *executions.tools(runs)]


def recording_tools(recordings: Recordings) -> list[Tool]:
    """Return the tools that start, fill and end a recording (ENGINE §11)."""
    return [
        execution_record.tool(recordings),
        execution_set_step_result.tool(recordings),
        execution_save_as_template.tool(recordings),
    ]
