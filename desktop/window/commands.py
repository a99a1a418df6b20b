"""What can be done by key and menu: one table, from which both are made."""

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence


@dataclass(frozen=True, slots=True)
class Command:
    """A thing to do. `keys` are Qt's names; on macOS Qt reads Ctrl as Cmd. `menu` is where it stands, if it does."""

    id: str
    keys: tuple[str, ...]
    menu: str | None


COMMANDS = (
    Command("go.anything", ("Ctrl+K",), "go"),
    Command("go.commands", ("Ctrl+Shift+P",), "go"),
    Command("find.everywhere", ("Ctrl+Shift+F",), "edit"),
    Command("find.here", ("Ctrl+F",), "edit"),
    Command("find.next", ("F3",), "edit"),
    Command("find.previous", ("Shift+F3",), "edit"),
    Command("workflow.new", ("Ctrl+N",), "file"),
    Command("workflow.new_from_template", ("Ctrl+Shift+N",), "file"),
    Command("workflow.rename", (), "file"),
    Command("workflow.delete", (), "file"),
    Command("demo.start", (), "file"),
    Command("demo.remove", (), "file"),
    Command("app.settings", ("Ctrl+,",), "file"),
    Command("app.quit", ("Ctrl+Q",), "file"),
    Command("workflow.model", ("Ctrl+Shift+M",), "run"),
    Command("validation.mode", ("Ctrl+Shift+D",), "run"),
    Command("run.start", ("F5",), "run"),
    Command("run.stop", ("Shift+F5",), "run"),
    Command("run.summary", (), "run"),
    Command("recording.toggle", (), "run"),
    Command("view.sidebar", ("Ctrl+B", "F9"), "view"),
    Command("view.activity", ("Ctrl+Shift+B", "Shift+F9"), "view"),
    Command("view.zoom_in", ("Ctrl++", "Ctrl+="), "view"),
    Command("view.zoom_out", ("Ctrl+-",), "view"),
    Command("view.zoom_reset", ("Ctrl+0",), "view"),
    Command("view.full_screen", ("F11",), "view"),
    Command("view.close", ("Ctrl+W",), "view"),
    Command("focus.composer", ("Ctrl+L",), "go"),
    Command("focus.attention", ("Ctrl+Shift+A",), "go"),
    Command("go.next_attention", ("Ctrl+J", "F8"), "go"),
    Command("go.previous_attention", ("Shift+F8",), "go"),
    Command("go.inbox", ("Ctrl+Shift+J",), "go"),
    Command("go.recent", ("Ctrl+Tab",), "go"),
    Command("go.recent_back", ("Ctrl+Shift+Tab",), "go"),
    Command("go.next", ("Ctrl+PgDown",), "go"),
    Command("go.previous", ("Ctrl+PgUp",), "go"),
    Command("go.back", ("Alt+Left",), "go"),
    Command("go.forward", ("Alt+Right",), "go"),
    Command("focus.next_pane", ("F6",), "go"),
    Command("focus.previous_pane", ("Shift+F6",), "go"),
    Command("focus.menu_bar", ("F10",), None),
    Command("transcript.latest", ("Alt+End",), "go"),
    Command("transcript.previous_message", ("Alt+Up",), "go"),
    Command("transcript.next_message", ("Alt+Down",), "go"),
    Command("transcript.copy_answer", ("Ctrl+Shift+C",), "edit"),
    Command("transcript.copy_code", ("Ctrl+Shift+K",), "edit"),
    Command("app.help", ("F1",), "help"),
    *(Command(f"go.slot.{number}", (f"Ctrl+{number}", f"Alt+{number}"), None) for number in range(1, 10)),
)

MENUS = ("file", "edit", "view", "go", "run", "help")


_FIRST_KEYS = {command.id: command.keys[0] for command in COMMANDS if command.keys}


def keys_of(command_id: str) -> QKeySequence:
    """The keys that a button names which does the same. Raises KeyError for a command without keys."""
    return QKeySequence(_FIRST_KEYS[command_id])


def menu_title(menu: str) -> str:
    return {
        "file": QCoreApplication.translate("Menus", "&File"),
        "edit": QCoreApplication.translate("Menus", "&Edit"),
        "view": QCoreApplication.translate("Menus", "&View"),
        "go": QCoreApplication.translate("Menus", "&Go"),
        "run": QCoreApplication.translate("Menus", "&Run"),
        "help": QCoreApplication.translate("Menus", "&Help"),
    }[menu]


def command_title(command_id: str) -> str:
    """What a command is called, in the language of the window."""
    slot = command_id.removeprefix("go.slot.")
    if slot != command_id:
        return QCoreApplication.translate("Commands", "Go to workflow {slot}").format(slot=slot)
    return {
        "go.anything": QCoreApplication.translate("Commands", "Go to anything"),
        "go.commands": QCoreApplication.translate("Commands", "Find a command"),
        "app.help": QCoreApplication.translate("Commands", "Keys"),
        "find.everywhere": QCoreApplication.translate("Commands", "Search in all workflows"),
        "find.here": QCoreApplication.translate("Commands", "Find in this workflow"),
        "find.next": QCoreApplication.translate("Commands", "Find next"),
        "find.previous": QCoreApplication.translate("Commands", "Find previous"),
        "workflow.new": QCoreApplication.translate("Commands", "New workflow"),
        "workflow.new_from_template": QCoreApplication.translate("Commands", "New from template…"),
        "workflow.rename": QCoreApplication.translate("Commands", "Rename workflow"),
        "workflow.delete": QCoreApplication.translate("Commands", "Delete workflow…"),
        "demo.start": QCoreApplication.translate("Commands", "Start the demo"),
        "demo.remove": QCoreApplication.translate("Commands", "Remove the demo"),
        "app.settings": QCoreApplication.translate("Commands", "Settings"),
        "app.quit": QCoreApplication.translate("Commands", "Quit"),
        "workflow.model": QCoreApplication.translate("Commands", "Choose agent and model"),
        "validation.mode": QCoreApplication.translate("Commands", "Choose the validation mode"),
        "run.start": QCoreApplication.translate("Commands", "Run again"),
        "run.summary": QCoreApplication.translate("Commands", "Continue from a summary"),
        "run.stop": QCoreApplication.translate("Commands", "Stop the shown run"),
        "recording.toggle": QCoreApplication.translate("Commands", "Record, or review the recording"),
        "view.sidebar": QCoreApplication.translate("Commands", "Show or hide the workflows"),
        "view.activity": QCoreApplication.translate("Commands", "Show or hide the activity"),
        "view.zoom_in": QCoreApplication.translate("Commands", "Larger"),
        "view.zoom_out": QCoreApplication.translate("Commands", "Smaller"),
        "view.zoom_reset": QCoreApplication.translate("Commands", "Usual size"),
        "view.close": QCoreApplication.translate("Commands", "Close this view"),
        "go.back": QCoreApplication.translate("Commands", "Back"),
        "go.forward": QCoreApplication.translate("Commands", "Forward"),
        "focus.next_pane": QCoreApplication.translate("Commands", "Next pane"),
        "focus.previous_pane": QCoreApplication.translate("Commands", "Previous pane"),
        "focus.menu_bar": QCoreApplication.translate("Commands", "Menu bar"),
        "view.full_screen": QCoreApplication.translate("Commands", "Full screen"),
        "focus.composer": QCoreApplication.translate("Commands", "Write a message"),
        "focus.attention": QCoreApplication.translate("Commands", "Answer what is asked here"),
        "go.next_attention": QCoreApplication.translate("Commands", "Next workflow that needs you"),
        "go.previous_attention": QCoreApplication.translate("Commands", "Previous workflow that needs you"),
        "go.inbox": QCoreApplication.translate("Commands", "Inbox"),
        "go.recent": QCoreApplication.translate("Commands", "The workflow viewed before"),
        "go.recent_back": QCoreApplication.translate("Commands", "The workflow viewed before, backwards"),
        "go.next": QCoreApplication.translate("Commands", "Next workflow"),
        "go.previous": QCoreApplication.translate("Commands", "Previous workflow"),
        "transcript.latest": QCoreApplication.translate("Commands", "Jump to the latest"),
        "transcript.previous_message": QCoreApplication.translate("Commands", "Previous message"),
        "transcript.next_message": QCoreApplication.translate("Commands", "Next message"),
        "transcript.copy_answer": QCoreApplication.translate("Commands", "Copy the last answer"),
        "transcript.copy_code": QCoreApplication.translate("Commands", "Copy the last code"),
    }[command_id]
