"""Text that an input method composes in a widget and has not committed yet."""

from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QWidget


class Preedit:
    """What an input method has not committed yet; pass it every event of the input method.

    A click, a switch of workflow or a closing window does not wait for the input method: `commit` commits the text
    before it is read. Some methods commit it themselves a moment later, and that is dropped.
    """

    def __init__(self) -> None:
        self.text = ""
        self._echo = ""

    def take(self, event: QInputMethodEvent) -> bool:
        """Note an event. Return False if it has to be dropped, since its text is committed already."""
        self.text = event.preeditString()
        is_echo = bool(self._echo) and not self.text and event.commitString() == self._echo
        self._echo = ""
        return not is_echo

    def commit(self, widget: QWidget) -> None:
        """Commit the text in its widget."""
        if not self.text:
            return
        QGuiApplication.inputMethod().commit()
        if text := self.text:  # the method did not
            event = QInputMethodEvent("", [])
            event.setCommitString(text)
            QGuiApplication.sendEvent(widget, event)
            QGuiApplication.inputMethod().reset()
            self._echo = text
