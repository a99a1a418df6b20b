"""The field of a server's address, which is mended in sight."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLineEdit

from core.domain.server_address import BadAddress
from core.services.outcome import Failed
from desktop.operations import OperationFailed
from desktop.settings.models.model_strings import address_change_text, address_fault_text
from desktop.settings.sources.context import SettingsContext
from desktop.widgets.forms.form import FormField

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

ADDRESS_CHARACTERS = 2000


class AddressField:
    """A line in a form field; `line` is the editor, `form_field` has its label, its help and what is wrong with it."""

    def __init__(self, context: SettingsContext) -> None:
        self._mended = context.providers.mended
        self._about = ""
        self.line = QLineEdit()
        self.line.setMaxLength(ADDRESS_CHARACTERS)
        self.form_field = FormField.around(context.theme, self.line)

    def show(self, url: str) -> None:
        """Show an address that needs no mending."""
        self.line.setText(url)
        self._about = ""
        self.form_field.show_error("")
        self.describe()

    def describe(self) -> None:
        """Show label and help: what was mended, or what an address looks like."""
        usual = translate("ModelForm", "Of the API, as its documentation says: it often ends with /v1.")
        self.form_field.describe(translate("ModelForm", "Address"), self._about or usual)

    def mend(self) -> None:
        """Show the address as it is used, and what was changed of it; or why it cannot be used."""
        typed = self.line.text()
        if not typed.strip():
            self.show("")
            return
        try:
            mended = self._mended(typed)
        except BadAddress as error:
            self.form_field.show_error(address_fault_text(error.fault))
            return
        self.form_field.show_error("")
        if mended.url != typed:
            self.line.setText(mended.url)
            self._about = address_change_text(mended.changes)
            self.describe()

    def url(self) -> str:
        """Return the address as it is used. Raises OperationFailed `bad_address`, with its `fault`."""
        try:
            return self._mended(self.line.text()).url
        except BadAddress as error:
            raise OperationFailed(Failed("bad_address", str(error), details={"fault": error.fault})) from None
