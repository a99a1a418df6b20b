"""Backups: those that are kept, and what can be done with them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QVBoxLayout, QWidget

from core.domain.backup import Backup, BackupReason, StoreReport
from core.services.outcome import Failed
from desktop.settings.parts.banners import ConfirmationBanner
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon, Theme
from desktop.translation import failure_text
from desktop.translation.formats import byte_size, moment, number, percent
from desktop.widgets import Adaptive, Button, Card, Label, Paragraph, Tone, announce, row_of

SUFFIX = ".jsonl.gz"


class BackupRow(Adaptive, QWidget):
    """A kept backup, with a button that restores it."""

    def __init__(
        self,
        theme: Theme,
        backup: Backup,
        counted: Callable[[Backup], str],
        restore: Callable[[Backup, QWidget], object],
    ) -> None:
        super().__init__()
        self._theme = theme
        self._backup = backup
        self._counted = counted
        self._when = Paragraph("")
        self._what = Paragraph("", "label", "muted")
        self.restore = Button(theme, "", "secondary", Icon.ROTATE_CCW, is_small=True)
        self.restore.clicked.connect(lambda: restore(backup, self.restore))
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self._when)
        texts.addWidget(self._what)
        self._row = row_of(self)
        self._row.addLayout(texts, 1)
        self._row.addWidget(self.restore, 0, Qt.AlignmentFlag.AlignVCenter)
        self.adapt_to(theme)

    def retranslate(self) -> None:
        when = written_at(self._backup)
        self._when.setText(when)
        reasons = {
            BackupReason.DAILY: self.tr("daily"),
            BackupReason.UPDATE: self.tr("before an update"),
            BackupReason.REQUEST: self.tr("on request"),
            BackupReason.SALVAGE: self.tr("salvaged"),
        }
        counts = self._counted(self._backup)
        self._what.setText(f"{reasons[self._backup.reason]} · {counts} · {byte_size(self._backup.size_bytes)}")
        self.restore.setText(self.tr("Restore…"))
        self.restore.setAccessibleName(self.tr("Restore the backup of {when}").format(when=when))

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_m)


class BackupSection(Adaptive, Card):
    """Lists the kept backups; writes, checks and restores."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._theme = theme = context.theme
        self._operations = context.operations
        self._data = context.data
        self._service = context.data.backups
        self._kept: Sequence[Backup] = ()
        self._rows: list[BackupRow] = []
        self._result: Callable[[], tuple[Tone, str]] | None = None
        self._is_at_work = False
        self._title = Label("", "strong")
        self._help = Paragraph("", "label", "muted")
        self._last = Paragraph("", "label", "muted")
        self._write = Button(theme, icon=Icon.DOWNLOAD, is_small=True)
        self._restore_file = Button(theme, icon=Icon.UPLOAD, is_small=True)
        self._check = Button(theme, icon=Icon.SHIELD, is_small=True)
        self._forget = Button(theme, icon=Icon.TRASH_2, is_small=True)
        self._forget_help = Paragraph("", "label", "muted")
        self._note = Paragraph("")
        self._question = ConfirmationBanner(theme, self)
        self._lay_out()
        self._write.clicked.connect(self._ask_target)
        self._restore_file.clicked.connect(self._ask_source)
        self._check.clicked.connect(self._check_store)
        self._forget.clicked.connect(self._ask_to_forget)
        self._service.changed.connect(self._on_changed)
        self.destroyed.connect(self._disconnector())
        self.adapt_to(theme)

    def search_text(self) -> str:
        buttons = (self._write, self._restore_file, self._check, self._forget)
        return " ".join([self._title.text(), self._help.text(), *(button.text() for button in buttons)])

    def load(self) -> None:
        """Read the list of kept backups."""
        self._operations.run(self._service.kept(), "list backups", success=self._show_kept, failure=lambda _: None)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Backups"))
        self._help.setText(
            self.tr(
                "Metier backs up everything once a day while it is open, and before an update. The newest 7 are kept "
                "in the data folder. API keys in the system's keyring are not part of them."
            )
        )
        self._write.setText(self.tr("Back up now…"))
        self._restore_file.setText(self.tr("Restore from a file…"))
        self._check.setText(self.tr("Check the data"))
        self._forget.setText(self.tr("Delete from backups too…"))
        self._forget_help.setText(self.tr("Backups hold what you delete for up to 7 days more."))
        self._refresh()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._list.setSpacing(sizes.space_s)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self.load)

    def _lay_out(self) -> None:
        self._column, self._list = QVBoxLayout(self), QVBoxLayout()
        for widget in (self._title, self._help, self._last):
            self._column.addWidget(widget)
        self._column.addWidget(ResponsiveRow(self._theme, [self._write, self._restore_file, self._check], compact=True))
        self._column.addWidget(self._note)
        self._column.addWidget(self._question)
        self._column.addLayout(self._list)
        self._column.addWidget(self._forget_help)
        self._column.addWidget(self._forget, 0, Qt.AlignmentFlag.AlignLeft)
        self._note.hide()

    def _disconnector(self) -> Callable[[], None]:
        service, on_changed = self._service, self._on_changed

        def disconnect() -> None:
            service.changed.disconnect(on_changed, missing_ok=True)

        return disconnect

    def _on_changed(self) -> None:
        was_at_work, self._is_at_work = self._is_at_work, self._service.state.done is not None
        if was_at_work and not self._is_at_work:
            self.load()
        self._refresh()

    def _refresh(self) -> None:
        state = self._service.state
        buttons = [self._write, self._restore_file, self._check, self._forget, *(row.restore for row in self._rows)]
        for button in buttons:
            button.setEnabled(state.done is None)
        newest = self._kept[0] if self._kept else None
        if state.done is not None:
            share = percent(min(state.done / state.total, 1.0)) if state.total else percent(0)
            self._last.setText(self.tr("Reading all data: {share}").format(share=share))
        elif newest is not None:
            self._last.setText(self.tr("Last backup: {when}").format(when=written_at(newest)))
        else:
            self._last.setText(self.tr("There is no backup yet."))
        for widget in (self._forget, self._forget_help):
            widget.setVisible(bool(self._kept))
        self._show_note()

    def _show_note(self) -> None:
        failure = self._service.state.failure
        if self._result is not None:
            tone, text = self._result()
        elif failure is not None:
            reason = failure_text(failure.code, failure.message)
            tone, text = "warn", self.tr("The last daily backup failed: {reason}").format(reason=reason)
        else:
            self._note.hide()
            return
        self._note.set_tone(tone)
        if text != self._note.text():
            self._note.setText(text)
            announce(self, text)
        self._note.show()

    def _show_kept(self, kept: Sequence[Backup]) -> None:
        if list(kept) == list(self._kept) and self._rows:
            return
        self._kept = kept
        for row in self._rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [BackupRow(self._theme, backup, self._counted, self._preview) for backup in kept]
        for row in self._rows:
            self._list.addWidget(row)
        self._refresh()

    # Actions

    def _report(self, tone: Tone, make_text: Callable[[], str]) -> None:
        self._result = lambda: (tone, make_text())
        self._refresh()

    def _fail(self, failed: Failed) -> None:
        self._report("error", lambda: failure_text(failed.code, failed.message))

    def _ask_target(self) -> None:
        self._choose(self.tr("Back up now"), QFileDialog.AcceptMode.AcceptSave, self._write_to)

    def _ask_source(self) -> None:
        self._choose(self.tr("Restore a backup"), QFileDialog.AcceptMode.AcceptOpen, self._describe)

    def _choose(self, title: str, mode: QFileDialog.AcceptMode, done: Callable[[Path], object]) -> None:
        dialog = QFileDialog(self, title)
        dialog.setAcceptMode(mode)
        dialog.setNameFilters([self.tr("Backups of Metier") + f" (*{SUFFIX})", self.tr("All files") + " (*)"])
        if mode is QFileDialog.AcceptMode.AcceptSave:
            dialog.selectFile(f"metier-{datetime.now().astimezone():%Y-%m-%d}{SUFFIX}")
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)

        def finish(result: int) -> None:
            names = dialog.selectedFiles() if result == QDialog.DialogCode.Accepted else []
            dialog.deleteLater()
            if names:
                done(Path(names[0]))

        dialog.finished.connect(finish)
        dialog.open()

    def _write_to(self, file: Path) -> None:
        self._operations.run(self._service.write(file), "write a backup", success=self._on_written, failure=self._fail)

    def _on_written(self, backup: Backup) -> None:
        self._report("ok", lambda: self.tr("Written and read back: {file}").format(file=backup.path))

    def _check_store(self) -> None:
        self._operations.run(self._service.check(), "check the data", success=self._on_checked, failure=self._fail)

    def _on_checked(self, report: StoreReport) -> None:
        if not report.problem_count:
            rows = sum(report.rows.values())
            text = self.tr("All {rows} rows and {runs} runs can be read.")
            self._report("ok", lambda: text.format(rows=number(rows), runs=number(report.runs)))
            return
        first = report.problems[0].message
        self._report(
            "error",
            lambda: self.tr("%n place(s) cannot be read. The first: {first}", "", report.problem_count).format(
                first=first
            ),
        )

    def _describe(self, file: Path) -> None:
        self._operations.run(
            self._service.describe(file),
            "describe a backup",
            success=lambda backup: self._preview(backup, self._restore_file),
            failure=self._fail,
        )

    def _preview(self, backup: Backup, asker: QWidget) -> None:
        text = self.tr(
            "Replace all data by the backup of {when}, with {counts}? What is here now is set aside in the data "
            "folder. Runs that were at work then do not go on by themselves. Restore only files that you trust."
        )
        self._question.ask(
            text.format(when=written_at(backup), counts=self._counted(backup)),
            self.tr("Cancel"),
            self.tr("Restore"),
            lambda: self._data.restore(backup.path),
            lambda: None,
            asker,
        )

    def _counted(self, backup: Backup) -> str:
        workflows = self.tr("%n workflow(s)", "", backup.workflows)
        runs = self.tr("%n run(s)", "", backup.runs)
        return f"{workflows}, {runs}"

    def _ask_to_forget(self) -> None:
        self._question.ask(
            self.tr("Replace all kept backups by a new one, without what you have deleted?"),
            self.tr("Cancel"),
            self.tr("Replace"),
            self._replace_kept,
            lambda: None,
            self._forget,
        )

    def _replace_kept(self) -> None:
        self._operations.run(
            self._service.replace_kept(), "replace backups", success=self._on_replaced, failure=self._fail
        )

    def _on_replaced(self, backup: Backup) -> None:
        self._report("ok", lambda: self.tr("There is one backup now, without what you have deleted."))
        self.load()


def written_at(backup: Backup) -> str:
    """Return when the backup was written."""
    now = datetime.now().astimezone()
    return moment(backup.created_at.astimezone(), now)
