"""The menu bar and the keys, both made from the table of commands."""

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from desktop.window.commands import COMMANDS, MENUS, command_title, menu_title


class Menus:
    """The actions of a window, by command id. Every command that is given something to do has one."""

    def __init__(self, window: QMainWindow, deeds: Mapping[str, Callable[[], object]]) -> None:
        self._menus: dict[str, QMenu] = {name: window.menuBar().addMenu("") for name in MENUS}
        self._actions: dict[str, QAction] = {}
        for command in COMMANDS:
            action = QAction(window)
            action.setObjectName(command.id)
            action.setShortcuts([QKeySequence(keys) for keys in command.keys])
            action.triggered.connect(deeds[command.id])
            window.addAction(action)
            if command.menu is not None:
                self._menus[command.menu].addAction(action)
            self._actions[command.id] = action
        self.retranslate()

    def retranslate(self) -> None:
        for name, menu in self._menus.items():
            menu.setTitle(menu_title(name))
        for command_id, action in self._actions.items():
            action.setText(command_title(command_id))

    def enable(self, command_id: str, *, is_enabled: bool) -> None:
        self._actions[command_id].setEnabled(is_enabled)

    def is_enabled(self, command_id: str) -> bool:
        return self._actions[command_id].isEnabled()

    def trigger(self, command_id: str) -> None:
        """Carry the command out, if it can be now."""
        self._actions[command_id].trigger()
