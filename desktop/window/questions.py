"""Questions before something is lost. They open beside the work and never stop it."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from desktop.widgets.question_box import QuestionBox

_TITLE_EMS = 24


def ask_archive(window: QWidget, title: str) -> QMessageBox:
    """Ask whether a workflow is to be stopped and put away; the dialog is open, and `accepted` is the yes."""
    box = QuestionBox(window, "archive_question")
    box.setWindowTitle(QCoreApplication.translate("Questions", "Archive workflow"))
    box.setText(QCoreApplication.translate("Questions", "“{title}” is running.").format(title=_short(box, title)))
    box.setInformativeText(
        QCoreApplication.translate(
            "Questions", "It will be stopped before it is archived. What it has done so far is kept."
        )
    )
    _answers(
        box,
        QCoreApplication.translate("Questions", "Stop and archive"),
        QCoreApplication.translate("Questions", "Cancel"),
        "archive",
    )
    return box


def ask_delete(window: QWidget, title: str, *, is_running: bool) -> QMessageBox:
    """Ask whether a workflow is to be deleted; the dialog is open, and `accepted` is the yes."""
    box = QuestionBox(window, "delete_question")
    box.setWindowTitle(QCoreApplication.translate("Questions", "Delete workflow"))
    box.setText(QCoreApplication.translate("Questions", "Delete “{title}”?").format(title=_short(box, title)))
    what = QCoreApplication.translate(
        "Questions", "Its messages and runs are removed. You can undo it for a few seconds."
    )
    if is_running:
        stopped = QCoreApplication.translate("Questions", "It is running; it will be stopped first.")
        what = f"{stopped} {what}"
    box.setInformativeText(what)
    _answers(
        box,
        QCoreApplication.translate("Questions", "Delete"),
        QCoreApplication.translate("Questions", "Keep"),
        "delete",
    )
    return box


def _short(box: QMessageBox, title: str) -> str:
    """As much of it as a line takes: a message box is as wide as its longest word."""
    return box.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, _TITLE_EMS * box.fontMetrics().height())


def _answers(box: QMessageBox, yes: str, no: str, name: str) -> None:
    """Open it with a yes and a no; Enter and Esc say no."""
    box.addButton(yes, QMessageBox.ButtonRole.AcceptRole).setObjectName(name)
    harmless = box.addButton(no, QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(harmless)
    box.setEscapeButton(harmless)
    box.open()
