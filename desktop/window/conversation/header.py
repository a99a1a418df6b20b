"""The header of the centre, and the banner below it for archived and previewed workflows."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import PurePath

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from core.domain.grants import FolderGrant
from core.domain.run import RunStatus
from core.domain.template import ValidationMode
from desktop.theme import Icon, Theme
from desktop.widgets import (
    Adaptive,
    Button,
    ElidedLabel,
    IconLabel,
    Indicator,
    Label,
    StatusDot,
    Surface,
    announce,
    plain_tool_tip,
    set_plain_tool_tip,
    with_keys,
)

INDICATORS = {
    RunStatus.ENQUEUED: Indicator.IDLE,
    RunStatus.RUNNING: Indicator.RUNNING,
    RunStatus.WAITING: Indicator.WAITING,
    RunStatus.PAUSED: Indicator.WAITING,
    RunStatus.SUCCESS: Indicator.SUCCESS,
    RunStatus.ERROR: Indicator.ERROR,
    RunStatus.CANCELLED: Indicator.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class HeaderKeys:
    """The keys that the tooltips of the header name."""

    mode: QKeySequence = field(default_factory=QKeySequence)
    picker: QKeySequence = field(default_factory=QKeySequence)
    stop: QKeySequence = field(default_factory=QKeySequence)
    folder: QKeySequence = field(default_factory=QKeySequence)


class Header(Adaptive, Surface):
    """Shows title, state, agent, model, folder and mode of the workflow, and the button that stops it."""

    stop_requested = Signal()
    picker_requested = Signal()
    mode_requested = Signal()
    folder_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("canvas", edge="bottom", parent=parent)
        self._theme = theme
        self._status: RunStatus | None = None
        self._mode: ValidationMode | None = None
        self._dot = StatusDot(theme, parent=self)
        self._title = ElidedLabel("", "title", parent=self)
        self._state = Label("", "secondary", "muted", parent=self)
        self._mode_button = Button(theme, "", "ghost", Icon.CHEVRON_DOWN, is_small=True, parent=self)
        self._mode_button.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._answering = Button(theme, "", "ghost", Icon.CHEVRON_DOWN, is_small=True, parent=self)
        self._answering.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # puts the arrow behind the text
        self._folder = Button(theme, "", "ghost", Icon.FOLDER, is_small=True, parent=self)
        self._folders: Sequence[FolderGrant] = ()
        self._gone: Collection[FolderGrant] = ()
        self._agent, self._model = "", ""
        self._keys = HeaderKeys()
        self._stop = Button(theme, "", "secondary", Icon.SQUARE, parent=self)
        self._row = QHBoxLayout(self)
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._row.addWidget(self._dot)
        self._row.addWidget(self._title, 1)
        self._row.addWidget(self._state)
        self._row.addStretch(0)
        for widget in (self._answering, self._folder, self._mode_button, self._stop):
            self._row.addWidget(widget)
        self._answering.clicked.connect(self.picker_requested)
        self._folder.clicked.connect(self.folder_requested)
        self._mode_button.clicked.connect(self.mode_requested)
        self._stop.clicked.connect(self.stop_requested)
        self.adapt_to(theme)

    def show_workflow(self, title: str, status: RunStatus | None, mode: ValidationMode) -> None:
        """Show a workflow. `status` None: it has no run yet. `mode` is that of the active run, else of the settings."""
        self._title.setText(title)
        self._status, self._mode = status, mode
        self.retranslate()

    def show_answering(self, agent: str, model: str) -> None:
        """Show the name of the agent and the label of the model of the next turn."""
        if (agent, model) != (self._agent, self._model):
            self._agent, self._model = agent, model
            self._fit()

    def show_folders(self, folders: Sequence[FolderGrant], gone: Collection[FolderGrant] = ()) -> None:
        """Show the folders and files that the next turn may access, of which some may be `gone`."""
        if (folders, gone) != (self._folders, self._gone):
            self._folders, self._gone = folders, gone
            icon = self._theme.icon(Icon.TRIANGLE_ALERT, "sign_warn") if gone else self._theme.icon(Icon.FOLDER)
            self._folder.setIcon(icon)
            self._fit()

    def set_keys(self, keys: HeaderKeys) -> None:
        """Show these keys in the tooltips."""
        self._keys = keys
        self.retranslate()

    @property
    def picker_place(self) -> QRect:
        """The geometry of the picker's button."""
        return self._answering.geometry()

    @property
    def mode_place(self) -> QPoint:
        """The position of the mode menu, in screen coordinates."""
        return self._mode_button.mapToGlobal(QPoint(0, self._mode_button.height()))

    @property
    def folder_place(self) -> QPoint:
        """The position of the menu of folders, in screen coordinates."""
        return self._folder.mapToGlobal(QPoint(0, self._folder.height()))

    def focus_picker(self) -> None:
        self._answering.setFocus(Qt.FocusReason.PopupFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def retranslate(self) -> None:
        self._state.setText(self._status_text(self._status) if self._status else "")
        self._dot.setVisible(self._status is not None)
        if self._status is not None:
            self._dot.set_indicator(INDICATORS[self._status])
        self._stop.setToolTip(plain_tool_tip(with_keys(self.tr("Stop"), self._keys.stop)))
        self._stop.setVisible(self._status is not None and not self._status.is_final)
        self._set_texts(is_narrow=False)
        self._fit()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self.setFixedHeight(sizes.header)
        self._row.setContentsMargins(sizes.space_xl - sizes.space_xs, 0, sizes.space_m, 0)
        self._row.setSpacing(sizes.space_s)

    def _set_texts(self, *, is_narrow: bool, has_folder: bool = True) -> None:
        """Set the texts of the buttons; a narrow header uses short ones, a *Stop* without text and, if need be, no name
        of a folder.
        """
        mode = self._mode_text(self._mode) if self._mode else ""
        short = self._short_mode_text(self._mode) if self._mode else ""
        self._mode_button.setText(short if is_narrow else mode)
        self._mode_button.setAccessibleName(self.tr("Validation: {mode}").format(mode=mode))
        self._mode_button.setToolTip(plain_tool_tip(with_keys(mode, self._keys.mode)))
        folder = self._folder_text()
        metrics, width = self._folder.fontMetrics(), self._theme.sizes.toast // 3
        shown = metrics.elidedText(folder, Qt.TextElideMode.ElideMiddle, width)
        self._folder.setText(shown if has_folder else "")
        self._folder.setAccessibleName(self.tr("Folder: {folder}").format(folder=folder))
        whole = "\n".join(map(self._folder_line, self._folders))
        self._folder.setAccessibleDescription(whole)
        none = self.tr("No folder: tools reach no files")
        set_plain_tool_tip(self._folder, with_keys(whole or none, self._keys.folder))
        self._stop.setText("" if is_narrow else self.tr("Stop"))
        self._stop.setAccessibleName(self.tr("Stop"))
        self._stop.setToolTip(plain_tool_tip(self.tr("Stop") if is_narrow else ""))

    def _fit(self) -> None:
        """Hide the state where space is short, as the status dot shows it too, then use short texts."""
        self._set_texts(is_narrow=False)
        self._state.setVisible(bool(self._state.text()) and self._required_width(self._state) <= self.width())
        if self._required_width() > self.width():
            self._set_texts(is_narrow=True)
        if self._required_width() > self.width():
            self._set_texts(is_narrow=True, has_folder=False)
        self._dot.setToolTip(plain_tool_tip(self._state.text() if self._state.isHidden() else ""))
        self._fit_answering()
        self._row.activate()  # inside a resize event, Qt defers the layout to the next frame

    def _required_width(self, *more: QWidget) -> int:
        """Return the width of all uncut parts, with the beginnings of the title and of the agent's button."""
        toast = self._theme.sizes.toast
        return self._fixed_width(*more) + min(self._title.sizeHint().width(), toast * 3 // 4) + toast // 4

    def _fixed_width(self, *more: QWidget) -> int:
        """Return the width of everything but the title and the text of the agent's button."""
        margins = self._row.contentsMargins()
        others = (self._dot, self._folder, self._mode_button, self._stop)
        shown = [part.sizeHint().width() for part in (*others, *more) if part in more or not part.isHidden()]
        gaps = (len(shown) + 2) * self._row.spacing()
        return sum(shown) + self._answering_padding() + gaps + margins.left() + margins.right()

    def _answering_padding(self) -> int:
        return self._answering.sizeHint().width() - self._answering.fontMetrics().horizontalAdvance(
            self._answering.text()
        )

    def _fit_answering(self) -> None:
        """Show agent and model, the model alone in little space, and elide that if needed."""
        whole = self.tr("{agent} · {model}").format(agent=self._agent, model=self._model)
        width = self._answering_width()
        metrics = self._answering.fontMetrics()
        shown = whole if metrics.horizontalAdvance(whole) <= width else self._model
        self._answering.setText(metrics.elidedText(shown, Qt.TextElideMode.ElideRight, width))
        self._answering.setAccessibleName(self.tr("Who answers: {who}").format(who=whole))
        set_plain_tool_tip(self._answering, with_keys(whole, self._keys.picker))

    def _answering_width(self) -> int:
        """Return the width that the title leaves, at least a third of the width of both."""
        state = () if self._state.isHidden() else (self._state,)
        both = self.width() - self._fixed_width(*state)
        return max(both - self._title.sizeHint().width(), both // 3, self._theme.sizes.toast // 4)

    def _folder_text(self) -> str:
        """Return the name of the first folder, with the number of others, or of the first that is gone."""
        if not self._folders:
            return self.tr("No folder")
        gone = next((folder for folder in self._folders if folder in self._gone), None)
        path = (gone or self._folders[0]).path
        name = PurePath(path).name or path
        if gone is not None:
            return self.tr("{folder} is missing").format(folder=name)
        others = len(self._folders) - 1
        return self.tr("{folder} +{others}").format(folder=name, others=others) if others else name

    def _folder_line(self, folder: FolderGrant) -> str:
        if folder in self._gone:
            return self.tr("{folder} does not exist any more").format(folder=folder.path)
        return self.tr("{folder} (read only)").format(folder=folder.path) if folder.is_read_only else folder.path

    def _status_text(self, status: RunStatus) -> str:
        return {
            RunStatus.ENQUEUED: self.tr("Waiting for a place"),
            RunStatus.RUNNING: self.tr("Running"),
            RunStatus.WAITING: self.tr("Waiting for you"),
            RunStatus.PAUSED: self.tr("Paused: cannot write to the data folder"),
            RunStatus.SUCCESS: self.tr("Completed"),
            RunStatus.ERROR: self.tr("Failed"),
            RunStatus.CANCELLED: self.tr("Stopped"),
        }[status]

    def _mode_text(self, mode: ValidationMode) -> str:
        return {
            ValidationMode.AUTO: self.tr("Automatic mode"),
            ValidationMode.MANUAL: self.tr("Manual mode"),
            ValidationMode.SELECTIVE: self.tr("Selective mode"),
        }[mode]

    def _short_mode_text(self, mode: ValidationMode) -> str:
        return {
            ValidationMode.AUTO: self.tr("Auto"),
            ValidationMode.MANUAL: self.tr("Manual"),
            ValidationMode.SELECTIVE: self.tr("Selective"),
        }[mode]


class ViewState(Enum):
    """How the viewed workflow is shown."""

    LISTED = auto()
    ARCHIVED = auto()
    PREVIEWED = auto()


class ViewBanner(Adaptive, Surface):
    """A line above an archived or previewed workflow, hidden for others. `acted`: its button was pressed."""

    acted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("app", "bottom", parent)
        self.setObjectName("place_banner")
        self._theme = theme
        self._state = ViewState.LISTED
        self._archived = IconLabel(theme, Icon.ARCHIVE, "muted")
        self._previewed = IconLabel(theme, Icon.EYE, "muted")
        self._text = ElidedLabel()
        self._button = Button(theme, is_small=True)
        self._row = QHBoxLayout(self)
        for icon in (self._archived, self._previewed):
            self._row.addWidget(icon, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._button)
        self._button.clicked.connect(self.acted)
        self.hide()
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def state(self) -> ViewState:
        return self._state

    def show_state(self, state: ViewState) -> None:
        """Show this state and announce it to screen readers if it is unusual."""
        if state is self._state:
            return
        self._state = state
        self.retranslate()
        self._archived.setVisible(state is ViewState.ARCHIVED)
        self._previewed.setVisible(state is ViewState.PREVIEWED)
        self.setVisible(state is not ViewState.LISTED)
        if state is not ViewState.LISTED:
            announce(self, self.text)

    def retranslate(self) -> None:
        if self._state is ViewState.PREVIEWED:
            text, button = self.tr("Preview: Enter opens it, Esc goes back."), self.tr("Open")
        else:
            text, button = self.tr("This workflow is archived. A new message restores it."), self.tr("Restore")
        self._text.setText(text)
        self._button.setText(button)
        self.setAccessibleName(text)

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_xl - sizes.space_xs, sizes.space_xs, sizes.space_m, sizes.space_xs)
        self._row.setSpacing(sizes.space_s)
