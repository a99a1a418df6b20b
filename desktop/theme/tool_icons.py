"""The icon of a tool."""

from desktop.theme.icon_names import Icon

_ICONS = {
    "calculator": Icon.CALCULATOR,
    "wait": Icon.TIMER,
    "read_file": Icon.FILE_TEXT,
    "write_file": Icon.FILE_PEN_LINE,
    "list_files": Icon.FOLDER,
    "run_code": Icon.TERMINAL,
    "ask_user": Icon.MESSAGE_CIRCLE_QUESTION_MARK,
    "todo": Icon.LIST_TODO,
    "memory": Icon.BRAIN,
    "http_fetch": Icon.DOWNLOAD,
    "pick_file": Icon.PAPERCLIP,
    "spawn_agent": Icon.BOT,
    "delegate_task": Icon.BOT,
    "parallel_tasks": Icon.BOT,
}


def tool_icon(tool: str) -> Icon:
    """A wrench for a tool that we do not know."""
    if tool.startswith("COLLECTION_WORKFLOW_"):
        return Icon.WORKFLOW
    return _ICONS.get(tool, Icon.WRENCH)
