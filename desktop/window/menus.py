"""The menu bar and the keys that hold everywhere, both made from the table of commands."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject, Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from desktop.shortcuts.keymap import Keymap
from desktop.shortcuts.names import key_name
from desktop.window.commands import MENUS, menu_title

_GROUPS = frozenset(
    {
        "workflow.rename",
        "activity.export",
        "demo.start",
        "app.settings",
        "workflow.undo",
        "composer.attach",
        "transcript.copy_answer",
        "view.zoom_in",
        "view.full_screen",
        "focus.composer",
        "go.next_attention",
        "go.recent",
        "focus.next_pane",
        "transcript.latest",
        "run.start",
        "run.summary",
        "recording.toggle",
        "composer.send_now",
    }
)
"""Above these a line stands in their menus."""
_BESIDE = ("go.", "focus.attention")
"""What also works in the settings, which stand beside the window (UI §8)."""


class Menus(QObject):
    """The actions of a window, by command id. Every command that `fill` gives something to do has one, whose keys are
    those of the keymap, also when these change.

    What has keys in one place only shows them in its menu; they are heard where they hold.
    """

    def __init__(self, window: QMainWindow, keymap: Keymap) -> None:
        super().__init__(window)
        self._window = window
        self._keymap = keymap
        self._menus: dict[str, QMenu] = {name: window.menuBar().addMenu("") for name in MENUS}
        self._actions: dict[str, QAction] = {}
        keymap.changed.connect(self.retranslate)

    def fill(self, deeds: Mapping[str, Callable[[], object]]) -> None:
        """What the commands do. To be called once, when all that does something is there."""
        for command in self._keymap.commands:
            if command.id not in deeds:
                continue
            action = QAction(self._window)
            action.setObjectName(command.id)
            action.triggered.connect(deeds[command.id])
            if command.id.startswith(_BESIDE):
                action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
            self._window.addAction(action)
            if command.menu is not None:
                menu = self._menus[command.menu]
                if command.id in _GROUPS and not menu.isEmpty():
                    menu.addSeparator()
                menu.addAction(action)
            self._actions[command.id] = action
        self.retranslate()

    def retranslate(self) -> None:
        """Say the words and the keys of now."""
        for name, menu in self._menus.items():
            menu.setTitle(menu_title(name))
        for command_id, action in self._actions.items():
            command = self._keymap.command(command_id)
            keys = self._keymap.first(command_id)
            named = key_name(keys)
            if command.is_everywhere:
                action.setShortcuts(self._keymap.keys(command_id))
            if command.is_everywhere and named == keys.toString(QKeySequence.SequenceFormat.NativeText):
                action.setText(command.words)
            else:  # behind a tab, Qt shows it where keys stand
                action.setText(f"{command.words}\t{named}" if named else command.words)

    def enable(self, command_id: str, *, is_enabled: bool) -> None:
        self._actions[command_id].setEnabled(is_enabled)

    def enable_by(self, command_id: str, told: SignalInstance) -> None:
        """Enabled as `told` says last, by its bool; not before it has said anything."""
        self.enable(command_id, is_enabled=False)
        told.connect(partial(self._on_told, command_id))

    def is_enabled(self, command_id: str) -> bool:
        """Whether it can be carried out now; what is no command of the menus cannot."""
        action = self._actions.get(command_id)
        return action is not None and action.isEnabled()

    def trigger(self, command_id: str) -> None:
        """Carry the command out, if it can be now."""
        action = self._actions.get(command_id)
        if action is not None:
            action.trigger()

    def _on_told(self, command_id: str, is_enabled: bool) -> None:
        self.enable(command_id, is_enabled=is_enabled)
