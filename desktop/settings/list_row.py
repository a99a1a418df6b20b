"""A row of a list in the settings: a card with controls, of which one has the focus when the row has it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from desktop.settings.tab_order import stops_in
from desktop.widgets.surfaces import Card


class ListRow(Card):
    """A class to derive from."""

    def stops(self) -> list[QWidget]:
        """Where Tab stops, in the order of what is seen."""
        return stops_in(self)

    def searched(self) -> str:
        """The words that it is found by."""
        raise NotImplementedError

    def has_focus(self) -> bool:
        """Whether one of its controls has it."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def take_focus(self) -> None:
        """Its first control."""
        stop = next((one for one in self.stops() if not one.isHidden() and one.isEnabled()), None)
        if stop is not None:
            stop.setFocus(Qt.FocusReason.OtherFocusReason)
