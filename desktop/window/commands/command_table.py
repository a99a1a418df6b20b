"""The table of all commands, from which keys, menus and palette are made (UI §4).

To add a command, add a row here and mark the method that runs it with `@command`. A local command whose widget handles
its default keys itself needs the row alone.
"""

from collections.abc import Iterator, Mapping

from PySide6.QtCore import QCoreApplication

from desktop.shortcuts.command import QT_TRANSLATE_NOOP, Command, KeyScope


def _slots() -> Iterator[Command]:
    title = QT_TRANSLATE_NOOP("Commands", "Go to workflow {number}")
    for number in range(1, 10):
        yield Command(f"go.slot.{number}", title, (f"Ctrl+{number}", f"Alt+{number}"), mac=(f"Ctrl+{number}",))


def _picks() -> Iterator[Command]:
    title = QT_TRANSLATE_NOOP("Commands", "Choose option {number}")
    for number in range(1, 10):
        yield Command(f"attention.pick.{number}", title, (str(number),), scopes=(KeyScope.CHOOSING,))


_EVERYWHERE = (
    Command("go.anything", QT_TRANSLATE_NOOP("Commands", "Go to anything"), ("Ctrl+K",), "go"),
    Command("go.commands", QT_TRANSLATE_NOOP("Commands", "Find a command"), ("Ctrl+Shift+P",), "go"),
    Command("find.everywhere", QT_TRANSLATE_NOOP("Commands", "Search in all workflows"), ("Ctrl+Shift+F",), "edit"),
    Command("find.here", QT_TRANSLATE_NOOP("Commands", "Find in this workflow"), ("Ctrl+F",), "edit"),
    Command("find.next", QT_TRANSLATE_NOOP("Commands", "Find next"), ("F3",), "edit", mac=("Ctrl+G",)),
    Command(
        "find.previous", QT_TRANSLATE_NOOP("Commands", "Find previous"), ("Shift+F3",), "edit", mac=("Ctrl+Shift+G",)
    ),
    Command("workflow.new", QT_TRANSLATE_NOOP("Commands", "New workflow"), ("Ctrl+N",), "file"),
    Command(
        "workflow.new_from_template", QT_TRANSLATE_NOOP("Commands", "New from template…"), ("Ctrl+Shift+N",), "file"
    ),
    Command(
        "workflow.rename", QT_TRANSLATE_NOOP("Commands", "Rename workflow"), ("F2",), "file", scopes=(KeyScope.LIST,)
    ),
    Command(
        "workflow.archive",
        QT_TRANSLATE_NOOP("Commands", "Archive workflow"),
        ("Del",),
        "file",
        mac=("Ctrl+Backspace",),
        scopes=(KeyScope.LIST,),
    ),
    Command("workflow.restore", QT_TRANSLATE_NOOP("Commands", "Restore from the archive"), (), "file"),
    Command(
        "workflow.delete",
        QT_TRANSLATE_NOOP("Commands", "Delete workflow…"),
        ("Shift+Del",),
        "file",
        scopes=(KeyScope.LIST,),
    ),
    Command(
        "workflow.undo",
        QT_TRANSLATE_NOOP("Commands", "Undo archiving or deleting"),
        ("Ctrl+Z",),
        "edit",
        scopes=(KeyScope.LIST,),
    ),
    Command("workflow.export", QT_TRANSLATE_NOOP("Commands", "Export workflow…"), (), "file"),
    Command("data.export", QT_TRANSLATE_NOOP("Commands", "Export…"), (), "file"),
    Command("data.import", QT_TRANSLATE_NOOP("Commands", "Import…"), (), "file"),
    Command("activity.export", QT_TRANSLATE_NOOP("Commands", "Export the activity…"), (), "file"),
    Command("demo.start", QT_TRANSLATE_NOOP("Commands", "Start the demo"), (), "file"),
    Command("demo.remove", QT_TRANSLATE_NOOP("Commands", "Remove the demo"), (), "file"),
    Command("app.settings", QT_TRANSLATE_NOOP("Commands", "Settings"), ("Ctrl+,",), "file"),
    Command("app.quit", QT_TRANSLATE_NOOP("Commands", "Quit"), ("Ctrl+Q",), "file"),
    Command("workflow.model", QT_TRANSLATE_NOOP("Commands", "Choose agent and model"), ("Ctrl+Shift+M",), "run"),
    Command("workflow.folder", QT_TRANSLATE_NOOP("Commands", "Choose the folder"), ("Ctrl+Shift+O",), "run"),
    Command("validation.mode", QT_TRANSLATE_NOOP("Commands", "Choose the validation mode"), ("Ctrl+Shift+D",), "run"),
    Command("run.start", QT_TRANSLATE_NOOP("Commands", "Run again"), ("F5",), "run", mac=("Ctrl+R",)),
    Command("run.stop", QT_TRANSLATE_NOOP("Commands", "Stop the shown run"), ("Shift+F5",), "run", mac=("Ctrl+.",)),
    Command("run.retry", QT_TRANSLATE_NOOP("Commands", "Retry what failed"), ("Ctrl+Shift+R",), "run"),
    Command("run.summary", QT_TRANSLATE_NOOP("Commands", "Continue from a summary"), (), "run"),
    Command("recording.toggle", QT_TRANSLATE_NOOP("Commands", "Record, or review the recording"), (), "run"),
    Command(
        "view.sidebar",
        QT_TRANSLATE_NOOP("Commands", "Show or hide the workflows"),
        ("Ctrl+B", "F9"),
        "view",
        mac=("Meta+Ctrl+S",),
    ),
    Command(
        "view.activity",
        QT_TRANSLATE_NOOP("Commands", "Show or hide the activity"),
        ("Ctrl+Shift+B", "Shift+F9"),
        "view",
        mac=("Ctrl+Alt+I",),
    ),
    Command("view.archive", QT_TRANSLATE_NOOP("Commands", "Archived workflows"), (), "view"),
    Command("view.zoom_in", QT_TRANSLATE_NOOP("Commands", "Larger"), ("Ctrl++", "Ctrl+="), "view"),
    Command("view.zoom_out", QT_TRANSLATE_NOOP("Commands", "Smaller"), ("Ctrl+-",), "view"),
    Command("view.zoom_reset", QT_TRANSLATE_NOOP("Commands", "Usual size"), ("Ctrl+0",), "view"),
    Command("view.full_screen", QT_TRANSLATE_NOOP("Commands", "Full screen"), ("F11",), "view", mac=("Meta+Ctrl+F",)),
    Command("view.close", QT_TRANSLATE_NOOP("Commands", "Close this view"), ("Ctrl+W",), "view"),
    Command("focus.composer", QT_TRANSLATE_NOOP("Commands", "Write a message"), ("Ctrl+L",), "go"),
    Command("composer.attach", QT_TRANSLATE_NOOP("Commands", "Attach files…"), ("Ctrl+O",), "edit"),
    Command(
        "composer.send_now",
        QT_TRANSLATE_NOOP("Commands", "Send now and stop the current turn"),
        ("Ctrl+Shift+Return",),
        "run",
    ),
    Command("focus.attention", QT_TRANSLATE_NOOP("Commands", "Answer the request"), ("Ctrl+Shift+A",), "go"),
    Command(
        "attention.whole",
        QT_TRANSLATE_NOOP("Commands", "Show the request in the whole pane, or smaller"),
        ("F7",),
        "view",
        mac=("Ctrl+Shift+E",),
    ),
    Command(
        "go.next_attention",
        QT_TRANSLATE_NOOP("Commands", "Next workflow that needs you"),
        ("Ctrl+J", "F8"),
        "go",
        mac=("Ctrl+J",),
    ),
    Command(
        "go.previous_attention",
        QT_TRANSLATE_NOOP("Commands", "Previous workflow that needs you"),
        ("Shift+F8",),
        "go",
        mac=("Ctrl+Alt+J",),
    ),
    Command("go.inbox", QT_TRANSLATE_NOOP("Commands", "Inbox"), ("Ctrl+Shift+J",), "go"),
    Command(
        "go.recent", QT_TRANSLATE_NOOP("Commands", "Previously viewed workflow"), ("Ctrl+Tab",), "go", mac=("Meta+Tab",)
    ),
    Command(
        "go.recent_back",
        QT_TRANSLATE_NOOP("Commands", "Previously viewed workflow, in reverse"),
        ("Ctrl+Shift+Tab",),
        "go",
        mac=("Meta+Shift+Tab",),
    ),
    Command("go.next", QT_TRANSLATE_NOOP("Commands", "Next workflow"), ("Ctrl+PgDown",), "go", mac=("Ctrl+Alt+Down",)),
    Command(
        "go.previous", QT_TRANSLATE_NOOP("Commands", "Previous workflow"), ("Ctrl+PgUp",), "go", mac=("Ctrl+Alt+Up",)
    ),
    Command("go.back", QT_TRANSLATE_NOOP("Commands", "Back"), ("Alt+Left",), "go", mac=("Meta+Ctrl+Left",)),
    Command("go.forward", QT_TRANSLATE_NOOP("Commands", "Forward"), ("Alt+Right",), "go", mac=("Meta+Ctrl+Right",)),
    Command("focus.next_pane", QT_TRANSLATE_NOOP("Commands", "Next pane"), ("F6",), "go"),
    Command("focus.previous_pane", QT_TRANSLATE_NOOP("Commands", "Previous pane"), ("Shift+F6",), "go"),
    Command("focus.menu_bar", QT_TRANSLATE_NOOP("Commands", "Menu bar"), ("F10",), mac=()),
    Command(
        "transcript.latest",
        QT_TRANSLATE_NOOP("Commands", "Jump to the latest"),
        ("Alt+End",),
        "go",
        mac=("Ctrl+Alt+Right",),
    ),
    Command(
        "transcript.previous_message",
        QT_TRANSLATE_NOOP("Commands", "Previous message"),
        ("Alt+Up",),
        "go",
        mac=("Meta+Ctrl+Up",),
    ),
    Command(
        "transcript.next_message",
        QT_TRANSLATE_NOOP("Commands", "Next message"),
        ("Alt+Down",),
        "go",
        mac=("Meta+Ctrl+Down",),
    ),
    Command("transcript.copy_answer", QT_TRANSLATE_NOOP("Commands", "Copy the last answer"), ("Ctrl+Shift+C",), "edit"),
    Command("transcript.copy_code", QT_TRANSLATE_NOOP("Commands", "Copy the last code"), ("Ctrl+Shift+K",), "edit"),
    Command("app.help", QT_TRANSLATE_NOOP("Commands", "Keys"), ("F1",), "help", mac=("Ctrl+?",)),
    *_slots(),
)

_COMPOSER = (
    Command(
        "composer.send",
        QT_TRANSLATE_NOOP("Commands", "Send"),
        ("Return",),
        scopes=(KeyScope.COMPOSER,),
        acts_as="Ctrl+Return",
    ),
    Command(
        "composer.newline", QT_TRANSLATE_NOOP("Commands", "New line"), ("Shift+Return",), scopes=(KeyScope.COMPOSER,)
    ),
    Command(
        "composer.send_always",
        QT_TRANSLATE_NOOP("Commands", "Send, whatever key the settings name"),
        ("Ctrl+Return",),
        scopes=(KeyScope.COMPOSER,),
    ),
    Command(
        "composer.paste_plain",
        QT_TRANSLATE_NOOP("Commands", "Paste as plain text"),
        ("Ctrl+Shift+V",),
        mac=("Ctrl+Alt+Shift+V",),
        scopes=(KeyScope.COMPOSER,),
    ),
    Command(
        "composer.edit_last",
        QT_TRANSLATE_NOOP("Commands", "Edit the last message, if the draft is empty"),
        ("Up",),
        scopes=(KeyScope.COMPOSER,),
    ),
    Command(
        "completion.accept",
        QT_TRANSLATE_NOOP("Commands", "Accept the suggestion"),
        ("Tab",),
        scopes=(KeyScope.COMPLETION,),
    ),
    Command(
        "completion.close",
        QT_TRANSLATE_NOOP("Commands", "Close the suggestions"),
        ("Esc",),
        scopes=(KeyScope.COMPLETION,),
    ),
)

_CARD = (
    Command("attention.up", QT_TRANSLATE_NOOP("Commands", "Option above"), ("Up",), scopes=(KeyScope.CHOOSING,)),
    Command("attention.down", QT_TRANSLATE_NOOP("Commands", "Option below"), ("Down",), scopes=(KeyScope.CHOOSING,)),
    *_picks(),
    Command("attention.confirm", QT_TRANSLATE_NOOP("Commands", "Confirm"), ("Return",), scopes=(KeyScope.CHOOSING,)),
    Command(
        "attention.remember",
        QT_TRANSLATE_NOOP("Commands", "Toggle or press the focused control"),
        ("Space",),
        scopes=(KeyScope.CHOOSING,),
    ),
    Command(
        "attention.submit",
        QT_TRANSLATE_NOOP("Commands", "Submit the answer"),
        ("Ctrl+Return",),
        scopes=(KeyScope.ANSWERING,),
    ),
    Command(
        "attention.reject", QT_TRANSLATE_NOOP("Commands", "Reject or skip"), ("Ctrl+D",), scopes=(KeyScope.ANSWERING,)
    ),
    Command(
        "attention.previous", QT_TRANSLATE_NOOP("Commands", "Previous request"), ("PgUp",), scopes=(KeyScope.CHOOSING,)
    ),
    Command("attention.next", QT_TRANSLATE_NOOP("Commands", "Next request"), ("PgDown",), scopes=(KeyScope.CHOOSING,)),
    Command("attention.later", QT_TRANSLATE_NOOP("Commands", "Later"), ("Esc",), scopes=(KeyScope.ANSWERING,)),
)

_OTHER_PLACES = (
    Command(
        "transcript.unfold",
        QT_TRANSLATE_NOOP("Commands", "Unfold the focused item"),
        ("Right",),
        scopes=(KeyScope.TRANSCRIPT,),
    ),
    Command(
        "transcript.fold",
        QT_TRANSLATE_NOOP("Commands", "Fold the focused item"),
        ("Left",),
        scopes=(KeyScope.TRANSCRIPT,),
    ),
    Command("list.open", QT_TRANSLATE_NOOP("Commands", "Open"), ("Return",), scopes=(KeyScope.LIST,)),
    Command("list.peek", QT_TRANSLATE_NOOP("Commands", "Preview, or go back"), ("Space",), scopes=(KeyScope.LIST,)),
    Command("list.fold", QT_TRANSLATE_NOOP("Commands", "Fold the section"), ("Left",), scopes=(KeyScope.LIST,)),
    Command("list.unfold", QT_TRANSLATE_NOOP("Commands", "Unfold the section"), ("Right",), scopes=(KeyScope.LIST,)),
    Command(
        "list.menu",
        QT_TRANSLATE_NOOP("Commands", "Menu"),
        ("Shift+F10", "Menu"),
        mac=("Meta+Return",),
        scopes=(KeyScope.LIST, KeyScope.TRANSCRIPT),
    ),
    Command(
        "toast.act",
        QT_TRANSLATE_NOOP("Commands", "Run the notification’s action"),
        ("Return",),
        scopes=(KeyScope.TOAST,),
    ),
    Command(
        "toast.dismiss",
        QT_TRANSLATE_NOOP("Commands", "Close the notification"),
        ("Del", "Esc"),
        scopes=(KeyScope.TOAST,),
    ),
)

COMMANDS = (*_EVERYWHERE, *_COMPOSER, *_CARD, *_OTHER_PLACES)

MENUS = ("file", "edit", "view", "go", "run", "help")


def setting_default_keys(*, enter_sends: bool) -> Mapping[str, tuple[str, ...]]:
    """Return the default keys that depend on the setting of the key that sends (UI §4)."""
    if enter_sends:
        return {}
    return {"composer.send": (), "composer.newline": ("Shift+Return", "Return")}


def menu_title(menu: str) -> str:
    return {
        "file": QCoreApplication.translate("Menus", "&File"),
        "edit": QCoreApplication.translate("Menus", "&Edit"),
        "view": QCoreApplication.translate("Menus", "&View"),
        "go": QCoreApplication.translate("Menus", "&Go"),
        "run": QCoreApplication.translate("Menus", "&Run"),
        "help": QCoreApplication.translate("Menus", "&Help"),
    }[menu]
