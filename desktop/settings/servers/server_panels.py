"""Panels of an MCP server's row: consent, failure, sign-in and log."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.domain.mcp_server import ServerState, ServerStatus, Transport
from desktop.settings.servers.server_strings import (
    error_details,
    error_text,
    launch_summary,
    launch_warning,
    printable,
)
from desktop.theme import Icon, Theme
from desktop.widgets import SHOWN_CHARACTERS, Adaptive, Button, Paragraph, ValueSection, column_of, show_when

_DESCRIBED_CHARACTERS = 1000


class ServerConsentPanel(Adaptive, QWidget):
    """Shows what will run, as `describe` returns it, until the user allows it. `agreed` emits the fingerprint of what
    was shown.
    """

    agreed = Signal(str)

    def __init__(self, theme: Theme, describe: Callable[[], Mapping[str, Any]], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._describe = describe
        self._status: ServerStatus | None = None
        self._about = Paragraph("", "label")
        self._launch = ValueSection(theme, self)
        self._warning = Paragraph("", "label", "warn")
        self._allow = Button(theme, kind="primary", icon=Icon.SHIELD)
        self._column = column_of(self, self._about, self._launch, self._warning)
        self._column.addWidget(self._allow, 0, Qt.AlignmentFlag.AlignLeft)
        self._allow.clicked.connect(self._agree)
        self.adapt_to(theme)

    def show_status(self, status: ServerStatus) -> None:
        self._status = status
        show_when(self, status.state is ServerState.UNCONFIRMED)
        self.retranslate()

    def retranslate(self) -> None:
        if self._status is None or self._status.state is not ServerState.UNCONFIRMED:
            return
        server, described = self._status.server, self._describe()
        runs, warning = launch_summary(described), launch_warning(described)
        self._warning.setText(warning)
        show_when(self._warning, bool(warning))
        if server.transport is Transport.STDIO:
            about = self.tr(
                "This program has not run yet, or was changed since. It runs with your rights and can do whatever you "
                "can: allow it if you know where it comes from."
            )
            self._allow.setText(self.tr("Allow it to run"))
        else:
            about = self.tr(
                "This address has not been used yet, or was changed since. What agents ask of it is sent there: allow "
                "it if you trust it."
            )
            self._allow.setText(self.tr("Allow the connection"))
        if len(runs) > SHOWN_CHARACTERS:
            about += " " + self.tr("It is too long to be shown whole: copy it to read the rest.")
        self._about.setText(about)
        self._allow.setAccessibleName(f"{self._allow.text()}: {server.name}")
        self._allow.setAccessibleDescription(runs[:_DESCRIBED_CHARACTERS])
        self._launch.describe(self.tr("What will run"))
        self._launch.show_text(runs)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)

    def _agree(self) -> None:
        if self._status is not None:
            self.agreed.emit(self._status.server.fingerprint)


class ServerFailurePanel(Adaptive, QWidget):
    """Shows why a server failed, the next step, and details to copy. Hidden without a failure."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status: ServerStatus | None = None
        self._cause = Paragraph("", "label", "error")
        self._next_step = Paragraph("", "label")
        self._details = ValueSection(theme, self)
        self._column = column_of(self, self._cause, self._next_step, self._details)
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._cause.text()

    def show_status(self, status: ServerStatus) -> None:
        self._status = status
        show_when(self, status.error is not None and status.state is ServerState.FAILED)
        self.retranslate()

    def retranslate(self) -> None:
        self._details.describe(self.tr("Details"))
        if self._status is None or (error := self._status.error) is None:
            return
        what, then = error_text(error, self._status.server)
        self._cause.setText(what)
        self._next_step.setText(then)
        self._details.show_text(error_details(error))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)


class ServerSignInPanel(Adaptive, QWidget):
    """Shows that a server asks who the user is, and offers to sign in and out. Hidden for a server without sign-in."""

    requested = Signal()
    cancelled = Signal()
    left = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._status: ServerStatus | None = None
        self._is_waiting = False
        self._about = Paragraph("", "label")
        self._sign_in = Button(theme, kind="primary", icon=Icon.SHIELD, is_small=True)
        self._cancel = Button(theme, is_small=True)
        self._sign_out = Button(theme, kind="link", is_small=True)
        self._column, self._row = column_of(self, self._about), QHBoxLayout()
        for button in (self._sign_in, self._cancel, self._sign_out):
            self._row.addWidget(button)
        self._row.addStretch(1)
        self._column.addLayout(self._row)
        self._sign_in.clicked.connect(self.requested)
        self._cancel.clicked.connect(self.cancelled)
        self._sign_out.clicked.connect(self.left)
        self.adapt_to(theme)
        show_when(self, False)

    def show_status(self, status: ServerStatus) -> None:
        self._status = status
        self.retranslate()

    def show_waiting(self, is_waiting: bool) -> None:
        """Show whether the browser is awaited."""
        self._is_waiting = is_waiting
        self.retranslate()

    def retranslate(self) -> None:
        if self._status is None:
            return
        name, is_asked = self._status.server.name, self._status.state is ServerState.SIGNED_OUT
        is_in = self._status.is_signed_in and not is_asked
        had_focus = self._sign_in.hasFocus() or self._cancel.hasFocus()
        text = self.tr("It asks who you are. You sign in at its own page, in the browser.") if is_asked else ""
        if self._is_waiting:
            text = self.tr("Sign in on the page that has opened in the browser…")
        self._about.setText(text)
        for button, label, described in (
            (self._sign_in, self.tr("Sign in"), self.tr("Sign in to {name}")),
            (self._cancel, self.tr("Cancel"), self.tr("Cancel the sign-in to {name}")),
            (self._sign_out, self.tr("Sign out"), self.tr("Sign out of {name}")),
        ):
            button.setText(label)
            button.setAccessibleName(described.format(name=name))
        show_when(self._about, bool(text))
        show_when(self._sign_in, is_asked and not self._is_waiting)
        show_when(self._cancel, self._is_waiting)
        show_when(self._sign_out, is_in and not self._is_waiting)
        show_when(self, is_asked or is_in or self._is_waiting)
        if had_focus and (is_asked or self._is_waiting):
            (self._cancel if self._is_waiting else self._sign_in).setFocus(Qt.FocusReason.OtherFocusReason)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)
        self._row.setSpacing(self._theme.sizes.space_s)


class ServerLogPanel(Adaptive, QWidget):
    """Shows the last lines that `read` returns, scrolled to the end. New lines wait while text is selected."""

    def __init__(self, theme: Theme, read: Callable[[], Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._read = read
        self._empty = Paragraph("", "label", "muted")
        self._lines = ValueSection(theme, self)
        column_of(self, self._empty, self._lines)
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._lines.value.text

    def refresh(self) -> None:
        """Show the current lines."""
        value = self._lines.value
        # New text would discard the selection that the user is about to copy.
        if value.textCursor().hasSelection():
            return
        bar = value.verticalScrollBar()
        is_at_end = bar.value() == bar.maximum()
        text = "\n".join(map(printable, self._read()))
        if len(text) >= SHOWN_CHARACTERS:
            text = "…\n" + text[2 - SHOWN_CHARACTERS :].partition("\n")[2]
        show_when(self._empty, not text)
        if text != value.text:
            self._lines.show_text(text)
            # A log that the user has scrolled back stays where it is.
            if is_at_end:
                bar.setValue(bar.maximum())
        show_when(self._lines, bool(text))

    def retranslate(self) -> None:
        self._lines.describe(self.tr("Log"))
        self._empty.setText(self.tr("Nothing yet: what it says on its standard error is written down here."))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
