"""The menu bar and the global shortcuts, and the commands on the viewed workflow."""

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject, Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from core.app import Stores
from desktop.shortcuts.key_strings import key_name
from desktop.shortcuts.keymap import Keymap
from desktop.window.actions.archive_controller import ArchiveController
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.commands.command_table import MENUS, menu_title
from desktop.window.frame.binders import SidebarBinder

_GROUP_STARTS = frozenset(
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
_SETTINGS_COMMANDS = ("go.", "focus.attention")
"""What also works in the settings, which stand beside the window (UI §8)."""


class Menus(QObject):
    """The actions of a window by command id, with the keys of the keymap.

    The menu shows the keys of a local command too, but they work in its scope only.
    """

    def __init__(self, window: QMainWindow, keymap: Keymap) -> None:
        super().__init__(window)
        self._window = window
        self._keymap = keymap
        self._menus: dict[str, QMenu] = {name: window.menuBar().addMenu("") for name in MENUS}
        self._actions: dict[str, QAction] = {}
        keymap.changed.connect(self.retranslate)

    def fill(self, deeds: Mapping[str, Callable[[], object]]) -> None:
        """Create the actions of the commands that have a handler. Call it once, when all handlers exist."""
        for command in self._keymap.commands:
            if command.id not in deeds:
                continue
            action = QAction(self._window)
            action.setObjectName(command.id)
            action.triggered.connect(deeds[command.id])
            if command.id.startswith(_SETTINGS_COMMANDS):
                action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
            self._window.addAction(action)
            if command.menu is not None:
                menu = self._menus[command.menu]
                if command.id in _GROUP_STARTS and not menu.isEmpty():
                    menu.addSeparator()
                menu.addAction(action)
            self._actions[command.id] = action
        self.retranslate()

    def retranslate(self) -> None:
        """Update texts and keys."""
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
        """Enable the command by the last bool that the signal `told` emitted; disabled until then."""
        self.enable(command_id, is_enabled=False)
        told.connect(partial(self._on_told, command_id))

    def is_enabled(self, command_id: str) -> bool:
        """Return whether the command exists and can run now."""
        action = self._actions.get(command_id)
        return action is not None and action.isEnabled()

    def trigger(self, command_id: str) -> None:
        """Run the command if it is enabled."""
        action = self._actions.get(command_id)
        if action is not None:
            action.trigger()

    def _on_told(self, command_id: str, is_enabled: bool) -> None:
        self.enable(command_id, is_enabled=is_enabled)


class WorkflowCommands:
    """The commands on the viewed workflow, and which of them are enabled (UI §4)."""

    def __init__(
        self,
        stores: Stores,
        deeds: WorkflowActions,
        keeping: ArchiveController,
        sidebar_place: SidebarBinder,
        menus: Menus,
    ) -> None:
        self._stores = stores
        self._deeds = deeds
        self._keeping = keeping
        self._sidebar_place = sidebar_place
        self._menus = menus

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {
            "workflow.rename": partial(self._do, self._sidebar_place.rename),
            "workflow.archive": partial(self._do, self._keeping.archive),
            "workflow.restore": self.restore,
            "workflow.delete": partial(self._do, self._keeping.delete),
            "run.start": self._deeds.again,
            "run.stop": self.stop,
            "run.summary": self.sum_up,
        }

    def restore(self) -> None:
        self._do(self._keeping.restore)

    def stop(self) -> None:
        self._deeds.stop(self._stores.background.viewed_workflow_id)

    def sum_up(self) -> None:
        self._deeds.sum_up(self._stores.background.viewed_workflow_id)

    def show_now(self) -> None:
        """Enable the commands that apply to the viewed workflow."""
        viewed = self._stores.background.viewed_workflow_id
        listed = self._stores.workflows.get(viewed) if viewed is not None else None
        is_archived = listed is not None and listed.workflow.is_archived
        for command in ("workflow.rename", "workflow.delete"):
            self._menus.enable(command, is_enabled=viewed is not None)
        self._menus.enable("workflow.archive", is_enabled=viewed is not None and not is_archived)
        self._menus.enable("workflow.restore", is_enabled=is_archived)

    def _do(self, deed: Callable[[str], None]) -> None:
        viewed = self._stores.background.viewed_workflow_id
        if viewed is not None:
            deed(viewed)
