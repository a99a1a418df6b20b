"""One offered ref: a box to accept it, the value that it replaces, and where that has come from."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from core.domain.json_text import readable
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card

VALUE_CHARACTERS = 120


class OfferRow(Adaptive, Card):
    """`offer` is as `record` prints it."""

    def __init__(self, theme: Theme, offer: Mapping[str, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._offer = offer
        self.box = QCheckBox()
        self._value = Paragraph("", "label", most_lines=2)
        self._about = Paragraph("", "secondary", "muted")
        self._column, self._words = QVBoxLayout(self), QVBoxLayout()
        self._column.addWidget(self.box)
        for words in (self._value, self._about):
            self._words.addWidget(words)
        self._column.addLayout(self._words)
        self.adapt_to(theme)

    @property
    def path(self) -> str:
        return str(self._offer["path"])

    def retranslate(self) -> None:
        step, *argument = self.path[1:].split("/")
        place = f"{step} · {'/'.join(argument)}"
        self.box.setText(place.replace("&", "&&"))
        self._value.setText(f"{_short(self._offer['value'])}  →  {self._offer['ref']}")
        self._about.setText(f"{self._origin()} {self._confidence()}")
        self.box.setAccessibleName(f"{place}: {self._value.text()}")
        self.box.setAccessibleDescription(self._about.text())

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l - sizes.space_xs, sizes.space_s, sizes.space_l, sizes.space_s)
        self._words.setContentsMargins(sizes.space_xs + sizes.icon_s + sizes.space_s, 0, 0, 0)  # below those of the box
        self._words.setSpacing(sizes.space_xs)
        self._column.setSpacing(sizes.space_xs)

    def _origin(self) -> str:
        return {
            "output": self.tr("It stands in an earlier result."),
            "input": self.tr("It stands in the input of the recording."),
            "message": self.tr("You wrote it: it becomes a field of the input."),
            "secret": self.tr("It is a secret and was not kept: it becomes a field of the input."),
        }[str(self._offer["origin"])]

    def _confidence(self) -> str:
        return {
            "high": self.tr("Very likely right."),
            "medium": self.tr("Probably right."),
            "low": self.tr("Perhaps the same by chance."),
        }[str(self._offer["confidence"])]


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else readable(value)
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}…"
