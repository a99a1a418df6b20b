"""The content of the window: creates all parts and connects them."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from core.app import Core
from core.domain.ids import WorkflowId
from desktop.activity.panel import ActivityPanel
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.palette.palette import Palette
from desktop.search.panel import SearchPanel
from desktop.settings.parts.page import PageId
from desktop.shortcuts.chords import is_pressed
from desktop.shortcuts.keymap import Keymap
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.surfaces import Surface
from desktop.window.actions.activity_binder import ActivityBinder
from desktop.window.actions.archive_controller import ArchiveController
from desktop.window.actions.recording_controller import RecordingController
from desktop.window.actions.retry_controller import RetryController
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import WindowSession
from desktop.window.base.focus import ActivationWatcher, FocusRestorer
from desktop.window.commands.command_table import COMMANDS, setting_default_keys
from desktop.window.commands.key_context import EscapeChain, KeyContext, Panes
from desktop.window.commands.key_hints import KeyNames, sidebar_keys
from desktop.window.commands.keyboard import Keyboard
from desktop.window.commands.menus import Menus, WorkflowCommands
from desktop.window.commands.palette_controller import PaletteController, TemplateList
from desktop.window.commands.palette_source import PaletteSource
from desktop.window.conversation.centre import Centre, StartPage
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.conversation.find_controller import FindController
from desktop.window.conversation.header import Header, ViewBanner
from desktop.window.frame.binders import HeaderBinder, SidebarBinder
from desktop.window.frame.layout import Overlays, PanelFolding, arrange
from desktop.window.frame.notifications import DesktopNotifier, ReminderBinder
from desktop.window.frame.preferences import Preferences
from desktop.window.frame.quit_guard import QuitGuard, TrayIcon
from desktop.window.frame.status_line import StatusLine
from desktop.window.input.answering_choice import AnsweringChoice
from desktop.window.input.mode_choice import ModeChoice
from desktop.window.input.picker import Picker
from desktop.window.input.send_controller import InputController
from desktop.window.navigation.preview import WorkflowPreview
from desktop.window.navigation.search_controller import SearchController
from desktop.window.navigation.workflow_switcher import WorkflowOpener, WorkflowSwitcher
from desktop.window_state import WindowState


class Content(Adaptive, Surface):
    """The central widget. `begin` enables keys and overlays, `settle` shows the first workflow."""

    def __init__(self, session: WindowSession, core: Core, frames: Frames, tasks: Tasks, window: QMainWindow) -> None:
        super().__init__("app", parent=window)
        self._core = core
        self._window = window
        theme = session.theme
        presenter, stores, settings, clock = session.presenter, core.stores, core.settings, core.clock
        background, now = stores.background, core.clock.now
        keymap = self.keymap = Keymap(COMMANDS, session.state.keys, self)
        menus = self.menus = Menus(window, keymap)
        first = keymap.first

        # What is seen
        drafts = session.folders.store.with_name("drafts")
        header = self.header = Header(theme, self)
        self.banner = ViewBanner(theme, self)
        chat = self.chat = ChatPane(theme, frames, stores, clock, drafts, tasks, self)
        self.start = StartPage(theme, self)
        centre = self.centre = Centre(self.start, chat, stores, self)
        modes = self._modes = ModeChoice(theme, header, settings, core.bus, background, self)
        keys = sidebar_keys(keymap)
        sidebar = self.sidebar = Sidebar(theme, frames, background, stores.workflows, clock, keys, modes.unusual, self)
        fold_keys, compose_keys = first("view.activity"), first("focus.composer")
        self.activity = ActivityPanel(theme, stores.view, frames, now, fold_keys, compose_keys, self)
        self.recording = RecordingController(core, tasks, presenter, theme, frames, self)
        self.status = StatusLine(theme, stores, frames, self)
        self.toasts = ToastOverlay(theme, stores.toasts, frames, window)
        self.picker = Picker(theme, window)
        self.search = SearchPanel(theme, now, window)

        # What is done, and where one goes
        deeds = self.deeds = WorkflowActions(core, tasks, presenter, chat.conversation.turns_below, self)
        self.keeping = ArchiveController(core, tasks, deeds, window, self)
        self.peeking = WorkflowPreview(background, deeds.show, centre, self)
        opening = self.opening = WorkflowOpener(deeds, self.peeking, centre, chat, window)
        going = self.going = WorkflowSwitcher(stores, sidebar.order, opening, theme, window, self)
        self.folding = PanelFolding(sidebar, self.activity, theme, session.state)
        self._sidebar_place = SidebarBinder(sidebar, self.folding, deeds, self.keeping, opening, self.peeking)
        viewed = self._viewed = WorkflowCommands(stores, deeds, self.keeping, self._sidebar_place, menus)
        self._head = HeaderBinder(header, self.banner, stores, settings, self.peeking, centre, viewed.restore, self)
        self._retrying = RetryController(core, tasks, deeds, self)
        self.activity_place = ActivityBinder(core, tasks, presenter, self.activity, window, self)

        # What is written, and what is looked for
        answering = self.answering = AnsweringChoice(core, tasks, header, self.picker, self)
        self.composing = InputController(
            core, tasks, presenter, theme, frames, deeds, chat, answering, opening, window, self
        )
        places = KeyContext(sidebar, chat, self.toasts)
        templates = self._templates = TemplateList(core.slash, tasks, presenter, self)
        focus_centre, start = centre.take_focus, self.composing.slashing.start
        before, offers, carry_out = FocusRestorer(focus_centre), answering.offers, menus.trigger
        finder = PaletteSource(stores, going, menus.is_enabled, offers, templates, clock, keymap, places, before)
        self.finder = Palette(theme, finder, window)
        self.finding = PaletteController(self.finder, answering, opening, carry_out, templates, start, before, self)
        here = self.finding_here = FindController(theme, chat, tasks, stores.view, focus_centre, self)
        self._searching = SearchController(self.search, core, tasks, opening, here.show_message, focus_centre, self)

        # The window as a whole
        self.tray = TrayIcon(theme, stores, frames, self)
        self.leaving = QuitGuard(window, background, self.tray, session.end)
        self.notifying = DesktopNotifier(
            core, tasks, self.tray, self.leaving, opening, self.finding.inbox, window, self
        )
        self._reminding = ReminderBinder(core, chat.card, self.finding, self)
        self.preferences = Preferences(session, core, tasks, self.notifying, window, keymap, self)
        self._panes = Panes(window, sidebar, chat, self.start, self.activity, self.toasts)
        self._keyboard = Keyboard(window, keymap, places, carry_out, self)
        KeyNames(keymap, sidebar, header, chat, self.activity, self.status, here.bar, self)
        self._escaping = EscapeChain((chat.clear_selection, focus_centre))
        above = (self.finder, self.search, chat.completion, chat.mentions, going.recent_list)
        kept_clear = (chat.composer, chat.queue, chat.card, chat.inputs, header, self.status)
        self._overlays = Overlays(window, self.toasts, above, kept_clear)

        arrange(self, sidebar, (header, self.banner, self.recording.banner), centre, self.activity, self.status)
        self.folding.fit(self.width())
        sidebar.fold_sections(session.state.folded_sections)
        self._on_enter_sends(session.state.enter_sends)
        menus.fill(self._by_command())
        self._connect(frames)
        frames.bind(self, (stores.view.changed, stores.workflows.changed, background.changed), self._render)
        told = (stores.questions.changed, stores.inbox.changed, stores.workflows.changed, background.changed)
        frames.bind(self.finder, told, self.finder.refresh)
        background.viewed_changed.connect(self._on_viewed)
        self.adapt_to(theme)

    def begin(self) -> None:
        """Show the overlays and install the key filters, once the content is in its window."""
        self._render()
        self._overlays.begin()
        app = QApplication.instance()
        assert app is not None
        for keys in (self._keyboard, self.going.walk):
            app.installEventFilter(keys)
        ActivationWatcher(self._window, self._core.stores.background, self)
        self.notifying.begin()
        self._reminding.begin()

    def settle(self, viewed: WorkflowId | None) -> None:
        """Show the workflow that was viewed last, if it still exists. Everything is loaded."""
        self.centre.settle()
        self.deeds.look_for_demo()
        self._templates()
        self.chat.writing.forget_those_of_none()
        if viewed is not None and self._core.stores.workflows.get(viewed) is not None:
            self.deeds.show(viewed)
        self._render()
        self.centre.take_focus()

    def leave(self) -> None:
        """Release everything outside the window's own widgets."""
        app = QApplication.instance()
        if app is not None:
            for keys in (self._keyboard, self.going.walk):
                app.removeEventFilter(keys)
        self._core.stores.background.viewed_changed.disconnect(self._on_viewed, missing_ok=True)
        self.notifying.leave()
        self._reminding.leave()
        self.tray.leave()
        self.keeping.close()
        self.leaving.deleteLater()
        self.chat.leave()
        self._window.takeCentralWidget()
        self._searching.leave()
        self.finding_here.leave()
        self._overlays.leave()
        self.picker.deleteLater()
        self.deleteLater()

    def layout_state(self, state: WindowState) -> WindowState:
        """Return the state with the layout that the user chose."""
        return replace(self.folding.kept(state), folded_sections=self.sidebar.folded_sections)

    # What Qt tells

    def retranslate(self) -> None:
        self.menus.retranslate()
        self._render()

    def apply_theme(self) -> None:
        self.folding.apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.folding.fit(self.width())
        self._overlays.keep_clear()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Esc that no child accepted."""
        if is_pressed("Esc", event):
            self._escaping.close_innermost()
        else:
            super().keyPressEvent(event)

    # Connecting

    def _connect(self, frames: Frames) -> None:
        deeds, chat, viewed = self.deeds, self.chat, self._viewed
        self.centre.currentChanged.connect(self._render_around)
        self.peeking.opened.connect(self.going.viewed)
        self.peeking.changed.connect(self._render)
        self.sidebar.settings_requested.connect(self.preferences.open)
        self.activity.collapsed_changed.connect(self.folding.fold_activity)
        self.activity.compose_requested.connect(chat.focus_composer)
        self.header.stop_requested.connect(viewed.stop)
        self._modes.chosen.connect(deeds.set_mode)
        self._modes.changed.connect(self._render)
        self._modes.changed.connect(self.sidebar.refresh)
        self.preferences.enter_sends_changed.connect(self._on_enter_sends)
        chat.composer.stop_requested.connect(viewed.stop)
        chat.token_bar.summary_requested.connect(viewed.sum_up)
        chat.transcript.retry_requested.connect(deeds.retry)
        chat.transcript.link_activated.connect(deeds.open_link)
        chat.card.answered.connect(deeds.answer)
        chat.foot.changed.connect(self._overlays.keep_clear)
        self.answering.shown.connect(chat.token_meter.set_room)
        self.answering.connect_requested.connect(partial(self.preferences.open_at, PageId.MODELS))
        self.status.inbox_requested.connect(self.finding.inbox)
        self.start.demo_requested.connect(deeds.start_demo)
        self.start.model_requested.connect(partial(self.preferences.open_at, PageId.MODELS))
        self.start.template_requested.connect(self.finding.templates)
        self.toasts.go_requested.connect(self.opening.open_asking)
        for acts in (self._reminding.act, deeds.toast_action):
            self.toasts.action_requested.connect(acts)
        deeds.answered.connect(chat.card.settle)
        deeds.loaded.connect(frames.draw)
        self.menus.enable_by("demo.remove", deeds.demo_changed)
        self.menus.enable_by("workflow.undo", self.keeping.changed)

    def _by_command(self) -> dict[str, Callable[[], object]]:
        deeds = (self.deeds, self.keeping, self._viewed, self._retrying, self.recording, self.activity_place)
        ways = (self.opening, self.going, self.finding, self.finding_here, self._searching, self._panes)
        written = (self.chat, self.composing, self.answering, self._modes)
        around = (self.folding, self._sidebar_place, self.preferences, self.leaving)
        parts = (*deeds, *ways, *written, *around)
        return {command: deed for part in parts for command, deed in part.by_command().items()}

    # Showing

    def _render(self) -> None:
        self.centre.show_now()
        self._render_around()

    def _render_around(self) -> None:
        """Render what depends on the widget in the centre."""
        self._head.show_now()
        self._viewed.show_now()
        self.answering.show()
        self._overlays.keep_clear()

    def _on_viewed(self) -> None:
        """Show another workflow at once: the next key press belongs to it."""
        viewed = self._core.stores.background.viewed_workflow_id
        self.peeking.viewed(viewed)
        if viewed is not None and not self.peeking.is_on:
            self.going.viewed(viewed)
        self.answering.viewed_another()
        self.chat.show_now()
        self.composing.viewed_another()
        self.recording.show_now()
        self._render()

    def _on_enter_sends(self, enter_sends: bool) -> None:
        self.chat.composer.needs_ctrl = not enter_sends
        self.keymap.set_defaults(setting_default_keys(enter_sends=enter_sends))
