"""The page for a store in doubt: what happened, where, and what the user can do."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from core.domain.doubt import Repair, Repaired
from core.domain.text.masking import masked_text
from core.services.outcome import Failed
from desktop.theme import Icon, Theme
from desktop.translation import failure_text
from desktop.translation.formats import moment, number
from desktop.widgets import Adaptive, Button, ChoiceCards, Label, Paragraph, Surface, announce

translate = QCoreApplication.translate  # by its own name, or lupdate would not see it

SHOWN_MISSING = 6


def _reason_text(details: Mapping[str, Any]) -> str:
    """Return what happened, in the user's language."""
    seen, found = details.get("seen", {}).get("run"), details.get("found", {}).get("run")
    texts = {
        "gone": translate("DoubtPage", "The data is missing, but it was there when Metier was closed."),
        "damaged": translate("DoubtPage", "Files of the data are missing or damaged."),
        "changed": translate("DoubtPage", "Files of the data are not as Metier left them."),
        "unopenable": translate("DoubtPage", "The data cannot be opened any more."),
        "incomplete": translate("DoubtPage", "The last changes before Metier ended are missing."),
        "older": translate("DoubtPage", "The data is older than what Metier saw last in this folder."),
        "later": translate("DoubtPage", "The data is newer than what Metier saw last in this folder."),
        "later_release": translate("DoubtPage", "The data was written by a newer version of Metier."),
        "unknown": translate("DoubtPage", "Metier has not seen this data in this folder before."),
        "watch_damaged": translate("DoubtPage", "The file by which Metier checks the data is damaged."),
    }
    text = texts.get(details.get("reason", ""), translate("DoubtPage", "Something is wrong with the data."))
    if isinstance(seen, int) and isinstance(found, int) and seen != found:
        counts = translate("DoubtPage", "{found} of {seen} runs are there.")
        text += " " + counts.format(found=number(found), seen=number(seen))
    return f"{text} " + translate("DoubtPage", "Nothing was changed. Choose how to go on.")


def _choice_texts(choice: Repair, details: Mapping[str, Any]) -> tuple[str, str]:
    """Return title and consequences of a choice."""
    aside = translate("DoubtPage", "The present data is set aside, not deleted.")
    match choice:
        case Repair.KEEP:
            return (
                translate("DoubtPage", "Go on with this data"),
                translate("DoubtPage", "It is opened as it is. What is missing stays missing."),
            )
        case Repair.BACKUP:
            made = moment(datetime.fromisoformat(details["backup"]["created_at"]), datetime.now(UTC))
            text = translate("DoubtPage", "{runs} runs, made {when}. Later changes are not in it.")
            return (
                translate("DoubtPage", "Restore the newest backup"),
                f"{text.format(runs=number(details['backup']['runs']), when=made)} {aside}",
            )
        case Repair.SALVAGE:
            text = translate("DoubtPage", "It is copied to new data, and you see what is missing.")
            return translate("DoubtPage", "Save what can be read"), f"{text} {aside}"
        case Repair.EMPTY:
            text = translate("DoubtPage", "As on the first day.")
            return translate("DoubtPage", "Start with empty data"), f"{text} {aside}"


class DoubtPage(Adaptive, Surface):
    """Explains a store in doubt and offers its choices; then shows progress and what came of it.

    `chosen` has the choice, or an empty text when the user has seen the result.
    """

    chosen = Signal(str)
    quit_requested = Signal()

    def __init__(self, theme: Theme, failed: Failed, parent: QWidget | None = None) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme
        self._failed = failed
        self._choices = [Repair(choice) for choice in failed.details["choices"]]
        self._result: Repaired | None = None
        self._failure: Failed | None = None
        self._rows: int | None = None
        self._title = Label("", "heading", parent=self)
        self._text = Paragraph("", parent=self)
        self._folder = Paragraph("", "secondary", "muted", parent=self)
        self._cards = ChoiceCards(theme, self)
        self._status = Paragraph("", parent=self)
        self._go = Button(theme, "", "primary", parent=self)
        self._copy = Button(theme, "", "secondary", Icon.COPY, parent=self)
        self._quit = Button(theme, "", "secondary", Icon.X, parent=self)
        self._lay_out()
        self._go.setDefault(True)
        self._go.clicked.connect(self._on_go)
        self._copy.clicked.connect(self._on_copy)
        self._quit.clicked.connect(self.quit_requested)
        self.adapt_to(theme)
        self._cards.set_current(self._choices[0])

    def _lay_out(self) -> None:
        self._buttons = QHBoxLayout()
        for button in (self._go, self._copy, self._quit):
            self._buttons.addWidget(button)
        self._buttons.addStretch(1)
        inside = QWidget(self)
        self._column = QVBoxLayout()
        sides = QHBoxLayout(inside)
        sides.addStretch(1)
        sides.addLayout(self._column, 4)
        sides.addStretch(1)
        self._column.addStretch(1)
        for widget in (self._title, self._text, self._folder, self._cards, self._status):
            self._column.addWidget(widget)
        self._column.addLayout(self._buttons)
        self._column.addStretch(2)
        area = QScrollArea(self)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)

    def show_progress(self, progress: Mapping[str, Any]) -> None:
        """Show that the choice is being carried out, with the number of rows so far."""
        self._rows, self._failure = progress.get("rows", 0), None
        self._show_state()

    def show_failure(self, failed: Failed) -> None:
        """Show that the choice could not be carried out; another can be made."""
        self._rows, self._failure = None, failed
        self._show_state()

    def show_result(self, result: Repaired) -> None:
        """Show what is missing, and where the data of before is."""
        self._rows, self._result = None, result
        self._show_state()
        announce(self._status, self._status.text())

    def retranslate(self) -> None:
        self._text.setText(_reason_text(self._failed.details))
        self._folder.setText(self.tr("Data: {folder}").format(folder=self._failed.details["folder"]))
        for choice in self._choices:
            self._cards.set_choice(choice, *_choice_texts(choice, self._failed.details))
        self._copy.setText(self.tr("Copy details"))
        self._quit.setText(self.tr("Quit"))
        self._show_state()

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)
        self._buttons.setSpacing(self._theme.sizes.space_s)
        margin = self._theme.sizes.space_l
        self._column.setContentsMargins(0, margin, 0, margin)

    def _show_state(self) -> None:
        is_busy, is_asking = self._rows is not None, self._result is None
        asking, done = self.tr("Something is wrong with your data"), self.tr("Your data can be opened again")
        self._title.setText(asking if is_asking else done)
        self._text.setVisible(is_asking)
        self._folder.setVisible(is_asking)
        self._cards.setVisible(is_asking)
        self._cards.setEnabled(not is_busy)
        self._go.setEnabled(not is_busy)
        self._go.setText(self.tr("Continue") if is_asking else self.tr("Open Metier"))
        self._status.setText(self._status_text())
        self._status.setVisible(bool(self._status.text()))

    def _status_text(self) -> str:
        if self._rows is not None:
            return self.tr("At work: {rows} records…").format(rows=number(self._rows))
        if self._failure is not None:
            return failure_text(self._failure.code, self._failure.message)
        if self._result is None:
            return ""
        lines = [self.tr("Done: {runs} runs are there.").format(runs=number(self._result.runs))]
        if self._result.missing:
            lines += [self.tr("What could not be read:"), *self._result.missing[:SHOWN_MISSING]]
            if len(self._result.missing) > SHOWN_MISSING:
                lines.append("…")
        if self._result.aside is not None:
            lines.append(self.tr("The data of before is in {folder}.").format(folder=self._result.aside))
        return "\n".join(lines)

    def _on_go(self) -> None:
        if self._result is not None:
            self.chosen.emit("")
        elif (choice := self._cards.current) is not None:
            self.chosen.emit(choice)

    def _on_copy(self) -> None:
        details = masked_text(self._failed.message)
        lines = (self._title.text(), self._text.text(), details, self._status.text())
        QGuiApplication.clipboard().setText("\n".join(lines))
