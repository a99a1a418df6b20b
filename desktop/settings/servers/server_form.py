"""The form of an MCP server: a program to start, or an address."""

import json
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit

from core.domain.grants import folders_in
from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, ServerStatus, Transport
from core.domain.names import NAME_CHARACTERS
from core.services.outcome import Failed, Outcome
from desktop.settings.parts.editors import OptionalNumberBox
from desktop.settings.parts.form import EditForm
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.servers.name_values import NameValueEditor
from desktop.settings.servers.server_strings import printable, server_refusal_text
from desktop.settings.sources.context import SettingsContext
from desktop.widgets import MultiLineEdit, Segmented, announce, show_when
from desktop.widgets.forms.form import FormField
from desktop.widgets.forms.tab_order import chain_tab_stops, tab_stops

TEXT_CHARACTERS = 20_000
MOST_START_S = 600
MOST_CALL_S = 3600


class ServerForm(EditForm):
    """Emits `saved` with the status of the server that was created or changed. Typed secrets are never displayed, and
    are discarded once they are saved or the form is left.
    """

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._server_id: ServerId | None = None
        self._name, self._command, self._folder, self._url = (QLineEdit() for _ in range(4))
        self._only, self._without = QLineEdit(), QLineEdit()
        self._name.setMaxLength(NAME_CHARACTERS)
        for line in (self._command, self._folder, self._url, self._only, self._without):
            line.setMaxLength(TEXT_CHARACTERS)
        self._kind = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus)
        self._arguments = MultiLineEdit()
        self._arguments.setTabChangesFocus(True)
        self._env, self._headers = NameValueEditor(theme), NameValueEditor(theme)
        self._start, self._call = OptionalNumberBox(1, MOST_START_S, 1, 0), OptionalNumberBox(1, MOST_CALL_S, 1, 0)
        self._begins = QCheckBox()
        self._general = [FormField.around(theme, control) for control in (self._name, self._kind)]
        programs = (self._command, self._arguments, self._env, self._folder)
        self._program = [FormField.around(theme, control) for control in programs]
        self._address = [FormField.around(theme, control) for control in (self._url, self._headers)]
        self._numbers = [FormField.around(theme, control) for control in (self._start, self._call)]
        self._tools = [FormField.around(theme, control) for control in (self._only, self._without)]
        fields = [*self._general, *self._program, *self._address]
        rows = [ResponsiveRow(theme, part) for part in (self._numbers, self._tools)]
        self._place([*fields, *rows, self._begins], [*fields, *self._numbers, *self._tools])
        self._kind.chosen.connect(self._show_kind)
        for line in (self._name, self._command, self._folder, self._url, self._only, self._without):
            line.returnPressed.connect(self._on_save)
        self.adapt_to(theme)
        # The buttons of the choice are created with their labels, after the other fields.
        chain_tab_stops([self._name, *tab_stops(self._kind), self._command])
        self.show_server(None)

    def _offered_folder(self) -> str | None:
        """Return the folder in which the user works, as a new server's own."""
        return next(iter(folders_in(self._context.current.last_folders)), None)

    def show_server(self, server: McpServer | None) -> None:
        """Show a server to edit; None for a new server."""
        self._server_id = server.id if server is not None else None
        self._name.setText(server.name if server is not None else "")
        self._command.setText((server.command or "") if server is not None else "")
        self._arguments.set_text(format_arguments(server.args) if server is not None else "")
        self._folder.setText((server.cwd if server is not None else self._offered_folder()) or "")
        self._url.setText((server.url or "") if server is not None else "")
        secrets = set(server.secrets) if server is not None else set()
        for part, box in (("env", self._env), ("headers", self._headers)):
            values = getattr(server, part) if server is not None else {}
            box.show_values(values, {name for name in values if f"{part}/{name}" in secrets})
        self._start.set_number(server.start_timeout_s if server is not None else None)
        self._call.set_number(server.timeout_s if server is not None else None)
        self._only.setText(", ".join((server.only_tools or ()) if server is not None else ()))
        self._without.setText(", ".join(server.without_tools if server is not None else ()))
        self._begins.setChecked(server is not None and server.starts_with_app)
        self._kind.set_current(server.transport if server is not None else Transport.STDIO)
        self._show_kind()
        self._begin()

    def heading(self) -> str:
        return self.tr("New server") if self._server_id is None else self.tr("Edit server")

    def failure_text(self, failed: Failed) -> str:
        return server_refusal_text(failed)

    def retranslate(self) -> None:
        super().retranslate()
        name, kind = self._general
        name.describe(self.tr("Name"))
        kind.describe(self.tr("How it is reached"))
        self._kind.set_segments([(Transport.STDIO, self.tr("A program")), (Transport.HTTP, self.tr("An address"))])
        command, arguments, env, folder = self._program
        command.describe(self.tr("Command"), self.tr("The program alone, such as npx, uvx or docker."))
        arguments.describe(
            self.tr("Arguments"), self.tr("One a line; one that is empty or has a line break, in double quotes.")
        )
        env.describe(self.tr("Environment"), self.tr("Values go to the keyring, if this system has one."))
        folder.describe(self.tr("Working folder"), self.tr("May stay empty."))
        url, headers = self._address
        url.describe(self.tr("Address"), self.tr("As its documentation says: it often ends with /mcp."))
        headers.describe(self.tr("Headers"), self.tr("Values go to the keyring, if this system has one."))
        self._env.set_labels(self.tr("Variable"), self.tr("Add a variable"))
        self._headers.set_labels(self.tr("Header"), self.tr("Add a header"))
        start, call = self._numbers
        start.describe(self.tr("Start limit"), self.tr("In seconds, until it has told its tools."))
        call.describe(self.tr("Call limit"), self.tr("In seconds, for one call of a tool."))
        for number in (self._start, self._call):
            number.localize("")
            number.set_empty_text(self.tr("as usual"))
        only, without = self._tools
        only.describe(self.tr("Only these tools"), self.tr("Names, with commas between; * is any. Empty: all."))
        without.describe(self.tr("Without these tools"), self.tr("In the same way. They are not offered."))
        self._begins.setText(self.tr("Start it with the app"))
        self._begins.setAccessibleName(self._begins.text())
        self._save.setText(self.tr("Save server"))

    def apply_theme(self) -> None:
        super().apply_theme()
        self._arguments.setFixedHeight(2 * self._theme.sizes.row)
        self._arguments.setFont(self._theme.font("code"))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._env.discard_secrets()
        self._headers.discard_secrets()

    def _show_kind(self) -> None:
        is_program = self._kind.current == Transport.STDIO
        for field in self._program:
            show_when(field, is_program)
        for field in self._address:
            show_when(field, not is_program)

    def _values(self) -> dict[str, Any]:
        common: dict[str, Any] = {
            "name": self._name.text(),
            "start_timeout_s": self._start.number,
            "timeout_s": self._call.number or McpServer.model_fields["timeout_s"].default,
            "starts_with_app": self._begins.isChecked(),
            "only_tools": _names(self._only.text()) or None,
            "without_tools": _names(self._without.text()),
        }
        if self._kind.current == Transport.STDIO:
            args = parse_arguments(self._arguments.text())
            folder = self._folder.text().strip() or None
            program = {"command": self._command.text().strip(), "args": args, "env": self._env.values(), "cwd": folder}
            return {**common, **program, "url": None, "headers": {}}
        no_program: dict[str, Any] = {"command": None, "args": (), "env": {}, "cwd": None}
        return {**common, **no_program, "url": self._url.text().strip(), "headers": self._headers.values()}

    def submit(self) -> Awaitable[Outcome[ServerStatus]] | None:
        is_program = self._kind.current == Transport.STDIO
        part, box = ("env", self._env) if is_program else ("headers", self._headers)
        if (name := box.duplicate_name()) is not None:
            self._show_error(part, self.tr("“{name}” stands here twice.").format(name=name))
            return None
        secrets = {f"{part}/{name}" for name in box.new_secret_names()}
        return self._context.servers.save(self._server_id, more_secret=secrets, **self._values())

    def _show_failure(self, failed: Failed) -> None:
        part = str(failed.details.get("field", "")).partition("/")[0]
        if part == "server":  # the core does not say which of its fields is at fault
            part = "command" if self._kind.current == Transport.STDIO else "url"
            failed = replace(failed, details={**failed.details, "field": part})
        self._show_error(part, self.failure_text(failed))

    def _show_error(self, part: str, text: str) -> None:
        """Show an error at the field for this part of a server, else at the end."""
        names = ("name", "", "command", "args", "env", "cwd", "url", "headers")
        field = dict(zip(names, self._fields, strict=False)).get(part)
        self.clear_errors()
        self._show_message("" if field is not None else text)
        if field is not None:
            field.show_error(text)
            announce(self, text, is_urgent=True)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for part in text.split(",") if (name := part.strip()))


def format_arguments(arguments: Sequence[str]) -> str:
    """Return the arguments as text, one per line."""
    return "\n".join(_format_argument(argument) for argument in arguments)


def parse_arguments(text: str) -> tuple[str, ...]:
    """Parse arguments; skip empty lines and strip the spaces around an argument."""
    return tuple(_parse_argument(line.strip()) for line in text.split("\n") if line.strip())


def _format_argument(argument: str) -> str:
    # An argument with a line break would read as two.
    is_shown = argument == printable(argument)
    is_plain = bool(argument) and is_shown and argument == argument.strip() and not argument.startswith('"')
    return argument if is_plain else json.dumps(argument, ensure_ascii=not is_shown)


def _parse_argument(line: str) -> str:
    if line.startswith('"') and line.endswith('"') and len(line) > 1:
        try:
            argument = json.loads(line)
        except ValueError:
            return line
        if isinstance(argument, str):
            return argument
    return line
