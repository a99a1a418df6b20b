"""The footer of the card: error, scope of an approval, reason for a rejection, and buttons."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QBoxLayout,
    QButtonGroup,
    QGraphicsOpacityEffect,
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from core.domain.command_rules import OfferedRule
from core.domain.interruption import APPROVAL_SCOPES, PREFIX_SCOPE, Action
from core.domain.tool import COMMAND_TOOL, is_sampling
from desktop.attention.attention_strings import (
    access_coverage,
    access_scope_label,
    coverage_text,
    scope_label,
)
from desktop.attention.keys import CardKeys
from desktop.attention.request import Request
from desktop.shortcuts.key_strings import key_name
from desktop.theme import Theme
from desktop.translation import number
from desktop.widgets import (
    Adaptive,
    Button,
    Paragraph,
    Segmented,
    column_of,
    plain_tool_tip,
    row_of,
    set_plain_tool_tip,
    show_when,
    with_keys,
)
from desktop.widgets.forms.tab_order import chain_tab_stops, tab_stops

_LATER = "later"
_REASON_CHARACTERS = 1_000
_BLOCKED_OPACITY = 0.5


class CardFooter(Adaptive, QWidget):
    """Writes reason and scope into the request that it shows, and emits `reason_edited`.

    `action_chosen` is emitted with the action of a button, `postponed` for the Later button, and
    `all_approved` to approve all calls that wait.
    """

    action_chosen = Signal(str)
    postponed = Signal()
    all_approved = Signal()
    reason_edited = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._request: Request | None = None
        self._buttons: dict[Action, Button] = {}
        self._keys: CardKeys | None = None
        self._error = Paragraph("", "secondary", "error")
        self._error.setObjectName("refusal")
        self._scope = ApprovalScope(theme)
        self._scope.chosen.connect(self._on_scope)
        self._count = self._seen = 0
        self.all_button = Button(theme, "", "secondary", is_small=True)
        self.all_button.clicked.connect(self.all_approved)
        show_when(self.all_button, False)
        self._scopes = QHBoxLayout()
        self._scopes.addWidget(self._scope, 1)
        self._scopes.addWidget(self.all_button)
        self._reason = QLineEdit()
        self._reason.setMaxLength(_REASON_CHARACTERS)
        self._reason.textEdited.connect(self._on_reason)
        self._reason.returnPressed.connect(self._on_reason_given)
        self._later = Button(theme, "", "ghost")
        self._later.setObjectName(_LATER)
        self._later.clicked.connect(self.postponed)
        self._group = QButtonGroup(self)
        self._group.buttonClicked.connect(self._on_clicked)
        self._row = QHBoxLayout()
        self._row.addWidget(self._reason, 1)
        self._row.addStretch(0)
        self._row.addWidget(self._later)
        self._column = column_of(self, self._error)
        self._column.addLayout(self._scopes)
        self._column.addLayout(self._row)
        show_when(self._scope, False)
        self.show_error("")
        self.adapt_to(theme)

    def set_shortcuts(self, keys: CardKeys) -> None:
        """Set the keys that the buttons show."""
        self._keys = keys
        self.retranslate()

    def set_blocked(self, is_blocked: bool) -> None:
        """Dim the buttons while the focus guard blocks them."""
        effect = QGraphicsOpacityEffect(self) if is_blocked else None
        if effect is not None:
            effect.setOpacity(_BLOCKED_OPACITY)
        self.setGraphicsEffect(effect)  # type: ignore[arg-type]  # Qt takes None, which removes the effect

    @property
    def is_blocked(self) -> bool:
        return self.graphicsEffect() is not None

    def show_request(self, request: Request) -> None:
        """Show the buttons of a request, from left to right, the last as the primary button."""
        self._request = request
        for button in self._buttons.values():
            self._group.removeButton(button)
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = {}
        for action in request.buttons:
            is_primary = action is request.buttons[-1]
            button = Button(self._theme, "", "primary" if is_primary else "secondary", parent=self)
            button.setObjectName(action)
            self._buttons[action] = button
            self._group.addButton(button)
            self._row.addWidget(button)
            button.show()
        self._label_buttons(request)
        show_when(self._reason, request.takes_reason)
        # Without the reason field the stretch pushes the buttons to the right.
        self._row.setStretch(1, int(not request.takes_reason))
        # setText would move the cursor to the end.
        if request.takes_reason and request.reason != self._reason.text():
            self._reason.setText(request.reason)
        self.update_scope()
        self._fit_keys()

    def update_scope(self) -> None:
        """Offer the scopes of an approval; edited arguments can only be approved once."""
        request = self._request
        tool = request.question.asked.tool if request is not None and request.takes_scope else None
        show_when(self._scope, tool is not None)
        if request is not None and tool is not None:
            rule = OfferedRule.parse(request.question.asked.options)
            self._scope.set_tool(tool, request.scope, rule, request.access_scopes, is_edited=request.is_changed)

    def offer_all(self, count: int, seen: int) -> None:
        """Offer to approve this many calls at once, if there are several; the button works once all were seen."""
        if (count, seen) != (self._count, self._seen):
            self._count, self._seen = count, seen
            self._label_all()

    def button(self, action: Action | None) -> Button:
        """Return the button of an action; None is the Later button."""
        return self._later if action is None else self._buttons[action]

    @property
    def error(self) -> str:
        return self._error.text()

    def show_error(self, text: str) -> None:
        self._error.setText(text)
        show_when(self._error, bool(text))

    def retranslate(self) -> None:
        if self._request is not None:
            self._label_buttons(self._request)
        self._reason.setAccessibleName(self.tr("Reason for a rejection (optional)"))
        self._later.setText(self.tr("Later"))
        later = self._keys.later if self._keys is not None else None
        self._later.setToolTip(plain_tool_tip(with_keys(self.tr("Back to the message, it stays open"), later)))
        self._fit_keys()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setSpacing(sizes.space_s)
        self._row.setSpacing(sizes.space_s)
        self._fit_keys()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_keys()

    def minimumSizeHint(self) -> QSize:
        """Return the size without the keys on the buttons, which are there only where they have room."""
        hint = super().minimumSizeHint()
        return QSize(hint.width() - sum(button.keys_width for button in self._shown_buttons), hint.height())

    def _label_all(self) -> None:
        count, seen = number(self._count), number(self._seen)
        self.all_button.setText(self.tr("Approve all {count}").format(count=count))
        self.all_button.setEnabled(self._seen >= self._count)
        look = self.tr("Look at each call first: {seen} of {count} seen").format(seen=seen, count=count)
        once = self.tr("The calls of this run that wait, each once")
        set_plain_tool_tip(self.all_button, once if self._seen >= self._count else look)
        show_when(self.all_button, self._count > 1)

    def _label_buttons(self, request: Request) -> None:
        for action, button in self._buttons.items():
            button.setText(request.label_of(action))

    @property
    def _shown_buttons(self) -> list[Button]:
        return [self._later, *self._buttons.values()]

    def _fit_keys(self) -> None:
        """Show the keys on all buttons, or on none of them where the row is too narrow."""
        keys, request = self._keys, self._request
        # A button that is shown may lay out the footer before the next is there.
        if keys is None or request is None or len(self._buttons) < len(request.buttons):
            return
        by_button = {self._later: keys.later, self._buttons[request.submit_action]: keys.submit}
        if request.reject_action is not None:
            by_button[self._buttons[request.reject_action]] = keys.reject
        shown = self._shown_buttons
        wanted = sum(button.width_with(by_button.get(button)) for button in shown) + len(shown) * self._row.spacing()
        has_room = self._fit_hint(self.width() - wanted) if request.takes_reason else wanted <= self.width()
        for button in shown:
            key = by_button.get(button)
            button.set_keys(key if has_room else None)
            button.setAccessibleDescription(key_name(key) if key is not None else "")
            if button is not self._later:
                tip = with_keys(button.accessibleName(), key) if key is not None and not has_room else ""
                button.setToolTip(plain_tool_tip(tip))

    def _fit_hint(self, width: int) -> bool:
        """Shorten the hint of the reason if the keys need the room. Return False if that is not enough."""
        hints = self.tr("Reason for a rejection (optional)"), self.tr("Reason (optional)")
        measure, around = self._reason.fontMetrics().horizontalAdvance, 2 * self._theme.sizes.space_m
        fitting = next((hint for hint in hints if measure(hint) + around <= width), None)
        self._reason.setPlaceholderText(fitting or hints[-1])
        return fitting is not None

    def continue_tab_order(self, page: QWidget, header: QWidget) -> None:
        """Continue the tab order of the page above: scope, reason, buttons, and the buttons between requests.

        Only buttons and a line are moved: Qt breaks its focus chain where it moves a text box with its viewport.
        """
        # The list of a combo box is a window of its own.
        inside = [widget for widget in page.findChildren(QWidget) if widget.window() is page.window()]
        above = [widget for widget in inside if widget.focusPolicy() & Qt.FocusPolicy.TabFocus]
        scopes = self._scope.findChildren(QAbstractButton)
        chain_tab_stops([*above[-1:], *scopes, self.all_button, self._reason, *self._shown_buttons, *tab_stops(header)])

    def _on_clicked(self, button: QAbstractButton) -> None:
        self.action_chosen.emit(button.objectName())

    def _on_reason(self, reason: str) -> None:
        if self._request is not None:
            self._request.reason = reason
            self.reason_edited.emit()

    def _on_reason_given(self) -> None:
        self.action_chosen.emit(Action.REJECT)

    def _on_scope(self, scope: str) -> None:
        if self._request is not None:
            self._request.scope = scope


class ApprovalScope(Adaptive, QWidget):
    """Emits `chosen` with `once`, `run`, `always` or `prefix`. Edited arguments can only be approved once."""

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._tool = ""
        self._is_edited = False
        self._access_scopes: Sequence[str] = ()
        self._rule: OfferedRule | None = None
        self._scopes: Sequence[str] = APPROVAL_SCOPES
        self._choices = Segmented(theme, focus=Qt.FocusPolicy.StrongFocus, parent=self)
        self._choices.chosen.connect(self._choose)
        self._description = Paragraph("", "secondary", "muted")
        self._row: QBoxLayout = row_of(self, self._choices)
        self._row.addWidget(self._description, 1, Qt.AlignmentFlag.AlignVCenter)
        self.adapt_to(theme)

    def set_tool(
        self, tool: str, scope: str, rule: OfferedRule | None, access_scopes: Sequence[str] = (), *, is_edited: bool
    ) -> None:
        """Show the scopes for calls of this tool, of a command those of its `rule`, or `access_scopes` for what a call
        lacks; `is_edited` if the arguments were changed.
        """
        if (tool, rule, access_scopes) != (self._tool, self._rule, self._access_scopes):
            self._tool, self._rule, self._access_scopes = tool, rule, access_scopes
            self._scopes = access_scopes or _scopes(tool, rule)
            self._set_segments()
            # the words of a rule take the room beside it
            is_wide = PREFIX_SCOPE in self._scopes
            self._row.setDirection(QBoxLayout.Direction.TopToBottom if is_wide else QBoxLayout.Direction.LeftToRight)
            side = Qt.AlignmentFlag.AlignLeft if is_wide else Qt.AlignmentFlag.AlignVCenter
            self._row.setAlignment(self._choices, side)
        self._is_edited = is_edited
        self._choices.set_current(APPROVAL_SCOPES[0] if is_edited else scope)
        self._choices.setEnabled(not is_edited)
        self._update_description()

    @property
    def description(self) -> str:
        """The description of the selected scope."""
        return self._description.text()

    def retranslate(self) -> None:
        self._set_segments()
        self._choices.setAccessibleName(self.tr("Approve"))
        self._update_description()

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_m)

    def _set_segments(self) -> None:
        if self._access_scopes:
            self._choices.set_segments([(scope, access_scope_label(scope)) for scope in self._scopes])
        else:
            self._choices.set_segments([(scope, scope_label(scope, self._rule)) for scope in self._scopes])

    def _choose(self, scope: str) -> None:
        self._update_description()
        self.chosen.emit(scope)

    def _update_description(self) -> None:
        scope = self._choices.current or APPROVAL_SCOPES[0]
        if self._access_scopes:
            text = access_coverage(scope)
        else:
            text = coverage_text(scope, self._tool, self._rule, is_edited=self._is_edited)
        self._description.setText(text)
        self._choices.setAccessibleDescription(text)


def _scopes(tool: str, rule: OfferedRule | None) -> tuple[str, ...]:
    """Return the scopes that are offered. No approval of a command holds for all commands, and none of a request to a
    model for other requests.
    """
    if tool != COMMAND_TOOL and not is_sampling(tool):
        return APPROVAL_SCOPES
    kept = [scope for scope in ("always", PREFIX_SCOPE) if rule is not None and rule.name(scope) is not None]
    return ("once", "run", *kept)
