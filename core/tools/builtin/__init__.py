"""The tools that ship with Metier, a file per subject (AGENTS_AND_TOOLS §5)."""

from core.network.routes import Network
from core.ports import Clock, FilePicker, Recordings, Runs, Sandbox, Storage, TemplateLibrary
from core.tools.builtin import (
    ask_user,
    calculator,
    delete_file,
    edit_file,
    executions,
    http_fetch,
    list_files,
    memory,
    move_file,
    pick_file,
    read_file,
    recording,
    run_code,
    run_command,
    search_files,
    sub_agents,
    templates,
    todo,
    wait,
    write_file,
)
from core.tools.command.confinement import Confinement
from core.tools.file_copies import FileCopies
from core.tools.own_places import NO_PLACES, OwnPlaces
from core.tools.registry import Tool
from core.tools.text_files import SeenFiles


def builtin_tools(
    sandbox: Sandbox, clock: Clock, own: OwnPlaces = NO_PLACES, network: Network | None = None
) -> list[Tool]:
    """Return the tools that store nothing, ready to be registered. They do not reach the app's `own` folders."""
    return [
        calculator.tool(),
        wait.tool(clock),
        list_files.tool(own),
        run_code.tool(sandbox),
        http_fetch.tool(network=network),
        ask_user.tool(),
        *sub_agents.tools(),
    ]


def storing_tools(
    storage: Storage,
    clock: Clock,
    seen: SeenFiles,
    picker: FilePicker | None = None,
    own: OwnPlaces = NO_PLACES,
    copies: FileCopies | None = None,
    confinement: Confinement | None = None,
) -> list[Tool]:
    """Return the tools that read or write the store, or the files that a run has `seen`. `picker` is the window's file
    picker, if there is a window; what they change is kept in `copies`. They do not reach the app's `own` folders.
    """
    picked, copies = storage.allowed_files.of_run, copies or FileCopies()
    return [
        todo.tool(storage, clock),
        memory.tool(storage.memories, clock),
        pick_file.tool(storage, picker, own),
        read_file.tool(picked, own, seen),
        write_file.tool(picked, own, seen, copies),
        edit_file.tool(picked, own, seen, copies),
        move_file.tool(picked, own, copies),
        delete_file.tool(picked, own, seen, copies),
        search_files.tool(picked, own),
        *([run_command.tool(storage.commit, own, confinement)] if run_command.is_possible() else []),
    ]


def collection_tools(runs: Runs, library: TemplateLibrary) -> list[Tool]:
    """Return the tools for templates and runs, which the app also serves through MCP."""
    return [*templates.tools(library), *executions.tools(runs)]


def recording_tools(recordings: Recordings) -> list[Tool]:
    """Return the tools that start, fill and end a recording (ENGINE §11)."""
    return recording.tools(recordings)
