"""The names of the icons, as an enum so that a typo fails the type check."""

from enum import StrEnum, unique


@unique
class Icon(StrEnum):
    """The name of a file in `resources/icons/lucide`."""

    ARCHIVE = "archive"
    ARROW_DOWN = "arrow-down"
    ARROW_RIGHT = "arrow-right"
    ARROW_UP = "arrow-up"
    AT_SIGN = "at-sign"
    BELL = "bell"
    BOOK_OPEN = "book-open"
    BOT = "bot"
    BRAIN = "brain"
    CALCULATOR = "calculator"
    CHART_GANTT = "chart-gantt"
    CHECK = "check"
    CHEVRON_DOWN = "chevron-down"
    CHEVRON_LEFT = "chevron-left"
    CHEVRON_RIGHT = "chevron-right"
    CHEVRON_UP = "chevron-up"
    CIRCLE_CHECK = "circle-check"
    CIRCLE_DOT = "circle-dot"
    CIRCLE_QUESTION_MARK = "circle-question-mark"
    CIRCLE_STOP = "circle-stop"
    CIRCLE_X = "circle-x"
    CIRCLE = "circle"
    CLOCK = "clock"
    CODE = "code"
    COPY = "copy"
    CPU = "cpu"
    DATABASE = "database"
    DOWNLOAD = "download"
    ELLIPSIS = "ellipsis"
    EXTERNAL_LINK = "external-link"
    EYE_OFF = "eye-off"
    EYE = "eye"
    FILE_PEN_LINE = "file-pen-line"
    FILE_TEXT = "file-text"
    FLASK_CONICAL = "flask-conical"
    FOLDER_TREE = "folder-tree"
    FOLDER = "folder"
    GIT_BRANCH = "git-branch"
    GIT_FORK = "git-fork"
    HISTORY = "history"
    INBOX = "inbox"
    INFO = "info"
    KEY_ROUND = "key-round"
    KEYBOARD = "keyboard"
    LANGUAGES = "languages"
    LIST_FILTER = "list-filter"
    LIST_PLUS = "list-plus"
    LIST_TODO = "list-todo"
    LOADER_CIRCLE = "loader-circle"
    MESSAGE_CIRCLE_QUESTION_MARK = "message-circle-question-mark"
    MESSAGE_CIRCLE = "message-circle"
    MINUS = "minus"
    MONITOR = "monitor"
    MOON = "moon"
    PANEL_LEFT = "panel-left"
    PANEL_RIGHT = "panel-right"
    PAPERCLIP = "paperclip"
    PENCIL = "pencil"
    PLAY = "play"
    PLUS = "plus"
    REDO_2 = "redo-2"
    REFRESH_CW = "refresh-cw"
    REPEAT = "repeat"
    ROTATE_CCW = "rotate-ccw"
    SEARCH = "search"
    SETTINGS = "settings"
    SHIELD = "shield"
    SKIP_FORWARD = "skip-forward"
    SPARKLES = "sparkles"
    SQUARE = "square"
    SUN = "sun"
    TABLE = "table"
    TERMINAL = "terminal"
    TIMER = "timer"
    TRASH_2 = "trash-2"
    TRIANGLE_ALERT = "triangle-alert"
    UNDO_2 = "undo-2"
    UPLOAD = "upload"
    WORKFLOW = "workflow"
    WRENCH = "wrench"
    X = "x"


_ICONS = {
    "calculator": Icon.CALCULATOR,
    "wait": Icon.TIMER,
    "read_file": Icon.FILE_TEXT,
    "write_file": Icon.FILE_PEN_LINE,
    "edit_file": Icon.FILE_PEN_LINE,
    "move_file": Icon.FILE_PEN_LINE,
    "delete_file": Icon.TRASH_2,
    "list_files": Icon.FOLDER,
    "search_files": Icon.SEARCH,
    "run_code": Icon.TERMINAL,
    "run_command": Icon.TERMINAL,
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
    """Return the icon of a tool; a wrench for an unknown tool."""
    if tool.startswith("COLLECTION_WORKFLOW_"):
        return Icon.WORKFLOW
    return _ICONS.get(tool, Icon.WRENCH)
