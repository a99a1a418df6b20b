"""What fills the window: workflows at the left, the centre, the activity at the right, toasts over all."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from core.bus import AgentsChanged, SettingsChanged
from core.domain.ids import WorkflowId
from core.domain.template import ValidationMode
from core.wiring import Core
from desktop.activity.panel import ActivityPanel
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.palette.entries import Kind
from desktop.palette.palette import Palette
from desktop.search.panel import SearchPanel
from desktop.settings.page import PageId
from desktop.sidebar.keys import Keys
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface
from desktop.window.actions import Actions
from desktop.window.answering import AnsweringChoice
from desktop.window.chat_pane import ChatPane
from desktop.window.commands import keys_of
from desktop.window.digit_keys import DigitKeys
from desktop.window.finder import Finder
from desktop.window.finding import Finding
from desktop.window.finding_here import FindingHere
from desktop.window.going import Going
from desktop.window.header import Header
from desktop.window.host import Host
from desktop.window.leaving import Leaving
from desktop.window.menus import Menus
from desktop.window.mode_menu import ModeMenu
from desktop.window.panes import Pane, go_to_pane
from desktop.window.picker import Picker
from desktop.window.preferences import Preferences
from desktop.window.questions import ask_delete
from desktop.window.recording import RecordingPlace
from desktop.window.searching import Searching
from desktop.window.slashing import Slashing
from desktop.window.start_page import StartPage
from desktop.window.template_list import TemplateList
from desktop.window.title import viewed_title
from desktop.window.tray import Tray
from desktop.window_state import WindowState

NARROW = 1280
NARROWER = 960


class Content(Adaptive, Surface):
    """The window's inside. `begin` puts the keys and menus to work, `settle` shows the first workflow."""

    def __init__(self, session: Host, core: Core, frames: Frames, tasks: Tasks, window: QMainWindow) -> None:
        super().__init__("app", parent=window)
        self._session = session
        self._core = core
        self._tasks = tasks
        self._window = window
        theme = self._theme = session.theme
        stores = core.stores
        self.deeds = Actions(core, tasks, session.presenter, self)
        self.preferences = Preferences(session, core, tasks, window, self)
        self._modes = ModeMenu(theme, self)
        self._digits = DigitKeys(window)
        keys = Keys(keys_of("workflow.new"), keys_of("app.settings"), keys_of("view.sidebar"))
        self.sidebar = Sidebar(
            theme, frames, stores.background, stores.workflows, core.clock, keys, self._mode_of, parent=self
        )
        self._going = Going(stores, self.sidebar.order, self._open, self._go_from_toast, self)
        self.header = Header(theme, self)
        card_keys = keys_of("focus.attention")
        self.picker = Picker(theme, window)
        self.answering = AnsweringChoice(core, tasks, self.header, self.picker, self._connect_model, self)
        self.chat = ChatPane(
            theme,
            frames,
            stores.view,
            stores.workflows,
            stores.questions,
            stores.usage,
            core.clock,
            card_keys,
            self,
        )
        self.slashing = Slashing(core, tasks, self.deeds, self.chat, self._new, self)
        self.recording = RecordingPlace(core, tasks, session.presenter, theme, frames, self)
        self.start = StartPage(theme, self)
        fold_keys, compose_keys = keys_of("view.activity"), keys_of("focus.composer")
        self._templates = TemplateList(core.slash, tasks, session.presenter, self)
        finder = Finder(
            stores,
            lambda: self._going.viewed_before,
            self._can,
            self.answering.offers,
            self._templates,
            core.clock,
        )
        self.finder = Palette(theme, finder, window)
        self._finding = Finding(
            self.finder,
            self.answering,
            self._open,
            self._go_from_toast,
            self._carry_out,
            self._templates,
            self.slashing.start,
            self._focus_centre,
            self,
        )
        self.finding_here = FindingHere(
            theme, self.chat, tasks, lambda: stores.view.workflow_id, self._focus_centre, self
        )
        self.search = SearchPanel(theme, core.clock.now, window)
        show_message = self.finding_here.show_message
        self._searching = Searching(self.search, core, tasks, self._open, show_message, self._focus_centre, self)
        self.activity = ActivityPanel(theme, stores.view, frames, core.clock.now, fold_keys, compose_keys, self)
        self.toasts = ToastOverlay(theme, stores.toasts, frames, window)
        for above in (self.finder, self.search, self.chat.completion):
            self.toasts.stay_below(above)
        self.tray = Tray(theme, stores, frames, self)
        self.leaving = Leaving(window, stores.background, self.tray, session.end)
        self._centre = QStackedWidget(self)
        self._menus: Menus | None = None
        self._is_begun = False
        self._is_new = False
        self._build(session.state)
        self._connect()
        frames.bind(self, (stores.view.changed, stores.workflows.changed, stores.background.changed), self._render)
        told = (stores.questions.changed, stores.inbox.changed, stores.workflows.changed, stores.background.changed)
        frames.bind(self.finder, told, self.finder.refresh)
        stores.background.viewed_changed.connect(self._on_viewed)
        self._heard = (
            core.bus.subscribe(SettingsChanged, self._on_settings),
            core.bus.subscribe(AgentsChanged, self._on_agents),
        )
        self.adapt_to(theme)

    def begin(self) -> None:
        """Put menus and keys to work."""
        self._menus = Menus(self._window, self._by_command())
        self._on_demo(False)
        self.toasts.show()  # a child that is made when its window is on the screen already
        self.toasts.raise_()
        app = QApplication.instance()
        assert app is not None
        self._window.installEventFilter(self)
        for keys in (self._going, self._digits):
            app.installEventFilter(keys)
        self._core.stores.background.set_window_active(self._window.isActiveWindow())

    def settle(self, viewed: WorkflowId | None) -> None:
        """Everything is loaded: show what was viewed last, if it is still there."""
        self._is_begun = True
        self.deeds.look_for_demo()
        self._templates()
        if viewed is not None and self._core.stores.workflows.get(viewed) is not None:
            self.deeds.show(viewed)
        self._render()
        self._focus_centre()

    def leave(self) -> None:
        """Let go of everything outside the window's own widgets."""
        app = QApplication.instance()
        if app is not None:
            for keys in (self._going, self._digits):
                app.removeEventFilter(keys)
        self._core.stores.background.viewed_changed.disconnect(self._on_viewed, missing_ok=True)
        for subscription in self._heard:
            subscription.close()
        self.tray.leave()
        self.leaving.deleteLater()
        self.chat.leave()
        self._window.takeCentralWidget()
        self._searching.leave()
        self.finding_here.leave()
        for above in (self.toasts, self.picker, self.finder, self.search, self.chat.completion):
            above.deleteLater()
        self.deleteLater()

    def layout_state(self, state: WindowState) -> WindowState:
        """How a person arranged it."""
        return replace(
            state,
            is_sidebar_collapsed=self._is_sidebar_folded,
            is_activity_collapsed=self._is_activity_folded,
        )

    # What Qt tells

    def retranslate(self) -> None:
        if self._menus is not None:
            self._menus.retranslate()
        self._render()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fold()
        self._keep_clear()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A window that is not active watches nothing."""
        if watched is self._window and event.type() in (QEvent.Type.WindowActivate, QEvent.Type.WindowDeactivate):
            self._core.stores.background.set_window_active(event.type() == QEvent.Type.WindowActivate)
        return False

    # Building

    def _build(self, state: WindowState) -> None:
        centre = QWidget(self)
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.recording.banner)
        column.addWidget(self._centre, 1)
        self._centre.addWidget(self.start)
        self._centre.addWidget(self.chat)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addWidget(centre, 1)
        row.addWidget(self.activity)
        self._is_sidebar_folded, self._is_activity_folded = state.is_sidebar_collapsed, state.is_activity_collapsed
        self._fold()
        self.chat.composer.needs_ctrl = not state.enter_sends

    def _connect(self) -> None:
        deeds = self.deeds
        self.sidebar.open_requested.connect(self._open)
        self.sidebar.new_requested.connect(self._new)
        self.sidebar.rename_requested.connect(deeds.rename)
        self.sidebar.stop_requested.connect(deeds.stop)
        self.sidebar.delete_requested.connect(self._delete)
        self.sidebar.settings_requested.connect(self.preferences.open)
        self.sidebar.collapsed_changed.connect(self._fold_sidebar)
        self.activity.collapsed_changed.connect(self._fold_activity)
        self.activity.compose_requested.connect(self.chat.focus_composer)
        self.header.stop_requested.connect(self._stop)
        self.header.mode_requested.connect(self._choose_mode)
        self._modes.chosen.connect(deeds.set_mode)
        self._digits.pressed.connect(self._going.to_slot)
        self.preferences.enter_sends_changed.connect(self._on_enter_sends)
        self.header.activity_requested.connect(self._toggle_activity)
        self.chat.send_requested.connect(self._send)
        self.chat.stop_requested.connect(self._stop)
        self.chat.token_bar.summary_requested.connect(self._sum_up)
        self.chat.retry_requested.connect(deeds.retry)
        self.chat.link_activated.connect(deeds.open_link)
        self.chat.answered.connect(deeds.answer)
        self.chat.foot_changed.connect(self._keep_clear)
        self.answering.shown.connect(self.chat.set_room)
        self.start.demo_requested.connect(deeds.start_demo)
        self.start.new_requested.connect(self._new)
        self.start.template_requested.connect(self._new_from_template)
        self.toasts.go_requested.connect(self._go_from_toast)
        self.toasts.action_requested.connect(deeds.toast_action)
        deeds.sent.connect(self.chat.sending_worked)
        deeds.sent.connect(self._on_sent)
        deeds.say_requested.connect(self._send)
        deeds.refused.connect(self.chat.sending_failed)
        deeds.answered.connect(self.chat.settle)
        deeds.demo_changed.connect(self._on_demo)

    def _by_command(self) -> dict[str, Callable[[], None]]:
        going, transcript = self._going, self.chat.transcript
        return {
            "go.anything": partial(self._finding.find, Kind.WORKFLOW),
            "go.commands": partial(self._finding.find, Kind.COMMAND),
            "app.help": partial(self._finding.find, Kind.HELP),
            "go.inbox": partial(self._finding.find, Kind.INBOX),
            "find.everywhere": self._searching.open,
            "find.here": self.finding_here.open,
            "find.next": partial(self.finding_here.step, 1),
            "find.previous": partial(self.finding_here.step, -1),
            "workflow.new": self._new,
            "workflow.new_from_template": self._new_from_template,
            "workflow.rename": self._rename_viewed,
            "workflow.delete": self._delete_viewed,
            "demo.start": self.deeds.start_demo,
            "demo.remove": self.deeds.remove_demo,
            "app.settings": self.preferences.open,
            "app.quit": self.leaving.ask,
            "workflow.model": self._pick,
            "validation.mode": self._choose_mode,
            "run.start": self.deeds.again,
            "run.stop": self._stop,
            "run.summary": self._sum_up,
            "recording.toggle": self.recording.toggle,
            "view.sidebar": self._toggle_sidebar,
            "view.activity": self._toggle_activity,
            "view.zoom_in": partial(self.preferences.zoom, 1),
            "view.zoom_out": partial(self.preferences.zoom, -1),
            "view.zoom_reset": partial(self.preferences.zoom, 0),
            "view.full_screen": self._toggle_full_screen,
            "view.close": self._new,
            "focus.composer": self.chat.focus_composer,
            "focus.attention": self._answer,
            "go.next_attention": partial(going.to_asking, 1),
            "go.previous_attention": partial(going.to_asking, -1),
            "go.recent": partial(going.through_recent, 1),
            "go.recent_back": partial(going.through_recent, -1),
            "go.next": partial(going.beside, 1),
            "go.previous": partial(going.beside, -1),
            "go.back": partial(going.along, -1),
            "go.forward": partial(going.along, 1),
            "focus.next_pane": partial(self._go_to_pane, 1),
            "focus.previous_pane": partial(self._go_to_pane, -1),
            "focus.menu_bar": self._focus_menu_bar,
            "transcript.latest": transcript.jump_to_latest,
            "transcript.previous_message": partial(transcript.focus_turn, -1),
            "transcript.next_message": partial(transcript.focus_turn, 1),
            "transcript.copy_answer": self._copy_answer,
            "transcript.copy_code": self._copy_code,
            **{f"go.slot.{number}": partial(going.to_slot, number) for number in range(1, 10)},
        }

    # Showing

    def _render(self) -> None:
        stores = self._core.stores
        viewed = stores.view.workflow_id
        is_empty = viewed is None and not stores.workflows.rows and not stores.background.running_workflows
        self._centre.setCurrentWidget(self.start if is_empty and self._is_begun and not self._is_new else self.chat)
        listed = stores.workflows.get(viewed) if viewed is not None else None
        execution = stores.view.execution
        title = viewed_title(stores.view, stores.workflows) or self.tr("New workflow")
        status = execution.status if execution else listed.status if listed else None
        run = execution.run if execution and execution.is_active else None
        mode = run.mode if run is not None and run.mode is not None else self._core.settings.current.validation_mode
        self.header.show_workflow(title, status, mode)
        self.answering.show()
        self.header.setVisible(self._centre.currentWidget() is self.chat)
        self._keep_clear()

    def _on_viewed(self) -> None:
        """Another workflow is viewed: the next key belongs to it, so it is shown at once."""
        viewed = self._core.stores.background.viewed_workflow_id
        if viewed is not None:
            self._going.viewed(viewed)
            self._is_new = False
        self.answering.viewed_another()
        self.slashing.viewed_another()
        self.chat.show_now()
        self.recording.show_now()
        self._render()

    def _on_settings(self, _message: SettingsChanged) -> None:
        """The header says which mode holds, and a row where its run has another one."""
        self._render()
        self.sidebar.show_now()

    def _on_agents(self, _message: AgentsChanged) -> None:
        self.answering.show()

    def _on_sent(self, workflow_id: str, _text: str) -> None:
        if not workflow_id:
            self.answering.begun()
            self.answering.show()

    def _on_demo(self, is_there: bool) -> None:
        if self._menus is not None:
            self._menus.enable("demo.remove", is_enabled=is_there)

    def _keep_clear(self) -> None:
        """Where no toast may lie: on the composer with its buttons, on the card that asks, and on the header."""
        chat = self.chat
        areas = [chat.composer, chat.card, chat.inputs, self.header]
        self.toasts.set_keep_clear([_in_window(area, self._window) for area in areas if area.isVisible()])

    def _focus_centre(self) -> None:
        if self._centre.currentWidget() is self.start:
            self.start.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.chat.focus_composer()

    # Doing

    def _open(self, workflow_id: str) -> None:
        self.deeds.show(WorkflowId(workflow_id))
        self._window.activateWindow()
        self.chat.focus_composer()

    def _go_from_toast(self, workflow_id: str) -> None:
        """To what it asks, where it does."""
        self._open(workflow_id)
        self.chat.focus_card()

    def _answer(self) -> None:
        self.chat.focus_card()

    def _can(self, command_id: str) -> bool:
        return self._menus is not None and self._menus.is_enabled(command_id)

    def _carry_out(self, command_id: str) -> None:
        if self._menus is not None:
            self._menus.trigger(command_id)

    def _new(self) -> None:
        self._is_new = True
        self.deeds.show(None)
        self._render()
        self.chat.focus_composer()

    def _new_from_template(self) -> None:
        self._finding.find(Kind.TEMPLATE)

    def _send(self, text: str) -> None:
        self.slashing.send(text, self.answering.of_new)

    def _pick(self) -> None:
        if self.header.isVisible():
            self.answering.open()

    def _connect_model(self) -> None:
        self.preferences.open_at(PageId.MODELS)

    def _stop(self) -> None:
        self.deeds.stop(self._core.stores.background.viewed_workflow_id)

    def _sum_up(self) -> None:
        self.deeds.sum_up(self._core.stores.background.viewed_workflow_id)

    def _rename_viewed(self) -> None:
        viewed = self._core.stores.background.viewed_workflow_id
        if viewed is not None:
            self._fold_sidebar(False)
            self.sidebar.rename(viewed)

    def _delete_viewed(self) -> None:
        viewed = self._core.stores.background.viewed_workflow_id
        if viewed is not None:
            self._delete(viewed)

    def _delete(self, workflow_id: str) -> None:
        listed = self._core.stores.workflows.get(WorkflowId(workflow_id))
        if listed is not None:
            execution = self._core.stores.background.get_execution(listed.workflow.id)
            is_running = execution is not None and execution.is_active
            question = ask_delete(self._window, listed.workflow.title, is_running=is_running)
            question.accepted.connect(partial(self.deeds.delete, listed.workflow.id))

    def _on_enter_sends(self, enter_sends: bool) -> None:
        self.chat.composer.needs_ctrl = not enter_sends

    def _mode_of(self, workflow_id: WorkflowId) -> ValidationMode | None:
        """The mode of a run where it is not that of the settings: shown on its row."""
        execution = self._core.stores.background.get_execution(workflow_id)
        mode = execution.run.mode if execution is not None and execution.run is not None else None
        return mode if mode is not self._core.settings.current.validation_mode else None

    def _go_to_pane(self, by: int) -> None:
        transcript = self.chat.transcript
        panes = [
            Pane(self.sidebar, self.sidebar.take_focus),
            Pane(transcript, partial(transcript.setFocus, Qt.FocusReason.ShortcutFocusReason)),
            Pane(self.chat.card, self.chat.focus_card),
            Pane(self.chat.composer, self.chat.focus_composer),
            Pane(self.start, partial(self.start.setFocus, Qt.FocusReason.ShortcutFocusReason)),
            Pane(self.activity, self.activity.take_focus),
        ]
        go_to_pane(panes, by)

    def _focus_menu_bar(self) -> None:
        bar = self._window.menuBar()
        bar.setFocus(Qt.FocusReason.MenuBarFocusReason)
        bar.setActiveAction(bar.actions()[0])

    def _choose_mode(self) -> None:
        if self.header.isVisible():
            self._modes.open_at(self.header.mode_place, self._core.settings.current.validation_mode)

    def _toggle_sidebar(self) -> None:
        self._fold_sidebar(not self.sidebar.is_collapsed)

    def _toggle_activity(self) -> None:
        self._fold_activity(not self.activity.is_collapsed)

    def _fold_sidebar(self, is_folded: bool) -> None:
        """As a person wants it, also where the window is narrow."""
        self._is_sidebar_folded = is_folded
        self.sidebar.set_collapsed(is_folded)

    def _fold_activity(self, is_folded: bool) -> None:
        self._is_activity_folded = is_folded
        self.activity.set_collapsed(is_folded)

    def _fold(self) -> None:
        """As the room allows: the activity folds by itself under 1280, the sidebar under 960."""
        self.sidebar.set_collapsed(self._is_sidebar_folded or self.width() < NARROWER)
        self.activity.set_collapsed(self._is_activity_folded or self.width() < NARROW)

    def _toggle_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _copy_answer(self) -> None:
        self.chat.transcript.copy_answer()

    def _copy_code(self) -> None:
        self.chat.transcript.copy_code()


def _in_window(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
