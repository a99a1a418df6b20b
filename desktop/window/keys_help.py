"""The keys that hold in one place only, as the help names them (UI §4)."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def local_keys() -> list[tuple[str, list[tuple[str, str]]]]:
    """Each place with what can be done there, and the name of the keys that do it."""
    return [
        (
            translate("KeysHelp", "Writing a message"),
            [
                (translate("KeysHelp", "Send"), named("Return")),
                (translate("KeysHelp", "Send, whichever key the settings name"), named("Ctrl+Return")),
                (translate("KeysHelp", "New line"), named("Shift+Return")),
                (translate("KeysHelp", "Name a template or a prompt"), named("/")),
                (translate("KeysHelp", "Take the name that is offered"), named("Tab")),
            ],
        ),
        (
            translate("KeysHelp", "Answering"),
            [
                (translate("KeysHelp", "Choose"), named("Up", "Down")),
                (translate("KeysHelp", "Choose by number"), named("1", "9")),
                (translate("KeysHelp", "Confirm"), named("Return")),
                (translate("KeysHelp", "Send what was written"), named("Ctrl+Return")),
                (translate("KeysHelp", "Later"), named("Esc")),
            ],
        ),
        (
            translate("KeysHelp", "List of workflows"),
            [
                (translate("KeysHelp", "Open"), named("Return")),
                (translate("KeysHelp", "Rename"), named("F2")),
                (translate("KeysHelp", "Delete"), named("Del")),
                (translate("KeysHelp", "Menu"), named("Shift+F10")),
            ],
        ),
        (
            translate("KeysHelp", "Find bar"),
            [
                (translate("KeysHelp", "Next place"), named("Return")),
                (translate("KeysHelp", "Previous place"), named("Shift+Return")),
                (translate("KeysHelp", "Close"), named("Esc")),
            ],
        ),
        (
            translate("KeysHelp", "Transcript"),
            [
                (translate("KeysHelp", "Unfold, fold"), named("Right", "Left")),
            ],
        ),
    ]


def named(*keys: str) -> str:
    """Keys by the names that this system gives them."""
    return " … ".join(QKeySequence(one).toString(QKeySequence.SequenceFormat.NativeText) for one in keys)
