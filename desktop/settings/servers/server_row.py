"""An MCP server in the settings list: state, actions and panels."""

from functools import partial
from time import monotonic

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from core.domain.ids import ServerId
from core.domain.mcp_server import ServerState, ServerStatus
from desktop.settings.parts.banners import ConfirmationBanner
from desktop.settings.parts.item_row import ListRow
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.servers.server_panels import (
    ServerConsentPanel,
    ServerFailurePanel,
    ServerLogPanel,
    ServerSignInPanel,
)
from desktop.settings.servers.server_strings import location_text, state_badge
from desktop.settings.servers.server_tools import ServerToolsPanel
from desktop.settings.servers.server_variables import ServerVariablesPanel
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.translation import duration
from desktop.widgets import Adaptive, Button, IconButton, IconLabel, Label, Paragraph, announce, show_when
from desktop.widgets.forms.tab_order import tab_stops

_SHOWN_FROM_S = 1.0


class ServerRow(Adaptive, ListRow):
    """Updates in place, so that focus, selection and open panels stay."""

    test_requested = Signal()
    test_cancelled = Signal()
    switch_requested = Signal(bool)
    edit_requested = Signal()
    remove_requested = Signal()
    agreed = Signal(str)
    filled = Signal(dict)

    def __init__(self, context: SettingsContext, status: ServerStatus, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme = context.theme
        self.status = status
        self.server_id: ServerId = status.server.id
        self._tested_at: float | None = None
        self._title = Paragraph("", "strong", most_lines=2)
        self._icon = IconLabel(theme, Icon.CIRCLE)
        self._state_label = Label("", "secondary", "muted")
        self._location = Paragraph("", "code_small", "muted", 3)
        self._note = Paragraph("", "secondary", "muted", 3)
        self._test = Button(theme, is_small=True)
        self._tools_fold, self._log_fold = (Button(theme, kind="link", is_small=True) for _ in range(2))
        self._enabled = QCheckBox()
        self._edit, self._remove = IconButton(theme, Icon.PENCIL), IconButton(theme, Icon.TRASH_2)
        self._column, self._head = QVBoxLayout(self), QHBoxLayout()
        self._actions, self._editing = QWidget(), QWidget()
        self._row = ResponsiveRow(theme, [self._actions, self._editing])
        self._facts, self._panels = QVBoxLayout(), QVBoxLayout()
        self._consent = ServerConsentPanel(theme, partial(context.servers.describe, self.server_id), self)
        self._failure = ServerFailurePanel(theme, self)
        self._variables = ServerVariablesPanel(theme, self)
        self.sign_in = ServerSignInPanel(theme, self)
        self._pending = context.pending
        self.confirmation = ConfirmationBanner(theme, self)
        self._tools = ServerToolsPanel(context, self)
        self._log = ServerLogPanel(theme, partial(context.servers.log, self.server_id), self)
        self._lay_out()
        self._connect()
        self.adapt_to(theme)

    @property
    def name(self) -> str:
        return self.status.server.name

    @property
    def state_text(self) -> str:
        return self._state_label.text()

    @property
    def failure(self) -> str:
        """The cause of the failure; empty without a failure."""
        return self._failure.text if self._failure.isVisibleTo(self) else ""

    @property
    def is_testing(self) -> bool:
        return self._tested_at is not None

    def show_status(self, status: ServerStatus) -> None:
        """Show a new status; a changed state is announced to screen readers."""
        previous = self._state_label.text()
        # The consent panel disappears once the server is allowed.
        had_focus = self._holds_focus(self._consent) or self._holds_focus(self._variables)
        self.status = status
        if not status.server.is_enabled:
            self.confirmation.dismiss()  # somebody else has switched it off
        self._show()
        # The first state is no news.
        if previous and previous != self._state_label.text():
            announce(self, f"{self.name}: {self._state_label.text()}")
        if had_focus and self._consent.isHidden() and self._variables.isHidden():
            self.take_focus()

    def begin_test(self) -> None:
        self._tested_at = monotonic()
        self._show()

    def end_test(self) -> None:
        self._tested_at = None
        self._show()

    def tick(self) -> None:
        """Update the texts that change with time."""
        self._update_note()
        if self._log.isVisible():
            self._log.refresh()

    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops in visual order."""
        editing_row = (self._enabled, self._edit, self._remove)
        parts = (
            self._failure,
            self._variables,
            self.sign_in,
            self._test,
            self._tools_fold,
            self._log_fold,
            *editing_row,
            self.confirmation,
        )
        panels = (self._consent, self._tools, self._log)
        return [stop for part in (*parts, *panels) for stop in tab_stops(part)]

    def take_focus(self) -> None:
        """Focus the first enabled button, never the switch: a key that is still pressed would switch the server off."""
        button = self._test if self._test.isEnabled() else self._edit
        button.setFocus(Qt.FocusReason.OtherFocusReason)

    def search_text(self) -> str:
        return f"{self.name} {self._location.text()}"

    def retranslate(self) -> None:
        self._enabled.setText(self.tr("On"))
        self._show()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_m, sizes.space_m)
        self._column.setSpacing(sizes.space_s)
        self._facts.setSpacing(sizes.space_xs)
        self._panels.setSpacing(sizes.space_s)
        self._head.setSpacing(sizes.space_s)

    def _lay_out(self) -> None:
        self._head.addWidget(self._title, 1)
        self._head.addWidget(self._icon)
        self._head.addWidget(self._state_label)
        actions_row, editing_row = (QHBoxLayout(part) for part in (self._actions, self._editing))
        for row in (actions_row, editing_row):
            row.setContentsMargins(0, 0, 0, 0)
        for button in (self._test, self._tools_fold, self._log_fold):
            actions_row.addWidget(button)
        actions_row.addStretch(1)
        editing_row.addStretch(1)
        editing_row.addWidget(self._enabled)
        editing_row.addWidget(self._edit)
        editing_row.addWidget(self._remove)
        self._facts.addLayout(self._head)
        self._facts.addWidget(self._location)
        self._facts.addWidget(self._note)
        self._column.addLayout(self._facts)
        self._column.addWidget(self._failure)
        self._column.addWidget(self._variables)
        self._column.addWidget(self.sign_in)
        self._column.addWidget(self._row)
        self._column.addWidget(self.confirmation)
        self._column.addLayout(self._panels)
        for panel in (self._consent, self._tools, self._log):
            self._panels.addWidget(panel)
        self._tools.hide()
        self._log.hide()

    def _connect(self) -> None:
        self._test.clicked.connect(self._on_test)
        self._enabled.clicked.connect(self._on_switch)
        self._edit.clicked.connect(self.edit_requested)
        self._remove.clicked.connect(self.remove_requested)
        self._consent.agreed.connect(self.agreed)
        self._variables.filled.connect(self.filled)
        self._tools_fold.clicked.connect(self._fold_tools)
        self._log_fold.clicked.connect(self._fold_log)

    def _show(self) -> None:
        status, name = self.status, self.name
        badge = state_badge(status)
        self._title.setText(name)
        self._icon.set_icon(badge.icon, badge.color)
        self._state_label.setText(badge.label)
        self._state_label.set_tone(badge.tone)
        self._location.setText(location_text(status.server))
        self._update_note()
        self._failure.show_status(status)
        self._variables.show_status(status)
        self.sign_in.show_status(status)
        self._consent.show_status(status)
        self._tools.show_status(status)
        self._enabled.setChecked(status.server.is_enabled)
        self._enabled.setAccessibleName(self.tr("{name} is on").format(name=name))
        can_test = status.server.is_enabled and status.server.is_confirmed
        # A disabled button loses the focus to an arbitrary neighbour.
        if self._test.hasFocus() and not (can_test or self.is_testing):
            self._edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self._test.setEnabled(can_test or self.is_testing)
        self._test.setText(self.tr("Cancel") if self.is_testing else self.tr("Test"))
        text = self.tr("Cancel the test of {name}") if self.is_testing else self.tr("Test {name}")
        self._test.setAccessibleName(text.format(name=name))
        self._edit.describe(self.tr("Edit {name}").format(name=name))
        self._remove.describe(self.tr("Remove {name}").format(name=name))
        self.setAccessibleName(f"{name}: {badge.label}")
        self._update_folds()

    def _update_note(self) -> None:
        text = self._facts_text()
        if self._tested_at is not None:
            text = self.tr("Connecting…")
            if (passed := monotonic() - self._tested_at) >= _SHOWN_FROM_S:
                text = self.tr("Connecting, for {time}…").format(time=duration(passed))
        self._note.setText(text)
        show_when(self._note, bool(text))

    def _facts_text(self) -> str:
        """Return the number of tools and the latency of calls."""
        status = self.status
        parts = []
        if status.tools:
            parts.append(self.tr("%n tool(s)", "", len(status.tools)))
        elif status.state is ServerState.RUNNING:
            parts.append(self.tr("no tools"))
        if status.left_out:
            parts.append(self.tr("%n left out", "", len(status.left_out)))
        if status.p50_ms is not None and status.p95_ms is not None:
            parts.append(self.tr("%n call(s)", "", status.calls))
            p50, p95 = duration(status.p50_ms / 1000), duration(status.p95_ms / 1000)
            parts.append(self.tr("half of them within {p50}, 95% within {p95}").format(p50=p50, p95=p95))
        if status.paused_s is not None:
            again = duration(max(1, status.paused_s))
            parts.append(self.tr("tried again in {time}, or when you test it").format(time=again))
        return " · ".join(parts)

    def _update_folds(self) -> None:
        is_tools, is_log = not self._tools.isHidden(), not self._log.isHidden()
        self._tools_fold.setText(self.tr("Hide tools") if is_tools else self.tr("Tools"))
        self._log_fold.setText(self.tr("Hide log") if is_log else self.tr("Log"))
        for button, is_open, closed, opened in (
            (self._tools_fold, is_tools, self.tr("Show the tools of {name}"), self.tr("Hide the tools of {name}")),
            (self._log_fold, is_log, self.tr("Show the log of {name}"), self.tr("Hide the log of {name}")),
        ):
            button.setAccessibleName((opened if is_open else closed).format(name=self.name))
        is_known = self.status.state not in (ServerState.DISABLED, ServerState.UNCONFIRMED) or bool(self.status.tools)
        if not is_known and self._tools_fold.hasFocus():
            self._log_fold.setFocus(Qt.FocusReason.OtherFocusReason)
        self._tools_fold.setEnabled(is_known or is_tools)

    def consequences(self) -> str:
        """Return what happens to pending requests without this server; empty if no request needs it."""
        return self._pending.without_server(self.server_id, self.name)

    def _on_switch(self, is_on: bool) -> None:
        """Switch the server; ask first if pending requests need it."""
        text = "" if is_on else self.consequences()
        if not text:
            self.confirmation.dismiss()
            self.switch_requested.emit(is_on)
            return
        self._enabled.setChecked(True)  # it is on as long as nothing was decided
        self.confirmation.ask(
            text,
            self.tr("Leave it on"),
            self.tr("Switch it off"),
            partial(self.switch_requested.emit, False),
            self._show,
            self._enabled,
        )

    def _on_test(self) -> None:
        if self.is_testing:
            self.test_cancelled.emit()
        else:
            self.test_requested.emit()

    def _fold_tools(self) -> None:
        self._tools.setVisible(self._tools.isHidden())
        self._log.hide()
        self._update_folds()

    def _fold_log(self) -> None:
        self._log.setVisible(self._log.isHidden())
        self._tools.hide()
        self._update_folds()

    def _holds_focus(self, part: QWidget) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and part.isAncestorOf(focused)
