"""The review at the end of a recording: suggested refs and input fields, omitted steps, and the title (UI §9)."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QFrame, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from core.domain.text.json_text import readable_json
from desktop.theme import Theme
from desktop.widgets import Adaptive, Banner, Button, Card, ElidedLabel, Paragraph, show_when


class ReviewDialog(Adaptive, QDialog):
    """Not modal. Closing it continues the recording. `review` is the exporter's review as a JSON value.

    No suggestion is accepted before the user ticks it.
    """

    save_requested = Signal(str, object)
    """The title, and the paths of the accepted refs."""
    end_requested = Signal()

    def __init__(self, theme: Theme, title: str, review: Mapping[str, Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._review = review
        self.setObjectName("recording_review")
        self.setModal(False)
        self._intro = Paragraph("", "label", "muted")
        self._title_label = Paragraph("", "strong")
        self.title = QLineEdit(title, self)
        self.title.setMaxLength(256)
        self._suggestions_title = ElidedLabel("", "strong")
        self._all = Button(theme, kind="link", is_small=True)
        self._list = QScrollArea(self)
        self.rows = [SuggestionRow(theme, offer) for offer in review["offers"]]
        self._left_out = Paragraph("", "secondary", "muted")
        self._masked = Banner(theme, "warning")
        self._failed = Paragraph("", "label", "error")
        self._end = Button(theme, kind="ghost")
        self._later = Button(theme)
        self.save = Button(theme, kind="primary")
        self._column = QVBoxLayout(self)
        self._header = QHBoxLayout()
        self._footer = QHBoxLayout()
        self._build()
        self._connect()
        self.adapt_to(theme)
        self._set_size()

    def fail(self, problem: str) -> None:
        """Show why saving failed."""
        self._failed.setText(problem)
        show_when(self._failed, bool(problem))
        self.save.setEnabled(True)
        self.title.setFocus()

    @property
    def failure(self) -> str:
        """The message of the failed save."""
        return self._failed.text()

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Review the recording"))
        self._list.setAccessibleName(self.tr("Offered values"))
        steps = self._review["steps"]
        self._intro.setText(
            self.tr("%n steps become a template that you can run again with other values.", "", len(steps))
            if steps
            else self.tr("There is no step yet that a template could be made of.")
        )
        self._title_label.setText(self.tr("Title of the template"))
        self.title.setAccessibleName(self._title_label.text())
        self._suggestions_title.setText(
            self.tr("Values that may change from run to run")
            if self.rows
            else self.tr("No value was found that may change from run to run")
        )
        self._all.setText(self.tr("Take all"))
        self._left_out.setText(self._left_out_text())
        masked = ", ".join(self._review["masked"])
        self._masked.set_text(
            self.tr("Secrets were not kept, and the template lacks them: {places}").format(places=masked)
        )
        self._end.setText(self.tr("End without a template"))
        self._later.setText(self.tr("Keep recording"))
        self.save.setText(self.tr("Save template"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_xl, sizes.space_l, sizes.space_xl, sizes.space_l)
        self._column.setSpacing(sizes.space_s)
        self._rows_column.setSpacing(sizes.space_s)
        self._footer.setSpacing(sizes.space_s)

    def _build(self) -> None:
        body = QWidget()
        self._rows_column = QVBoxLayout(body)
        self._rows_column.setContentsMargins(0, 0, 0, 0)
        for row in self.rows:
            self._rows_column.addWidget(row)
        self._rows_column.addStretch()
        self._list.setWidget(body)
        for ground in (self._list.viewport(), body):  # so that the dialog's own shows through
            ground.setAutoFillBackground(False)
        self._list.setWidgetResizable(True)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._header.addWidget(self._suggestions_title, 1)
        self._header.addWidget(self._all)
        self._footer.addWidget(self._end)
        self._footer.addStretch(1)
        self._footer.addWidget(self._later)
        self._footer.addWidget(self.save)
        self._column.addWidget(self._intro)
        self._column.addWidget(self._title_label)
        self._column.addWidget(self.title)
        self._column.addLayout(self._header)
        self._column.addWidget(self._list, 1)
        for part in (self._left_out, self._masked, self._failed):
            self._column.addWidget(part)
        self._column.addLayout(self._footer)
        show_when(self._all, bool(self.rows))
        show_when(self._left_out, bool(self._review["left_out"]))
        show_when(self._masked, bool(self._review["masked"]))
        show_when(self._failed, False)
        self.save.setDefault(True)
        self.save.setEnabled(bool(self._review["steps"]))

    def _connect(self) -> None:
        self._all.clicked.connect(self._take_all)
        self._later.clicked.connect(self.reject)
        self._end.clicked.connect(self.end_requested)
        self.save.clicked.connect(self._save)

    def _set_size(self) -> None:
        size = QSize(self._theme.sizes.chat_column, self._theme.sizes.chat_column * 5 // 6)
        parent = self.parentWidget()
        self.resize(size if parent is None else size.boundedTo(parent.window().size()))

    def _take_all(self) -> None:
        for row in self.rows:
            row.box.setChecked(True)

    def _save(self) -> None:
        self.save.setEnabled(False)
        self.save_requested.emit(self.title.text(), [row.path for row in self.rows if row.box.isChecked()])

    def _left_out_text(self) -> str:
        reasons = {
            "failed": self.tr("failed"),
            "unfinished": self.tr("unfinished"),
            "repeated": self.tr("repeated"),
            "unused": self.tr("unused"),
            "excluded": self.tr("left out"),
        }
        omitted = [f"{step['step']} ({reasons[str(step['reason'])]})" for step in self._review["left_out"]]
        return self.tr("Left out: {steps}").format(steps=", ".join(omitted))


VALUE_CHARACTERS = 120


class SuggestionRow(Adaptive, Card):
    """A suggested ref: a check box, the value that it replaces, and where the value came from. `offer` is as the tool
    `record` returns it.
    """

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
        label = f"{step} · {'/'.join(argument)}"
        self.box.setText(label.replace("&", "&&"))
        self._value.setText(f"{_preview(self._offer['value'])}  →  {self._offer['ref']}")
        self._about.setText(f"{self._origin()} {self._confidence()}")
        self.box.setAccessibleName(f"{label}: {self._value.text()}")
        self.box.setAccessibleDescription(self._about.text())

    def apply_theme(self) -> None:
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


def _preview(value: Any) -> str:
    text = value if isinstance(value, str) else readable_json(value)
    return text if len(text) <= VALUE_CHARACTERS else f"{text[:VALUE_CHARACTERS]}…"
