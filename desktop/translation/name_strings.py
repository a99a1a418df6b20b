"""Names of agents, templates and tool calls in the current language."""

from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from core.domain.tool import mcp_server_of

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_OF_FILES = frozenset({"read_file", "write_file", "edit_file", "move_file", "delete_file", "list_files"})

OFFLINE = "offline"
"""The name under which the core tells of the offline agent; no other agent can have it."""


def offline_agent_name() -> str:
    """Return the name of the offline agent, which makes clear that it is no language model."""
    return translate("Agents", "Offline agent, no language model")


def agent_display_name(name: str) -> str:
    """Return the display name of an agent that a run refers to."""
    return offline_agent_name() if name == OFFLINE else name


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # the name that lupdate collects texts by
    return text


SHIPPED = frozenset(
    {
        QT_TRANSLATE_NOOP(
            "Templates",
            "Asks three agents the same question side by side and puts their answers under each other. The offline "
            "agent answers to commands such as: say 40 words",
        ),
        QT_TRANSLATE_NOOP(
            "Templates", "Counts lines, words and TODOs of every text file in a folder and writes report.md there."
        ),
        QT_TRANSLATE_NOOP(
            "Templates", "Reads two text files at the same time and writes their lines into a third, each line once."
        ),
        QT_TRANSLATE_NOOP("Templates", "Writes a note into a folder once a person has looked at it."),
    }
)

INPUTS = frozenset(
    {
        QT_TRANSLATE_NOOP("Templates", "A text file."),
        QT_TRANSLATE_NOOP("Templates", "Another text file."),
        QT_TRANSLATE_NOOP("Templates", "File to write"),
        QT_TRANSLATE_NOOP("Templates", "First file"),
        QT_TRANSLATE_NOOP("Templates", "Folder"),
        QT_TRANSLATE_NOOP("Templates", "Question"),
        QT_TRANSLATE_NOOP("Templates", "Second file"),
        QT_TRANSLATE_NOOP("Templates", "Text"),
        QT_TRANSLATE_NOOP("Templates", "The file to write; it is replaced."),
        QT_TRANSLATE_NOOP("Templates", "The folder to report on."),
        QT_TRANSLATE_NOOP("Templates", "What the note says."),
        QT_TRANSLATE_NOOP("Templates", "What to ask, for example: say 40 words"),
        QT_TRANSLATE_NOOP("Templates", "Where note.md goes."),
    }
)
"""Titles and descriptions of what they need."""


def template_description(description: str) -> str:
    """Return the description on one line, translated if the template is shipped."""
    text = QCoreApplication.translate("Templates", description) if description in SHIPPED else description
    return " ".join(text.split())


def template_input_text(text: str) -> str:
    """Return the title or description of an input, translated if the template is shipped."""
    return QCoreApplication.translate("Templates", text) if text in INPUTS else text


def tool_verb(tool: str, *, is_open: bool, is_done: bool) -> str:
    """Return what a call is doing, or what it did; of a call that was stopped or failed, what it was doing."""
    done = tool_done(tool)
    return tool_doing(tool) if is_open or (not is_done and done != tool) else done


def tool_done(tool: str) -> str:
    """Return what a call did, in a word or two; for an unknown tool its name."""
    if (words := collection_done(tool)) is not None:
        return words
    match tool:
        case "calculator":
            return translate("Tools", "Calculated")
        case "find_tools":
            return translate("Tools", "Searched tools")
        case "wait":
            return translate("Tools", "Waited")
        case "read_file":
            return translate("Tools", "Read")
        case "write_file":
            return translate("Tools", "Wrote")
        case "edit_file":
            return translate("Tools", "Edited")
        case "move_file":
            return translate("Tools", "Moved")
        case "delete_file":
            return translate("Tools", "Deleted")
        case "list_files":
            return translate("Tools", "Listed")
        case "search_files":
            return translate("Tools", "Searched for")
        case "run_code":
            return translate("Tools", "Ran code")
        case "run_command":
            return translate("Tools", "Ran")
        case "ask_user":
            return translate("Tools", "Asked")
        case "todo":
            return translate("Tools", "Tasks")
        case "memory":
            return translate("Tools", "Memory:")
        case "http_fetch":
            return translate("Tools", "Fetched")
        case "pick_file":
            return translate("Tools", "Picked a file")
        case "spawn_agent":
            return translate("Tools", "Began an agent")
        case "delegate_task":
            return translate("Tools", "Delegated")
        case "parallel_tasks":
            return translate("Tools", "Ran tasks side by side")
        case _:
            return tool


def tool_summary(tool: str, summary: str) -> str:
    """Return the result of a call in short: how a question ended, a task and its state, or the figures of other
    tools.
    """
    if tool == "todo":
        task, separator, state = summary.rpartition(": ")
        words = _task_state(state) if separator else None
        return summary if words is None else translate("Tools", "{task}: {state}").format(task=task, state=words)
    if tool != "ask_user":
        return summary
    match summary:
        case "answered":
            return translate("Tools", "Answered")
        case "skipped":
            return translate("Tools", "Skipped")
        case "expired":
            return translate("Tools", "No answer in time")
        case _:
            return summary


def _task_state(state: str) -> str | None:
    """Return the state of a task as the result of a call names it; None for other texts."""
    match state:
        case "pending":
            return translate("Tools", "to do")
        case "in_progress":
            return translate("Tools", "in progress")
        case "completed":
            return translate("Tools", "done")
        case "blocked":
            return translate("Tools", "waiting for another task")
        case "deleted":
            return translate("Tools", "deleted")
        case _:
            return None


def tool_doing(tool: str) -> str:
    """Return what a running call is doing."""
    if (words := collection_doing(tool)) is not None:
        return words
    match tool:
        case "calculator":
            return translate("Tools", "Calculating")
        case "find_tools":
            return translate("Tools", "Searching tools")
        case "wait":
            return translate("Tools", "Waiting")
        case "read_file":
            return translate("Tools", "Reading")
        case "write_file":
            return translate("Tools", "Writing")
        case "edit_file":
            return translate("Tools", "Editing")
        case "move_file":
            return translate("Tools", "Moving")
        case "delete_file":
            return translate("Tools", "Deleting")
        case "list_files":
            return translate("Tools", "Listing")
        case "search_files":
            return translate("Tools", "Searching for")
        case "run_code":
            return translate("Tools", "Running code")
        case "run_command":
            return translate("Tools", "Running")
        case "ask_user":
            return translate("Tools", "Asking")
        case "todo":
            return translate("Tools", "Tasks")
        case "memory":
            return translate("Tools", "Memory:")
        case "http_fetch":
            return translate("Tools", "Fetching")
        case "pick_file":
            return translate("Tools", "Picking a file")
        case "spawn_agent" | "parallel_tasks":
            return translate("Tools", "Agents at work")
        case "delegate_task":
            return translate("Tools", "Delegating")
        case _:
            return translate("Tools", "Running {tool}").format(tool=tool)


def call_in_flight(tool: str, target: str) -> str:
    """Return what a running call does to what: `Editing invoices.py`. Of a path only its name."""
    doing = tool_doing(tool)
    if tool.startswith("COLLECTION_") or tool in ("ask_user", "spawn_agent", "parallel_tasks", "todo", "memory"):
        return doing.rstrip(":\N{NO-BREAK SPACE} ")
    if tool in _OF_FILES:
        target = PurePath(target).name or target
    if mcp_server_of(tool) is not None:
        return translate("Tools", "Running {tool}").format(tool=short_tool_name(tool))
    return f"{doing} {target}" if target else doing


def collection_done(tool: str) -> str | None:
    """Return what a call did; None for other tools."""
    match tool:
        case "COLLECTION_WORKFLOW_LIST":
            return translate("Tools", "Listed templates")
        case "COLLECTION_WORKFLOW_GET":
            return translate("Tools", "Read a template")
        case "COLLECTION_WORKFLOW_CREATE":
            return translate("Tools", "Saved a template")
        case "COLLECTION_WORKFLOW_UPDATE":
            return translate("Tools", "Changed a template")
        case "COLLECTION_WORKFLOW_DELETE":
            return translate("Tools", "Deleted a template")
        case "COLLECTION_WORKFLOW_EXECUTION_LIST":
            return translate("Tools", "Listed runs")
        case "COLLECTION_WORKFLOW_EXECUTION_GET":
            return translate("Tools", "Read a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CREATE":
            return translate("Tools", "Started a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CANCEL":
            return translate("Tools", "Cancelled a run")
        case "COLLECTION_WORKFLOW_EXECUTION_RESUME":
            return translate("Tools", "Resumed a run")
        case _:
            return None


def collection_doing(tool: str) -> str | None:
    """Return what a running call is doing; None for other tools."""
    match tool:
        case "COLLECTION_WORKFLOW_LIST":
            return translate("Tools", "Listing templates")
        case "COLLECTION_WORKFLOW_GET":
            return translate("Tools", "Reading a template")
        case "COLLECTION_WORKFLOW_CREATE":
            return translate("Tools", "Saving a template")
        case "COLLECTION_WORKFLOW_UPDATE":
            return translate("Tools", "Changing a template")
        case "COLLECTION_WORKFLOW_DELETE":
            return translate("Tools", "Deleting a template")
        case "COLLECTION_WORKFLOW_EXECUTION_LIST":
            return translate("Tools", "Listing runs")
        case "COLLECTION_WORKFLOW_EXECUTION_GET":
            return translate("Tools", "Reading a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CREATE":
            return translate("Tools", "Starting a run")
        case "COLLECTION_WORKFLOW_EXECUTION_CANCEL":
            return translate("Tools", "Cancelling a run")
        case "COLLECTION_WORKFLOW_EXECUTION_RESUME":
            return translate("Tools", "Resuming a run")
        case _:
            return None


def short_tool_name(tool: str) -> str:
    """Return a tool's name without its server."""
    server = mcp_server_of(tool)
    return tool.removeprefix(f"mcp__{server}__") if server is not None else tool
