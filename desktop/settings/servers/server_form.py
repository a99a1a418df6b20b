"""The form of an MCP server: a program that is started, or an address."""

import json
from collections.abc import Awaitable, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QWidget

from core.domain.ids import ServerId
from core.domain.mcp_server import NAME_CHARACTERS, McpServer, ServerStatus, Transport
from core.services.outcome import Failed, Outcome
from desktop.settings.parts.editors import OptionalNumberBox
from desktop.settings.parts.form import EditForm, FormRow
from desktop.settings.parts.layout import ResponsiveRow, chain_tab_stops, tab_stops
from desktop.settings.servers.name_values import NameValueEditor
from desktop.settings.servers.server_strings import server_refusal_text
from desktop.settings.sources.context import ServersContext
from desktop.theme.theme import Theme
from desktop.widgets.choices import Segmented
from desktop.widgets.visibility import show_when

TEXT_CHARACTERS = 20_000
MOST_START_S = 600
MOST_CALL_S = 3600


class ServerForm(EditForm):
    """`kept` tells how the server is that was made or changed. What is typed as a secret is never shown, and forgotten
    here as soon as it is kept or the form is left."""

    def __init__(self, theme: Theme, servers: ServersContext, parent: QWidget | None = None) -> None:
        super().__init__(theme, servers.spawn, parent)
        self._servers = servers
        self._server_id: ServerId | None = None
        self._name, self._command, self._folder, self._url = (QLineEdit() for _ in range(4))
        self._name.setMaxLength(NAME_CHARACTERS)
        for field in (self._command, self._folder, self._url):
            field.setMaxLength(TEXT_CHARACTERS)
        self._kind = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus)
        self._arguments = QPlainTextEdit()
        self._arguments.setTabChangesFocus(True)
        self._env, self._headers = NameValueEditor(theme), NameValueEditor(theme)
        self._start, self._call = OptionalNumberBox(1, MOST_START_S, 1, 0), OptionalNumberBox(1, MOST_CALL_S, 1, 0)
        self._begins = QCheckBox()
        self._head = [FormRow(theme, control) for control in (self._name, self._kind)]
        programs = (self._command, self._arguments, self._env, self._folder)
        self._program = [FormRow(theme, control) for control in programs]
        self._address = [FormRow(theme, control) for control in (self._url, self._headers)]
        self._numbers = [FormRow(theme, control) for control in (self._start, self._call)]
        fields = [*self._head, *self._program, *self._address]
        self._place([*fields, ResponsiveRow(theme, self._numbers), self._begins], [*fields, *self._numbers])
        self._kind.chosen.connect(self._show_kind)
        for field in (self._name, self._command, self._folder, self._url):
            field.returnPressed.connect(self._on_save)
        self.adapt_to(theme)
        chain_tab_stops(
            [self._name, *tab_stops(self._kind), self._command]
        )  # its buttons are made when they get their words
        self.show_server(None)

    def show_server(self, server: McpServer | None) -> None:
        """Show a server to be changed; None: a new one."""
        self._server_id = server.id if server is not None else None
        self._name.setText(server.name if server is not None else "")
        self._command.setText((server.command or "") if server is not None else "")
        self._arguments.setPlainText(format_arguments(server.args) if server is not None else "")
        self._folder.setText((server.cwd or "") if server is not None else "")
        self._url.setText((server.url or "") if server is not None else "")
        kept = set(server.secrets) if server is not None else set()
        for part, box in (("env", self._env), ("headers", self._headers)):
            values = getattr(server, part) if server is not None else {}
            box.show_values(values, {name for name in values if f"{part}/{name}" in kept})
        self._start.set_number(server.start_timeout_s if server is not None else None)
        self._call.set_number(server.timeout_s if server is not None else None)
        self._begins.setChecked(server is not None and server.starts_with_app)
        self._kind.set_current(server.transport if server is not None else Transport.STDIO)
        self._show_kind()
        self._say("")
        self._title.setText(self.heading())

    def heading(self) -> str:
        return self.tr("New server") if self._server_id is None else self.tr("Edit server")

    def refused(self, failed: Failed) -> str:
        return server_refusal_text(failed)

    def retranslate(self) -> None:
        super().retranslate()
        name, kind = self._head
        name.describe(self.tr("Name"))
        kind.describe(self.tr("How it is reached"))
        self._kind.set_segments([(Transport.STDIO, self.tr("A program")), (Transport.HTTP, self.tr("An address"))])
        command, arguments, env, folder = self._program
        command.describe(self.tr("Command"), self.tr("The program alone, such as npx, uvx or docker."))
        arguments.describe(
            self.tr("Arguments"), self.tr("One a line; one that is empty or has a line break, in double quotes.")
        )
        env.describe(self.tr("Environment"), self.tr("Secrets go to the keyring, if this system has one."))
        folder.describe(self.tr("Working folder"), self.tr("May stay empty."))
        url, headers = self._address
        url.describe(self.tr("Address"), self.tr("As its documentation says: it often ends with /mcp."))
        headers.describe(self.tr("Headers"), self.tr("Secrets go to the keyring, if this system has one."))
        self._env.say(self.tr("Variable"), self.tr("Add a variable"))
        self._headers.say(self.tr("Header"), self.tr("Add a header"))
        start, call = self._numbers
        start.describe(self.tr("Start limit"), self.tr("In seconds, until it has told its tools."))
        call.describe(self.tr("Call limit"), self.tr("In seconds, for one call of a tool."))
        for number in (self._start, self._call):
            number.say_in_language("")
            number.say_open(self.tr("as usual"))
        self._begins.setText(self.tr("Start it with the app"))
        self._begins.setAccessibleName(self._begins.text())
        self._save.setText(self.tr("Save server"))

    def apply_theme(self) -> None:
        super().apply_theme()
        self._arguments.setFixedHeight(2 * self._theme.sizes.row)
        self._arguments.setFont(self._theme.font("code"))

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._env.drop_secrets()
        self._headers.drop_secrets()

    def _show_kind(self) -> None:
        is_program = self._kind.current == Transport.STDIO
        for row in self._program:
            show_when(row, is_program)
        for row in self._address:
            show_when(row, not is_program)

    def _say(self, problem: str, row: FormRow | None = None) -> None:
        for one in self._rows:
            one.complain("")
        super()._say(problem, row)

    def _fields(self) -> dict[str, Any]:
        start = self._start.number
        fields: dict[str, Any] = {
            "name": self._name.text(),
            "start_timeout_s": start,
            "timeout_s": self._call.number or McpServer.model_fields["timeout_s"].default,
            "starts_with_app": self._begins.isChecked(),
        }
        if self._kind.current == Transport.STDIO:
            args = parse_arguments(self._arguments.toPlainText())
            folder = self._folder.text().strip() or None
            more = {"command": self._command.text().strip(), "args": args, "env": self._env.values(), "cwd": folder}
            return {**fields, **more, "url": None, "headers": {}}
        none: dict[str, Any] = {"command": None, "args": (), "env": {}, "cwd": None}
        return {**fields, **none, "url": self._url.text().strip(), "headers": self._headers.values()}

    def put(self) -> Awaitable[Outcome[ServerStatus]] | None:
        is_program = self._kind.current == Transport.STDIO
        part, box = ("env", self._env) if is_program else ("headers", self._headers)
        if (doubled := box.doubled()) is not None:
            row = self._program[2] if is_program else self._address[1]
            self._say(self.tr("“{name}” stands here twice.").format(name=doubled), row)
            return None
        secrets = {f"{part}/{name}" for name in box.new_secrets()}
        return self._servers.service.save(self._server_id, more_secret=secrets, **self._fields())

    def _refuse(self, failed: Failed) -> None:
        part = str(failed.details.get("field", "")).partition("/")[0]
        if part == "server":  # which of its fields, the core does not say
            part = "command" if self._kind.current == Transport.STDIO else "url"
            failed = Failed(failed.code, failed.message, details={**failed.details, "field": part})
        command, arguments, env, folder = self._program
        url, headers = self._address
        places = {"name": self._head[0], "command": command, "args": arguments, "env": env, "cwd": folder}
        row = {**places, "url": url, "headers": headers}.get(part)
        self._say(self.refused(failed), row)


def format_arguments(arguments: Sequence[str]) -> str:
    return "\n".join(_format_argument(one) for one in arguments)


def parse_arguments(text: str) -> tuple[str, ...]:
    """Empty lines are none; spaces around an argument do not belong to it."""
    return tuple(_parse_argument(line.strip()) for line in text.split("\n") if line.strip())


def _format_argument(argument: str) -> str:
    is_shown = argument.isprintable()
    is_plain = bool(argument) and is_shown and argument == argument.strip() and not argument.startswith('"')
    return argument if is_plain else json.dumps(argument, ensure_ascii=not is_shown)


def _parse_argument(line: str) -> str:
    if line.startswith('"') and line.endswith('"') and len(line) > 1:
        try:
            found = json.loads(line)
        except ValueError:
            return line
        if isinstance(found, str):
            return found
    return line
