"""The menu bar and the global shortcuts, and the commands on the viewed workflow."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from desktop.shortcuts.chords import with_keypad
from desktop.shortcuts.command import Handler, command
from desktop.shortcuts.key_strings import key_name
from desktop.window.actions.archive_controller import ArchiveController
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.commands.command_table import MENUS, menu_title
from desktop.window.frame.binders import SidebarBinder

_GROUP_STARTS = frozenset(
    {
        "workflow.rename",
        "workflow.export",
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
"""The commands below a separator."""
_SETTINGS_COMMANDS = ("go.", "focus.attention", "workflow.new", "app.help", "app.quit")
"""The commands whose keys work in the settings too, a window beside the main window (UI §8)."""


class Menus(Controller):
    """The actions of a window by command id, with the keys of the keymap.

    The menu shows the keys of a local command too, but they work in its scope only.
    """

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context, context.window)
        self._window = context.window
        self._keymap = context.keymap
        self._menus: dict[str, QMenu] = {name: self._window.menuBar().addMenu("") for name in MENUS}
        self._actions: dict[str, QAction] = {}
        self._keymap.changed.connect(self.retranslate)

    def fill(self, handlers: Mapping[str, Handler]) -> None:
        """Create the actions of the commands that have a handler. Call it once, when all handlers exist.

        Raises ValueError if a handler is for a command that is not in the table.
        """
        rows = self._keymap.commands
        if unknown := handlers.keys() - {row.id for row in rows}:
            raise ValueError(f"handlers of unknown commands: {sorted(unknown)}")
        for row in rows:
            if row.id not in handlers:  # a local command, which a widget handles itself
                continue
            action = QAction(self._window)
            action.setObjectName(row.id)
            action.triggered.connect(handlers[row.id])
            if row.id.startswith(_SETTINGS_COMMANDS):
                action.setShortcutContext(Qt.ShortcutContext.ApplicationShortcut)
            self._window.addAction(action)
            if row.menu is not None:
                menu = self._menus[row.menu]
                if row.id in _GROUP_STARTS and not menu.isEmpty():
                    menu.addSeparator()
                menu.addAction(action)
            self._actions[row.id] = action
        self.retranslate()

    def retranslate(self) -> None:
        """Update texts and keys."""
        for name, menu in self._menus.items():
            menu.setTitle(menu_title(name))
        for command_id, action in self._actions.items():
            row = self._keymap.command(command_id)
            keys = self._keymap.first(command_id)
            name = key_name(keys)
            if row.is_everywhere:
                action.setShortcuts(with_keypad(self._keymap.keys(command_id)))
            if row.is_everywhere and name == keys.toString(QKeySequence.SequenceFormat.NativeText):
                action.setText(row.label)
            else:  # Qt shows text behind a tab in the column of keys, also for keys that are no shortcuts
                action.setText(f"{row.label}\t{name}" if name else row.label)

    def enable(self, command_id: str, *, is_enabled: bool) -> None:
        self._actions[command_id].setEnabled(is_enabled)

    def enable_by(self, command_id: str, signal: SignalInstance) -> None:
        """Enable the command by the last bool that `signal` emitted; disabled until then."""
        action = self._actions[command_id]
        action.setEnabled(False)
        signal.connect(action.setEnabled)

    def is_enabled(self, command_id: str) -> bool:
        """Return whether the command exists and can run now."""
        action = self._actions.get(command_id)
        return action is not None and action.isEnabled()

    def trigger(self, command_id: str) -> None:
        """Run the command if it is enabled."""
        action = self._actions.get(command_id)
        if action is not None:
            action.trigger()


class WorkflowCommands(Controller):
    """The commands on the viewed workflow, and which of them are enabled (UI §4)."""

    def __init__(
        self,
        context: WindowContext,
        actions: WorkflowActions,
        archive: ArchiveController,
        sidebar_binder: SidebarBinder,
        menus: Menus,
    ) -> None:
        super().__init__(context)
        self._actions = actions
        self._archive = archive
        self._sidebar_binder = sidebar_binder
        self._menus = menus

    @command("workflow.rename")
    def rename(self) -> None:
        self._apply(self._sidebar_binder.rename)

    @command("workflow.archive")
    def archive(self) -> None:
        self._apply(self._archive.archive)

    @command("workflow.restore")
    def restore(self) -> None:
        self._apply(self._archive.restore)

    @command("workflow.delete")
    def delete(self) -> None:
        self._apply(self._archive.delete)

    @command("run.stop")
    def stop(self) -> None:
        self._actions.stop(self._viewed)

    @command("run.summary")
    def sum_up(self) -> None:
        self._actions.sum_up(self._viewed)

    def show_now(self) -> None:
        """Enable the commands that apply to the viewed workflow."""
        viewed = self._viewed
        listed = self._stores.workflows.get(viewed) if viewed is not None else None
        is_archived = listed is not None and listed.workflow.is_archived
        for command_id in ("workflow.rename", "workflow.delete", "workflow.export"):
            self._menus.enable(command_id, is_enabled=viewed is not None)
        self._menus.enable("workflow.archive", is_enabled=viewed is not None and not is_archived)
        self._menus.enable("workflow.restore", is_enabled=is_archived)

    def _apply(self, action: Callable[[str], None]) -> None:
        if self._viewed is not None:
            action(self._viewed)
