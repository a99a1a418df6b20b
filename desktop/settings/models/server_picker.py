"""The choice of an agent's MCP servers: all, or the checked servers."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QCheckBox, QLayout, QWidget

from core.domain.ids import ServerId
from desktop.theme import Theme
from desktop.widgets import Adaptive, column_of, set_plain_tool_tip


class ServerPicker(Adaptive, QWidget):
    """A check box per server; while all servers are allowed, including future ones, the boxes are checked and
    disabled.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._names: dict[ServerId, str | None] = {}
        self._boxes: dict[ServerId, QCheckBox] = {}
        self._all = QCheckBox(self)
        self._column = column_of(self)
        self._column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self._column.addWidget(self._all)
        self._all.toggled.connect(self._on_all_toggled)
        self.setFocusProxy(self._all)
        self.adapt_to(theme)

    @property
    def has_any(self) -> bool:
        """Whether there is a server to choose."""
        return bool(self._boxes)

    def set_options(self, servers: Mapping[ServerId, str], chosen: Sequence[ServerId] | None) -> None:
        """Show these servers by name, and the agent's choice; None: all. A missing server keeps a box, labelled as
        missing, so that it can be unchecked.
        """
        for box in self._boxes.values():
            self._column.removeWidget(box)
            box.hide()
            box.deleteLater()
        # A chosen server that is gone keeps its box, so that it can be unchecked.
        self._names = {server: servers.get(server) for server in dict.fromkeys([*servers, *(chosen or ())])}
        self._boxes = {server: QCheckBox(self) for server in self._names}
        for server, box in self._boxes.items():
            self._column.addWidget(box)
            box.setChecked(chosen is None or server in chosen)
            box.setEnabled(chosen is not None)
            box.show()
        self._all.setChecked(chosen is None)
        self._name_boxes()

    def chosen(self) -> tuple[ServerId, ...] | None:
        if self._all.isChecked():
            return None
        return tuple(server for server, box in self._boxes.items() if box.isChecked())

    def retranslate(self) -> None:
        self._all.setText(self.tr("All servers, also those to come"))
        self._all.setAccessibleName(self._all.text())
        self._name_boxes()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._all.sizeHint().width(), 0)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _name_boxes(self) -> None:
        for server, box in self._boxes.items():
            known = self._names[server]
            name = known if known is not None else self.tr("{server} (not there any more)").format(server=server)
            box.setText(name.replace("&", "&&"))
            box.setAccessibleName(name)
            set_plain_tool_tip(box, name)

    def _on_all_toggled(self, is_all: bool) -> None:
        for box in self._boxes.values():
            box.setEnabled(not is_all)
            if is_all:
                box.setChecked(True)
