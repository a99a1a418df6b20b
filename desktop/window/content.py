"""What fills the window: workflows at the left, the centre, the activity at the right, toasts over all."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QStackedWidget, QVBoxLayout, QWidget

from core.bus import AgentsChanged, SettingsChanged
from core.domain.ids import WorkflowId
from core.domain.template import ValidationMode
from core.wiring import Core
from desktop.activity.panel import ActivityPanel
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.palette.palette import Palette
from desktop.search.panel import SearchPanel
from desktop.settings.page_names import PageId
from desktop.shortcuts.chords import is_pressed
from desktop.shortcuts.keymap import Keymap
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface
from desktop.window.actions import Actions
from desktop.window.activity_place import ActivityPlace
from desktop.window.answering import AnsweringChoice
from desktop.window.attaching import Attaching
from desktop.window.chat_pane import ChatPane
from desktop.window.commands import COMMANDS, defaults_where
from desktop.window.escaping import Escaping
from desktop.window.finder import Finder
from desktop.window.finding import Finding
from desktop.window.finding_here import FindingHere
from desktop.window.folding import Folding
from desktop.window.going import Going
from desktop.window.header import Header
from desktop.window.host import Host
from desktop.window.keeping import Keeping
from desktop.window.key_names import KeyNames, sidebar_keys
from desktop.window.keyboard import Keyboard
from desktop.window.leaving import Leaving
from desktop.window.mentions import Mentions
from desktop.window.menus import Menus
from desktop.window.mode_menu import ModeMenu
from desktop.window.notifying import Notifying
from desktop.window.outgoing import Outgoing
from desktop.window.panes import Panes
from desktop.window.peeking import Peeking
from desktop.window.picker import Picker
from desktop.window.place_banner import PlaceBanner, Standing
from desktop.window.places import Places
from desktop.window.preferences import Preferences
from desktop.window.recording import RecordingPlace
from desktop.window.retrying import Retrying
from desktop.window.searching import Searching
from desktop.window.sending import Sending
from desktop.window.slashing import Slashing
from desktop.window.start_page import StartPage
from desktop.window.status_line import StatusLine
from desktop.window.template_list import TemplateList
from desktop.window.title import viewed_title
from desktop.window.tray import Tray
from desktop.window_state import WindowState


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
        self.keymap = Keymap(COMMANDS, session.state.keys, self)
        self._retrying = Retrying(core, tasks, self.deeds, self)
        self.tray = Tray(theme, stores, frames, self)
        self.leaving = Leaving(window, stores.background, self.tray, session.end)
        self.notifying = Notifying(
            core, tasks, self.tray, self.leaving, self._go_from_toast, self._open_inbox, window, self
        )
        self.preferences = Preferences(session, core, tasks, self.notifying, window, self.keymap, self)
        self._modes = ModeMenu(theme, self)
        keymap = self.keymap
        keys = sidebar_keys(keymap)
        self.sidebar = Sidebar(
            theme, frames, stores.background, stores.workflows, core.clock, keys, self._mode_of, parent=self
        )
        self._going = Going(stores, self.sidebar.order, self._open, self._go_from_toast, theme, window, self)
        self.header = Header(theme, self)
        card_keys = keymap.first("focus.attention")
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
            session.folders.store.with_name("drafts"),
            tasks,
            self,
        )
        self.deeds.turns_below = self.chat.turns_below
        self.slashing = Slashing(core, tasks, self.deeds, self.chat, self._new, self)
        self.attaching = Attaching(core, tasks, theme, self.chat, window, self)
        self.sending = Sending(
            core,
            tasks,
            session.presenter,
            frames,
            self.deeds,
            self.chat,
            self.slashing,
            self.answering,
            self.attaching,
            self,
        )
        self.mentions = Mentions(core, tasks, self.chat, self.answering, self.attaching, self)
        self.recording = RecordingPlace(core, tasks, session.presenter, theme, frames, self)
        self.start = StartPage(theme, self)
        self.banner = PlaceBanner(theme, self)
        self.keeping = Keeping(core, tasks, self.deeds, self._look_at_none, window, self)
        fold_keys, compose_keys = keymap.first("view.activity"), keymap.first("focus.composer")
        self._templates = TemplateList(core.slash, tasks, session.presenter, self)
        finder = Finder(
            stores,
            lambda: self._going.viewed_before,
            self._can,
            self.answering.offers,
            self._templates,
            core.clock,
            keymap,
            lambda: self._places.of(self._finding.before),
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
        self._activity_place = ActivityPlace(core, tasks, session.presenter, self.activity, window, self)
        self.toasts = ToastOverlay(theme, stores.toasts, frames, window)
        lists = (self.finder, self.search, self.chat.completion, self.chat.mentions, self._going.recent_list)
        for above in lists:
            self.toasts.stay_below(above)
        self.status = StatusLine(theme, stores, frames, self)
        self._places = Places(self.sidebar, self.chat, self.toasts)
        self._keyboard = Keyboard(window, keymap, self._places, self._carry_out, self)
        KeyNames(keymap, self.sidebar, self.header, self.chat, self.activity, self.status, self.finding_here.bar, self)
        self._folding = Folding(self.sidebar, self.activity, theme, session.state)
        self._panes = Panes(window, self.sidebar, self.chat, self.start, self.activity, self.toasts)
        self._escaping = Escaping((self.chat.clear_selection, self._focus_centre))
        self._centre = QStackedWidget(self)
        self.peeking = Peeking(stores.background, self.deeds.show, self._going.viewed, self._centre, self)
        self._menus: Menus | None = None
        self._is_begun = False
        self._is_new = False
        self._scale = theme.sizes.sidebar
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
        self._menus = Menus(self._window, self._by_command(), self.keymap)
        self._on_demo(False)
        self._menus.enable("workflow.undo", is_enabled=False)
        self._render()
        self.toasts.show()  # a child that is made when its window is on the screen already
        self.toasts.raise_()
        app = QApplication.instance()
        assert app is not None
        self._window.installEventFilter(self)
        for keys in (self._keyboard, self._going.walk):
            app.installEventFilter(keys)
        self._core.stores.background.set_window_active(self._window.isActiveWindow())
        self.notifying.begin()

    def settle(self, viewed: WorkflowId | None) -> None:
        """Everything is loaded: show what was viewed last, if it is still there."""
        self._is_begun = True
        self.deeds.look_for_demo()
        self._templates()
        self.chat.forget_drafts_of_none()
        if viewed is not None and self._core.stores.workflows.get(viewed) is not None:
            self.deeds.show(viewed)
        self._render()
        self._focus_centre()

    def leave(self) -> None:
        """Let go of everything outside the window's own widgets."""
        app = QApplication.instance()
        if app is not None:
            for keys in (self._keyboard, self._going.walk):
                app.removeEventFilter(keys)
        self._core.stores.background.viewed_changed.disconnect(self._on_viewed, missing_ok=True)
        for subscription in self._heard:
            subscription.close()
        self.notifying.leave()
        self.tray.leave()
        self.keeping.close()
        self.leaving.deleteLater()
        self.chat.leave()
        self._window.takeCentralWidget()
        self._searching.leave()
        self.finding_here.leave()
        lists = (self.finder, self.search, self.chat.completion, self.chat.mentions, self._going.recent_list)
        for above in (self.toasts, self.picker, *lists):
            above.deleteLater()
        self.deleteLater()

    @property
    def viewed_for_good(self) -> WorkflowId | None:
        """What was opened last, whatever somebody peeks at."""
        return self.peeking.viewed_for_good

    def layout_state(self, state: WindowState) -> WindowState:
        """How a person arranged it."""
        return replace(self._folding.kept(state), folded_sections=self.sidebar.folded_sections)

    # What Qt tells

    def retranslate(self) -> None:
        if self._menus is not None:
            self._menus.retranslate()
        self._render()

    def dress(self) -> None:
        """Another zoom leaves more or less room."""
        if self._scale != self._theme.sizes.sidebar:
            self._scale = self._theme.sizes.sidebar
            self._folding.fit(self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._folding.fit(self.width())
        self._keep_clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Nothing in here wanted it."""
        if is_pressed("Esc", event):
            self._escaping.close_innermost()
        else:
            super().keyPressEvent(event)

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
        column.addWidget(self.banner)
        column.addWidget(self.recording.banner)
        column.addWidget(self._centre, 1)
        self._centre.addWidget(self.start)
        self._centre.addWidget(self.chat)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(0)
        outer.addLayout(row, 1)
        outer.addWidget(self.status)
        row.addWidget(self.sidebar)
        row.addWidget(centre, 1)
        row.addWidget(self.activity)
        self._folding.fit(self.width())
        self.sidebar.fold_sections(state.folded_sections)
        self._on_enter_sends(state.enter_sends)

    def _connect(self) -> None:
        deeds = self.deeds
        self.sidebar.open_requested.connect(self._open)
        self.sidebar.new_requested.connect(self._new)
        self.sidebar.rename_requested.connect(deeds.rename)
        self.sidebar.stop_requested.connect(deeds.stop)
        self.sidebar.archive_requested.connect(self.keeping.archive)
        self.sidebar.restore_requested.connect(self.keeping.restore)
        self.sidebar.delete_requested.connect(self.keeping.delete)
        self.sidebar.undo_requested.connect(self.keeping.undo)
        self.sidebar.peek_requested.connect(self.peeking.peek)
        self.sidebar.peek_left.connect(self.peeking.leave)
        self.peeking.changed.connect(self.sidebar.set_peeking)
        self.peeking.changed.connect(self._render)
        self.keeping.changed.connect(self._on_undoable)
        self.banner.acted.connect(self._act_on_banner)
        self.sidebar.settings_requested.connect(self.preferences.open)
        self.sidebar.collapsed_changed.connect(self._folding.fold_sidebar)
        self.activity.collapsed_changed.connect(self._folding.fold_activity)
        self.activity.compose_requested.connect(self.chat.focus_composer)
        self.header.stop_requested.connect(self._stop)
        self.header.mode_requested.connect(self._choose_mode)
        self._modes.chosen.connect(deeds.set_mode)
        self.preferences.enter_sends_changed.connect(self._on_enter_sends)
        self.chat.stop_requested.connect(self._stop)
        self.chat.token_bar.summary_requested.connect(self._sum_up)
        self.chat.retry_requested.connect(deeds.retry)
        self.chat.link_activated.connect(deeds.open_link)
        self.chat.answered.connect(deeds.answer)
        self.chat.foot_changed.connect(self._keep_clear)
        self.answering.shown.connect(self.chat.set_room)
        self.status.inbox_requested.connect(self._open_inbox)
        self.start.demo_requested.connect(deeds.start_demo)
        self.start.new_requested.connect(self._new)
        self.start.template_requested.connect(self._finding.templates)
        self.toasts.go_requested.connect(self._go_from_toast)
        self.toasts.action_requested.connect(deeds.toast_action)
        deeds.sent.connect(self.chat.sending_worked)
        deeds.sent.connect(self._on_sent)
        deeds.refused.connect(self.chat.sending_failed)
        deeds.answered.connect(self.chat.settle)
        deeds.demo_changed.connect(self._on_demo)

    def _by_command(self) -> dict[str, Callable[[], object]]:
        transcript = self.chat.transcript
        return {
            "find.everywhere": self._searching.open,
            "find.here": self.finding_here.open,
            "find.next": partial(self.finding_here.step, 1),
            "find.previous": partial(self.finding_here.step, -1),
            "workflow.new": self._new,
            "workflow.rename": self._rename_viewed,
            "workflow.archive": partial(self._on_viewed_one, self.keeping.archive),
            "workflow.restore": partial(self._on_viewed_one, self.keeping.restore),
            "workflow.delete": partial(self._on_viewed_one, self.keeping.delete),
            "workflow.undo": self.keeping.undo,
            "view.archive": self._toggle_archive,
            "activity.export": self._activity_place.export,
            "demo.start": self.deeds.start_demo,
            "demo.remove": self.deeds.remove_demo,
            "app.quit": self.leaving.ask,
            "workflow.model": self._pick,
            "validation.mode": self._choose_mode,
            "run.start": self.deeds.again,
            "run.stop": self._stop,
            "run.summary": self._sum_up,
            "recording.toggle": self.recording.toggle,
            "view.close": self._new,
            "focus.composer": self.chat.focus_composer,
            "composer.attach": self._attach,
            "composer.send_now": self.sending.send_now,
            "focus.attention": self._answer,
            "transcript.latest": transcript.jump_to_latest,
            "transcript.previous_message": partial(transcript.focus_turn, -1),
            "transcript.next_message": partial(transcript.focus_turn, 1),
            "transcript.copy_answer": transcript.copy_answer,
            "transcript.copy_code": transcript.copy_code,
            **self._going.by_command(),
            **self._finding.by_command(),
            **self.preferences.by_command(),
            **self._folding.by_command(),
            **self._panes.by_command(),
            **self._retrying.by_command(),
        }

    # Showing

    def _render(self) -> None:
        stores = self._core.stores
        viewed = stores.view.workflow_id
        is_empty = viewed is None and not stores.workflows.rows and not stores.background.running_workflows
        self._centre.setCurrentWidget(self.start if is_empty and self._is_begun and not self._is_new else self.chat)
        listed = stores.workflows.get(viewed) if viewed is not None else None
        execution = stores.view.execution
        self._show_standing(listed is not None and listed.workflow.is_archived)
        title = viewed_title(stores.view, stores.workflows) or self.tr("New workflow")
        status = execution.status if execution else listed.status if listed else None
        run = execution.run if execution and execution.is_active else None
        mode = run.mode if run is not None and run.mode is not None else self._core.settings.current.validation_mode
        self.header.show_workflow(title, status, mode)
        self.answering.show()
        self.header.setVisible(self._centre.currentWidget() is self.chat)
        self._keep_clear()

    def _show_standing(self, is_archived: bool) -> None:
        archived = Standing.ARCHIVED if is_archived else Standing.LISTED
        self.banner.show_standing(Standing.PEEKED if self.peeking.is_on else archived)
        viewed = self._core.stores.background.viewed_workflow_id
        if self._menus is not None:
            for command in ("workflow.rename", "workflow.delete"):
                self._menus.enable(command, is_enabled=viewed is not None)
            self._menus.enable("workflow.archive", is_enabled=viewed is not None and not is_archived)
            self._menus.enable("workflow.restore", is_enabled=is_archived)

    def _on_viewed(self) -> None:
        """Another workflow is viewed: the next key belongs to it, so it is shown at once."""
        viewed = self._core.stores.background.viewed_workflow_id
        self.peeking.viewed(viewed)
        if viewed is not None:
            self._is_new = False
            if not self.peeking.is_on:
                self._going.viewed(viewed)
        self.answering.viewed_another()
        self.slashing.viewed_another()
        self.chat.show_now()
        self.sending.show_queue()
        self.recording.show_now()
        self._render()

    def _on_settings(self, _message: SettingsChanged) -> None:
        """The header says which mode holds, and a row where its run has another one."""
        self._render()
        self.sidebar.show_now()

    def _on_agents(self, _message: AgentsChanged) -> None:
        self.answering.show()

    def _on_sent(self, workflow_id: str, _said: Outgoing) -> None:
        if not workflow_id:
            self.answering.begun()
            self.answering.show()

    def _on_demo(self, is_there: bool) -> None:
        if self._menus is not None:
            self._menus.enable("demo.remove", is_enabled=is_there)

    def _keep_clear(self) -> None:
        """Where no toast may lie: on the composer with its buttons, on the card that asks, and on the header."""
        chat = self.chat
        areas = [chat.composer, chat.queue, chat.card, chat.inputs, self.header, self.status]
        self.toasts.set_keep_clear([_in_window(area, self._window) for area in areas if area.isVisible()])

    def _focus_centre(self) -> bool:
        if self._centre.currentWidget() is self.start:
            self.start.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.chat.focus_composer()
        return True

    # Doing

    def _open(self, workflow_id: str) -> None:
        self.deeds.show(WorkflowId(workflow_id))
        self.peeking.open()
        self._window.activateWindow()
        self.chat.focus_composer()

    def _go_from_toast(self, workflow_id: str) -> None:
        """To what it asks, where it does."""
        self._open(workflow_id)
        self.chat.focus_card()

    def _open_inbox(self) -> None:
        self._finding.inbox()

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

    def _attach(self) -> None:
        if self._centre.currentWidget() is self.start:
            self._new()
        self.attaching.choose()

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
            self._folding.fold_sidebar(False)
            self.sidebar.rename(viewed)

    def _on_viewed_one(self, deed: Callable[[str], None]) -> None:
        viewed = self._core.stores.background.viewed_workflow_id
        if viewed is not None:
            deed(viewed)

    def _look_at_none(self) -> None:
        self.deeds.show(None)

    def _act_on_banner(self) -> None:
        """Open what is peeked at, or restore what is archived."""
        if self.banner.standing is Standing.PEEKED:
            self.peeking.open()
        else:
            self._on_viewed_one(self.keeping.restore)
        self.chat.focus_composer()

    def _on_undoable(self, is_there: bool) -> None:
        if self._menus is not None:
            self._menus.enable("workflow.undo", is_enabled=is_there)

    def _toggle_archive(self) -> None:
        """Show what is archived, or the list again, with the focus in it."""
        self._folding.fold_sidebar(False)
        self.sidebar.show_archive(not self.sidebar.is_archive_shown)
        self.sidebar.take_focus()

    def _on_enter_sends(self, enter_sends: bool) -> None:
        self.chat.composer.needs_ctrl = not enter_sends
        self.keymap.set_defaults(defaults_where(enter_sends=enter_sends))

    def _mode_of(self, workflow_id: WorkflowId) -> ValidationMode | None:
        """The mode of a run where it is not that of the settings: shown on its row."""
        execution = self._core.stores.background.get_execution(workflow_id)
        mode = execution.run.mode if execution is not None and execution.run is not None else None
        return mode if mode is not self._core.settings.current.validation_mode else None

    def _choose_mode(self) -> None:
        if self.header.isVisible():
            self._modes.open_at(self.header.mode_place, self._core.settings.current.validation_mode)


def _in_window(widget: QWidget, window: QWidget) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
