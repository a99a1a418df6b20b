"""A remark on a page of the settings: what waits for a person, and that a change there leaves it as it is."""

from collections.abc import Callable

from desktop.settings.waiting import Waiting
from desktop.theme.theme import Theme
from desktop.widgets.banner import Banner


class WaitingNote(Banner):
    """Seen only while something waits that `words` gives a sentence for."""

    def __init__(self, theme: Theme, waiting: Waiting | None, words: Callable[[Waiting], str]) -> None:
        self._waiting = waiting
        self._words = words
        super().__init__(theme, "info")
        self.setObjectName("waiting_note")
        self._is_wanted = True
        if waiting is not None:
            waiting.changed.connect(self._look)
        self._look()

    def setVisible(self, visible: bool) -> None:
        """Also where a page shows all of its sections."""
        self._is_wanted = visible
        super().setVisible(visible and bool(self.text))

    def searched(self) -> str:
        return self.text

    def retranslate(self) -> None:
        said = self._words(self._waiting) if self._waiting is not None else ""
        if said != self.text:
            self._text.setText(said)
        super().retranslate()

    def _look(self) -> None:
        self.retranslate()
        if self.parentWidget() is not None:
            self.setVisible(self._is_wanted)
