"""The form that connects a model: provider, address, key and model."""

from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit
from shiboken6 import isValid

from core.domain.model import ModelChoice, WireFormatName
from core.domain.server_address import listed_model
from core.services.outcome import Failed, Outcome
from desktop.operations import OperationFailed, unwrap
from desktop.settings.models.address_field import AddressField
from desktop.settings.models.model_strings import (
    key_location_text,
    model_refusal_text,
    other_name_text,
    wire_format_labels,
)
from desktop.settings.parts.editors import OptionalChoiceBox, OptionalNumberBox
from desktop.settings.parts.form import CardForm
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.sources.context import SettingsContext
from desktop.widgets import Button, ComboBox, limit_width, show_when
from desktop.widgets.forms.form import FormField

T = TypeVar("T")

KEY_CHARACTERS, MODEL_CHARACTERS = 10_000, 256
MOST_TOKENS, MOST_PRICE = 1_000_000_000, 100_000
CUSTOM = "custom"


class ModelForm(CardForm):
    """Emits `saved` with the added or changed model. A typed key is never displayed, and is discarded once it is saved
    or the form is left.
    """

    saved = Signal(object)

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._providers = context.providers
        self._asked = 0
        self._source: str | None = None
        self._listed: dict[str, ModelChoice] = {}
        self._provider = ComboBox()
        for preset in context.providers.presets.values():
            self._provider.addItem(preset.title, preset.id)
        self._address_field = AddressField(context)
        self._address, self._key = self._address_field.line, QLineEdit()
        self._key.setMaxLength(KEY_CHARACTERS)
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._wire_format = ComboBox()
        for name in context.providers.wire_formats:
            self._wire_format.addItem("", name)
        self._has_chosen_wire_format = False
        self._model = ComboBox()
        self._model.setEditable(True)
        self._model.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        for box in (self._provider, self._wire_format, self._model):
            limit_width(box)
        self._boxes: dict[str, OptionalNumberBox | OptionalChoiceBox] = {
            "context_tokens": OptionalNumberBox(256, MOST_TOKENS, 1024, 0),
            "takes_pictures": OptionalChoiceBox(),
            **{name: OptionalNumberBox(0, MOST_PRICE, 0.01, 4) for name in ("price_in", "price_cached", "price_out")},
        }
        self._price_cache_write: float | None = None
        self._test_button, self._add_button = Button(theme), Button(theme, kind="primary")
        self._forget_key_button = Button(theme, kind="link", is_small=True)
        controls = (self._wire_format, self._key, self._model)
        first = [FormField.around(theme, self._provider), self._address_field.form_field]
        self._fields = [*first, *(FormField.around(theme, control) for control in controls)]
        *_, self._wire_format_field, self._key_field, self._model_field = self._fields
        self._numbers = [FormField.around(theme, box) for box in self._boxes.values()]
        self._number_row = ResponsiveRow(theme, self._numbers)
        self._arrange()
        self._connect()
        self.adapt_to(theme)
        self._apply_preset()

    def fill(self, provider: str, base_url: str, listed: list[str]) -> None:
        """Fill in a server that was found on this computer."""
        self._provider.setCurrentIndex(self._provider.findData(provider))
        self._address_field.show(base_url)
        self._show_wire_format(None)
        self._set_model_names(listed)
        self._show_message("")
        self._look_up_key()
        self._model.setFocus(Qt.FocusReason.OtherFocusReason)

    def edit(self, model: ModelChoice) -> None:
        """Fill in a configured model."""
        self._provider.setCurrentIndex(max(0, self._provider.findData(model.provider)))
        self._address_field.show(model.base_url)
        self._show_wire_format(model.wire_format)
        self._set_model_names([model.model] if model.model else [])
        self._show_numbers(model)
        self._show_message("")
        self._look_up_key()
        self._model.setFocus(Qt.FocusReason.OtherFocusReason)

    def search_text(self) -> str:
        names = [self._provider.itemText(row) for row in range(self._provider.count())]
        return " ".join([self._title.text(), self._key_field.accessibleName(), self._test_button.text(), *names])

    def retranslate(self) -> None:
        provider, _, wire_format, key, model = self._fields
        self._title.setText(self.tr("Connect a model"))
        provider.describe(self.tr("Provider"))
        self._provider.setItemText(self._provider.findData(CUSTOM), self.tr("Another server"))
        self._address_field.describe()
        wire_format.describe(self.tr("API"), self.tr("What the server speaks, as its documentation says."))
        for name, label in wire_format_labels().items():
            if (row := self._wire_format.findData(name)) >= 0:
                self._wire_format.setItemText(row, label)
        model.describe(self.tr("Model"), self.tr("List them, or type a name. Empty: the only one that the server has."))
        if (typed := self._model.lineEdit()) is not None:
            typed.setAccessibleName(self.tr("Model"))
        key.describe(self.tr("API key"))
        self._update_key_help()
        context, pictures, price_in, price_cached, price_out = self._numbers
        context.describe(self.tr("Context window"), self.tr("In tokens."))
        price_in.describe(self.tr("Price in"), self.tr("Dollars for a million tokens."))
        price_cached.describe(self.tr("Price from the cache"), self.tr("For input that the provider has cached."))
        price_out.describe(self.tr("Price out"), self.tr("Dollars for a million tokens."))
        pictures.describe(self.tr("Pictures"), self.tr("Whether the model takes pictures."))
        for number in self._boxes.values():
            number.localize("")
            number.set_empty_text(self.tr("unknown"))
        self._boxes["takes_pictures"].set_empty_text(self.tr("as its name suggests"))
        self._boxes["price_cached"].set_empty_text(self.tr("like other input"))
        self._forget_key_button.setText(self.tr("Forget the key"))
        self._test_button.setText(self.tr("Test and list models"))
        self._add_button.setText(self.tr("Add model"))
        self._show_message("")

    def apply_theme(self) -> None:
        super().apply_theme()
        self._key_row.setSpacing(self._theme.sizes.space_m)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._discard_key()

    def _arrange(self) -> None:
        self._key_row = QHBoxLayout()
        self._column.addWidget(self._title)
        for field in self._fields[:3]:
            self._column.addWidget(field)
        self._key_row.addWidget(self._key_field, 1)
        self._key_row.addWidget(self._forget_key_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column.addLayout(self._key_row)
        self._column.addWidget(self._test_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self._message)
        self._column.addWidget(self._model_field)
        # before what may stay empty, so that it is in sight without scrolling
        self._column.addWidget(self._add_button, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self._number_row)
        show_when(self._forget_key_button, False)

    def _connect(self) -> None:
        self._provider.activated.connect(self._apply_preset)
        self._address.editingFinished.connect(self._on_address)
        self._wire_format.activated.connect(self._on_wire_format_chosen)
        self._test_button.clicked.connect(self._on_test)
        self._add_button.clicked.connect(self._on_add)
        self._forget_key_button.clicked.connect(self._on_forget_key)
        for field in (self._address, self._key):
            field.returnPressed.connect(self._on_test)
        self._model.activated.connect(self._on_model_chosen)

    # Reading

    def _apply_preset(self) -> None:
        """Switch to another provider: its address, and no models yet."""
        preset = self._context.providers.presets[self._provider.currentData()]
        self._address_field.show(preset.base_url)
        self._show_wire_format(None)
        self._discard_key()
        self._set_model_names([])
        self._show_numbers(None)
        self._show_message("")
        self._look_up_key()

    def _show_wire_format(self, chosen: WireFormatName | None) -> None:
        """Show the API of a server that is not among the known providers; by default the one that its address names."""
        self._has_chosen_wire_format = chosen is not None
        name = chosen or self._providers.wire_format_at(self._address.text())
        self._wire_format.setCurrentIndex(self._wire_format.findData(name))
        show_when(self._wire_format_field, self._provider.currentData() == CUSTOM)

    def _on_wire_format_chosen(self) -> None:
        self._has_chosen_wire_format = True

    def _on_address(self) -> None:
        self._mend_address()
        self._look_up_key()

    def _mend_address(self) -> None:
        if not self._has_chosen_wire_format:
            self._show_wire_format(None)
        named = self._providers.wire_format_at(self._address.text())
        self._address_field.mend()
        # The path of a request that is left out may be what has named the API.
        if named != self._providers.wire_format_at(self._address.text()):
            self._has_chosen_wire_format = True

    async def _choose(self, model: str | None) -> ModelChoice:
        """Return the model that the fields describe; with `model` None, any model of the address.

        Raises OperationFailed, with `bad_address` and its `fault` for an address that cannot be used.
        """
        provider = str(self._provider.currentData())
        address = self._address_field.url()
        base_url = None if address == self._providers.presets[provider].base_url else address
        shown = WireFormatName(self._wire_format.currentData())
        is_other = provider == CUSTOM and shown != self._providers.wire_format_at(address)
        answer = await self._providers.choose(
            provider=provider,
            base_url=base_url,
            model=model or "any",
            wire_format=shown if is_other else None,
            finds_api=False,
        )
        choice = _unwrap_as(answer, "bad_address")
        return choice if model is not None else choice.model_copy(update={"model": None})

    def _model_name(self) -> str | None:
        return self._model.currentText().strip()[:MODEL_CHARACTERS] or None

    def _set_model_names(self, listed: list[str]) -> None:
        self._model.clear()
        self._model.addItems(listed)

    def _show_numbers(self, model: ModelChoice | None) -> None:
        for name, box in self._boxes.items():
            box.set_number(getattr(model, name) if model is not None else None)
        self._price_cache_write = model.price_cache_write if model is not None else None

    def _on_model_chosen(self) -> None:
        listed = self._listed.get(self._model.currentText())
        if listed is not None:
            self._show_numbers(listed)

    # The key

    def _discard_key(self) -> None:
        self._key.setText("")  # unlike clear(), it leaves nothing to be undone

    def _look_up_key(self) -> None:
        self._asked += 1
        self._context.operations.run(self._find_key(self._asked), "look for a key")

    async def _find_key(self, request: int) -> None:
        """Show where the key of the address is stored; a later request supersedes this one."""
        if not isValid(self):  # the dialog was destroyed before the task began
            return
        source = None
        with suppress(OperationFailed):  # no address yet, so no key
            source = unwrap(await self._providers.key_source(await self._choose(None)))
        if request == self._asked and isValid(self):
            self._source = str(source) if source is not None else None
            self._update_key_help()

    def _update_key_help(self) -> None:
        preset = self._context.providers.presets[self._provider.currentData()]
        self._key_field.describe(
            self.tr("API key"), key_location_text(self._source, preset.needs_key, self._context.key_file)
        )
        self._key.setPlaceholderText(self.tr("kept, not shown") if self._source is not None else "")
        show_when(self._forget_key_button, self._source in ("keyring", "file"))

    async def _save_key(self, choice: ModelChoice) -> None:
        """Save the typed key, if there is one. Raises OperationFailed, with `bad_key` for a text that is no key."""
        if (typed := self._key.text()).strip():
            _unwrap_as(await self._providers.save_key(choice, typed), "bad_key")
            self._discard_key()
            self._look_up_key()

    def _on_forget_key(self) -> None:
        self._run(self._remove_key(), "forget a key")

    async def _remove_key(self) -> None:
        removed = await self._providers.remove_key(await self._choose(None))
        # Also after a failure: the key may be gone from one of its places.
        self._look_up_key()
        unwrap(removed)

    # Requests

    def _on_test(self) -> None:
        self._run(self._list_models(), "list models")

    async def _list_models(self) -> None:
        self._mend_address()
        choice = await self._choose(None)
        await self._save_key(choice)
        self._show_message(self.tr("Asking {origin}…").format(origin=choice.origin), "muted")
        # A second test meanwhile would only repeat the request.
        self._test_button.setEnabled(False)
        try:
            checked, models = unwrap(await self._providers.check(choice))
        finally:
            self._test_button.setEnabled(True)
        typed = self._model_name()
        self._listed = {model.id: self._providers.as_listed(checked, model) for model in models}
        self._set_model_names(list(self._listed))
        said = [self.tr("It answers, and lists %n model(s).", "", len(models))]
        if checked.base_url != choice.base_url:
            self._address_field.show(checked.base_url)
            said.append(self.tr("Its API is at {address}.").format(address=checked.base_url))
        if typed is not None:
            name = listed_model(typed, list(self._listed))
            self._model.setCurrentText(name or typed)
            said.append(other_name_text(typed, name) if models else "")
        self._on_model_chosen()
        self._show_message(" ".join(said).strip(), "ok")

    def _on_add(self) -> None:
        self._run(self._save(), "save a model")

    async def _save(self) -> None:
        self._mend_address()
        choice = await self._choose(self._model_name())
        await self._save_key(choice)
        known = {name: box.number for name, box in self._boxes.items()} | {"price_cache_write": self._price_cache_write}
        details = {name: number for name, number in known.items() if number is not None}
        saved = await self._providers.add_model(choice, **details)
        self._show_message("")
        self.saved.emit(unwrap(saved))

    def _run(self, work: Coroutine[Any, Any, None], name: str) -> None:
        self._context.operations.run(work, name, failure=self._show_failure)

    def _show_failure(self, failed: Failed) -> None:
        self._show_message(model_refusal_text(failed))


def _unwrap_as(outcome: Outcome[T], code: str) -> T:
    """Return the data of an outcome. Raises OperationFailed, with this code instead of `bad_input`."""
    if isinstance(outcome, Failed) and outcome.code == "bad_input":
        raise OperationFailed(replace(outcome, code=code))
    return unwrap(outcome)
