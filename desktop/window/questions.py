"""Questions before something is lost. They open beside the work and never stop it."""

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox, QWidget


def ask_delete(window: QWidget, title: str, *, is_running: bool) -> QMessageBox:
    """Ask whether a workflow is to be deleted; the dialog is open, and `accepted` is the yes."""
    box = QMessageBox(window)
    box.setObjectName("delete_question")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(QCoreApplication.translate("Questions", "Delete workflow"))
    box.setText(QCoreApplication.translate("Questions", "Delete “{title}”?").format(title=title))
    what = QCoreApplication.translate("Questions", "Its messages and runs are removed for good.")
    if is_running:
        stopped = QCoreApplication.translate("Questions", "It is running; it will be stopped first.")
        what = f"{stopped} {what}"
    box.setInformativeText(what)
    yes = box.addButton(QCoreApplication.translate("Questions", "Delete"), QMessageBox.ButtonRole.AcceptRole)
    no = box.addButton(QCoreApplication.translate("Questions", "Keep"), QMessageBox.ButtonRole.RejectRole)
    yes.setObjectName("delete")
    box.setDefaultButton(no)
    box.setEscapeButton(no)
    box.open()
    return box
