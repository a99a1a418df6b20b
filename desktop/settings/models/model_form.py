"""The form that connects a model: provider, address, key, and which model of those that are listed."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget
from shiboken6 import isValid

from core.domain.model import ModelChoice
from core.services.outcome import Failed, Ok
from desktop.settings.models.model_strings import key_location_text, model_refusal_text
from desktop.settings.parts.editors import OptionalNumberBox
from desktop.settings.parts.form import FormRow
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.sources.context import SettingsContext
from desktop.theme.theme import Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.combo_box import ComboBox, bound
from desktop.widgets.labels import Label, Tone
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when

ADDRESS_CHARACTERS = 2000
KEY_CHARACTERS = 10_000
MODEL_CHARACTERS = 256
MOST_TOKENS = 1_000_000_000
MOST_PRICE = 100_000


class ModelForm(Adaptive, Card):
    """`kept` tells of the model that was added or changed. What is typed as a key is never shown, and forgotten here
    as soon as it is kept or the form is left."""

    kept = Signal(object)

    def __init__(self, theme: Theme, minds: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._minds = minds
        self._asked = 0
        self._source: str | None = None
        self._listed: dict[str, ModelChoice] = {}
        self._title = Label("", "title")
        self._provider = ComboBox()
        for preset in minds.providers.presets.values():
            self._provider.addItem(preset.title, preset.id)
        self._address, self._key = QLineEdit(), QLineEdit()
        self._address.setMaxLength(ADDRESS_CHARACTERS)
        self._key.setMaxLength(KEY_CHARACTERS)
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self._model = ComboBox()
        self._model.setEditable(True)
        self._model.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        for box in (self._provider, self._model):
            bound(box)
        self._context = OptionalNumberBox(256, MOST_TOKENS, 1024, 0)
        self._price_in, self._price_out = (OptionalNumberBox(0, MOST_PRICE, 0.01, 4) for _ in range(2))
        self._test, self._add = Button(theme), Button(theme, kind="primary")
        self._forget_key = Button(theme, kind="link", is_small=True)
        self._result = Paragraph("", "label", "muted")
        controls = (self._provider, self._address, self._key, self._model)
        self._rows = [FormRow(theme, control) for control in controls]
        self._numbers = [FormRow(theme, one) for one in (self._context, self._price_in, self._price_out)]
        self._beside = ResponsiveRow(theme, self._numbers)
        self._lay_out()
        self._connect()
        self.adapt_to(theme)
        self._take_preset()

    def fill(self, provider: str, base_url: str, listed: list[str]) -> None:
        """Take a server that was found."""
        self._provider.setCurrentIndex(self._provider.findData(provider))
        self._address.setText(base_url)
        self._offer(listed)
        self.say("")
        self._ask_key()
        self._model.setFocus(Qt.FocusReason.OtherFocusReason)

    def edit(self, model: ModelChoice) -> None:
        """Take a model that is there, to be changed."""
        self._provider.setCurrentIndex(max(0, self._provider.findData(model.provider)))
        self._address.setText(model.base_url)
        self._offer([model.model] if model.model else [])
        self._show_numbers(model)
        self.say("")
        self._ask_key()
        self._model.setFocus(Qt.FocusReason.OtherFocusReason)

    def say(self, words: str, tone: Tone = "muted") -> None:
        self._result.setText(words)
        self._result.set_tone(tone)
        show_when(self._result, bool(words))
        if words:
            announce(self, words)

    def searched(self) -> str:
        names = [self._provider.itemText(row) for row in range(self._provider.count())]
        return " ".join([self._title.text(), self._rows[2].accessibleName(), self._test.text(), *names])

    def retranslate(self) -> None:
        provider, address, key, model = self._rows
        self._title.setText(self.tr("Connect a model"))
        provider.describe(self.tr("Provider"))
        self._provider.setItemText(self._provider.findData("custom"), self.tr("Another server"))
        address.describe(self.tr("Address"), self.tr("Of the API, as its documentation says: it often ends with /v1."))
        model.describe(self.tr("Model"), self.tr("List them, or type a name. Empty: the only one that the server has."))
        if (typed := self._model.lineEdit()) is not None:
            typed.setAccessibleName(self.tr("Model"))
        key.describe(self.tr("API key"))
        self._show_key()
        context, price_in, price_out = self._numbers
        context.describe(self.tr("Context window"), self.tr("In tokens."))
        price_in.describe(self.tr("Price in"), self.tr("Dollars for a million tokens."))
        price_out.describe(self.tr("Price out"), self.tr("Dollars for a million tokens."))
        for number in (self._context, self._price_in, self._price_out):
            number.say_in_language("")
            number.say_open(self.tr("unknown"))
        self._forget_key.setText(self.tr("Forget the key"))
        self._test.setText(self.tr("Test and list models"))
        self._add.setText(self.tr("Add model"))
        self.say("")

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_l)
        self._column.setSpacing(sizes.space_m)
        self._key_row.setSpacing(sizes.space_m)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._drop_key()

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._key_row = QHBoxLayout()
        self._column.addWidget(self._title)
        for row in self._rows[:2]:
            self._column.addWidget(row)
        self._key_row.addWidget(self._rows[2], 1)
        self._key_row.addWidget(self._forget_key, 0, Qt.AlignmentFlag.AlignVCenter)
        self._column.addLayout(self._key_row)
        self._column.addWidget(self._test, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self._result)
        self._column.addWidget(self._rows[3])
        self._column.addWidget(self._beside)
        self._column.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        show_when(self._forget_key, False)

    def _connect(self) -> None:
        self._provider.activated.connect(self._take_preset)
        self._address.editingFinished.connect(self._ask_key)
        self._test.clicked.connect(self._on_test)
        self._add.clicked.connect(self._on_add)
        self._forget_key.clicked.connect(self._on_forget)
        self._key.returnPressed.connect(self._on_test)
        self._model.activated.connect(self._on_listed)

    # Reading

    def _take_preset(self) -> None:
        """Another provider: its address, and none of its models yet."""
        preset = self._minds.providers.presets[self._provider.currentData()]
        self._address.setText(preset.base_url)
        self._drop_key()
        self._offer([])
        self._show_numbers(None)
        self.say("")
        self._ask_key()

    async def _choice(self, model: str | None) -> Ok[ModelChoice] | Failed:
        """What the fields name; `model` None: whichever."""
        provider = str(self._provider.currentData())
        preset = self._minds.providers.presets[provider]
        address = self._address.text().strip().rstrip("/")
        is_usual = address == preset.base_url
        answer = await self._minds.providers.choose(
            provider=provider, base_url=None if is_usual else address, model=model or "any"
        )
        if model is None and isinstance(answer, Ok):
            return Ok(answer.data.model_copy(update={"model": None}))
        return answer

    def _model_name(self) -> str | None:
        return self._model.currentText().strip()[:MODEL_CHARACTERS] or None

    def _offer(self, listed: list[str]) -> None:
        self._model.clear()
        self._model.addItems(listed)

    def _show_numbers(self, model: ModelChoice | None) -> None:
        self._context.set_number(model.context_tokens if model is not None else None)
        self._price_in.set_number(model.price_in if model is not None else None)
        self._price_out.set_number(model.price_out if model is not None else None)

    def _on_listed(self) -> None:
        listed = self._listed.get(self._model.currentText())
        if listed is not None:
            self._show_numbers(listed)

    # The key

    def _drop_key(self) -> None:
        self._key.setText("")  # unlike clear(), it leaves nothing to be undone

    def _ask_key(self) -> None:
        self._asked += 1
        self._minds.spawn(self._find_key(self._asked), "look for a key")

    async def _find_key(self, number: int) -> None:
        if not isValid(self):  # the settings were taken down before this began
            return
        choice = await self._choice(None)
        source = await self._minds.providers.key_source(choice.data) if isinstance(choice, Ok) else None
        if number == self._asked and isValid(self):  # else another address was typed meanwhile
            self._source = str(source.data) if isinstance(source, Ok) and source.data is not None else None
            self._show_key()

    def _show_key(self) -> None:
        preset = self._minds.providers.presets[self._provider.currentData()]
        self._rows[2].describe(
            self.tr("API key"), key_location_text(self._source, preset.needs_key, self._minds.key_file)
        )
        self._key.setPlaceholderText(self.tr("kept, not shown") if self._source is not None else "")
        show_when(self._forget_key, self._source in ("keyring", "file"))

    async def _keep_key(self, choice: ModelChoice) -> bool:
        """Whether what was typed is kept now, or nothing was."""
        typed = self._key.text()
        if not typed.strip():
            return True
        kept = await self._minds.providers.save_key(choice, typed)
        if isinstance(kept, Failed):
            words = self.tr("This is no key: it has letters, digits and signs, and no spaces.")
            self.say(words if kept.code == "bad_input" else model_refusal_text(kept), "error")
            return False
        self._drop_key()
        self._ask_key()
        return True

    def _on_forget(self) -> None:
        self._minds.spawn(self._forget(), "forget a key")

    async def _forget(self) -> None:
        choice = await self._choice(None)
        if isinstance(choice, Ok):
            gone = await self._minds.providers.remove_key(choice.data)
            if isinstance(gone, Failed):
                self.say(model_refusal_text(gone), "error")
            self._ask_key()

    # Asking

    def _on_test(self) -> None:
        self._minds.spawn(self._list(), "list models")

    async def _list(self) -> None:
        choice = await self._choice(None)
        if isinstance(choice, Failed):
            self.say(self._bad_address(choice), "error")
            return
        if not await self._keep_key(choice.data):
            return
        self.say(self.tr("Asking {origin}…").format(origin=choice.data.origin))
        self._test.setEnabled(False)
        try:
            answer = await self._minds.providers.models(choice.data)
        finally:
            self._test.setEnabled(True)
        if isinstance(answer, Failed):
            self.say(model_refusal_text(answer), "error")
            return
        wanted = self._model_name()
        self._listed = {one.id: self._minds.providers.as_listed(choice.data, one) for one in answer.data}
        self._offer(list(self._listed))
        if wanted is not None:
            self._model.setCurrentText(wanted)
        self._on_listed()
        self.say(self.tr("It answers, and lists %n model(s).", "", len(answer.data)), "ok")

    def _on_add(self) -> None:
        self._minds.spawn(self._keep(), "keep a model")

    async def _keep(self) -> None:
        name = self._model_name()
        choice = await self._choice(name)
        if isinstance(choice, Failed):
            self.say(self._bad_address(choice), "error")
            return
        if not await self._keep_key(choice.data):
            return
        told = choice.data if name is not None else choice.data.model_copy(update={"model": None})
        context = self._context.number
        answer = await self._minds.providers.add_model(
            told,
            context_tokens=told.context_tokens if context is None else int(context),
            price_in=told.price_in if self._price_in.number is None else self._price_in.number,
            price_out=told.price_out if self._price_out.number is None else self._price_out.number,
        )
        if isinstance(answer, Failed):
            self.say(model_refusal_text(answer), "error")
            return
        self.say("")
        self.kept.emit(answer.data)

    def _bad_address(self, failed: Failed) -> str:
        if failed.code == "bad_input":
            return self.tr(
                "This is no address of a server. It looks like https://host/v1, without a name or a password."
            )
        return model_refusal_text(failed)
