"""The content of the window: creates all parts and connects them."""

from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow

from core.app import Core
from core.domain.ids import WorkflowId
from desktop.activity.panel import ActivityPanel
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.chat.composer.draft import local_files
from desktop.operations import Operations
from desktop.search.panel import SearchPanel
from desktop.shortcuts.chords import is_pressed
from desktop.shortcuts.command import handlers_of
from desktop.shortcuts.keymap import Keymap
from desktop.sidebar.sidebar import Sidebar
from desktop.toasts.overlay import ToastOverlay
from desktop.widgets import Adaptive, Surface
from desktop.window.actions.activity_binder import ActivityBinder
from desktop.window.actions.archive_controller import ArchiveController
from desktop.window.actions.mode_actions import DemoController, ModeActions
from desktop.window.actions.recording_controller import RecordingController
from desktop.window.actions.retry_controller import RetryController
from desktop.window.actions.transfer_controller import TransferController
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import WindowContext, WindowSession
from desktop.window.base.focus import ActivationWatcher
from desktop.window.commands.command_table import COMMANDS, setting_default_keys
from desktop.window.commands.key_context import EscapeChain, KeyContext, KeyHints, Panes, sidebar_keys
from desktop.window.commands.keyboard import Keyboard
from desktop.window.commands.menus import Menus, WorkflowCommands
from desktop.window.commands.palette_controller import PaletteController
from desktop.window.conversation.centre import Centre, StartPage
from desktop.window.conversation.changed_files_controller import ChangedFilesController
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.conversation.find_controller import FindController
from desktop.window.conversation.header import Header, ViewBanner
from desktop.window.conversation.picture_controller import PictureController
from desktop.window.frame.binders import HeaderBinder, SidebarBinder
from desktop.window.frame.layout import Overlays, PanelFolding, arrange
from desktop.window.frame.notifications import DesktopNotifier, ReminderBinder
from desktop.window.frame.preferences import Preferences
from desktop.window.frame.quit_guard import QuitGuard, TrayIcon
from desktop.window.frame.status_line import StatusLine
from desktop.window.frame.storage_banner import StorageBanner
from desktop.window.input.folder_choice import FolderChoice
from desktop.window.input.header_choices import AnsweringChoice, ModeChoice
from desktop.window.input.limit_controller import LimitController
from desktop.window.input.picker import Picker
from desktop.window.input.send_controller import InputController
from desktop.window.navigation.search_controller import SearchController
from desktop.window.navigation.workflow_switcher import WorkflowOpener, WorkflowPreview, WorkflowSwitcher
from desktop.window_state import WindowState


class Content(Adaptive, Surface):
    """The central widget. `begin` enables keys and overlays, `settle` shows the first workflow."""

    def __init__(self, session: WindowSession, core: Core, frames: Frames, tasks: Tasks, window: QMainWindow) -> None:
        super().__init__("app", parent=window)
        self._core = core
        self._window = window
        keymap = self.keymap = Keymap(COMMANDS, session.state.keys, self)
        operations = Operations(tasks.spawn, session.presenter.fail)
        context = WindowContext(session, core, frames, tasks, operations, keymap, window, self)
        theme, stores, now = context.theme, context.stores, core.clock.now
        menus = self.menus = Menus(context)

        # The order matters where constructors connect: Qt calls slots in the order of their connection.

        # Widgets, and the controllers that they show
        header = self.header = Header(theme, self)
        self.banner = ViewBanner(theme, self)
        chat = self.chat = ChatPane(context, self)
        self.start = StartPage(theme, self)
        centre = self.centre = Centre(context, self.start, chat)
        mode_choice = self._mode_choice = ModeChoice(context, header)
        sidebar = self.sidebar = Sidebar(
            theme,
            frames,
            stores.background,
            stores.workflows,
            core.clock,
            sidebar_keys(keymap),
            mode_choice.divergent_mode,
            self,
        )
        keys = keymap.first("view.activity"), keymap.first("focus.composer")
        self.activity = ActivityPanel(theme, stores.view, frames, now, *keys, self)
        self.recording = RecordingController(context)
        self.status = StatusLine(context)
        self.toasts = ToastOverlay(theme, stores.toasts, frames, window)
        self.picker = Picker(theme, window)
        self.search = SearchPanel(theme, now, window)

        # Actions and navigation
        actions = self.workflow_actions = WorkflowActions(context, chat.conversation.turns_below)
        self.mode = ModeActions(context, actions)
        self.storage = StorageBanner(context, actions.toasts)
        self.demo = DemoController(context, actions, self.mode)
        self._retry = RetryController(context, actions)
        self.archive = ArchiveController(context, actions)
        preview = self.preview = WorkflowPreview(context, actions.show, centre)
        opener = self.opener = WorkflowOpener(context, actions, preview, centre, chat)
        switcher = self.switcher = WorkflowSwitcher(context, sidebar.order, opener)
        self.panels = PanelFolding(context, sidebar, self.activity)
        self.transfer = TransferController(context)
        self._sidebar_binder = SidebarBinder(
            sidebar, self.panels, actions, self.archive, opener, preview, self.transfer
        )
        self._commands = WorkflowCommands(context, actions, self.archive, self._sidebar_binder, menus)
        restore = self._commands.restore
        self._header_binder = HeaderBinder(context, header, self.banner, preview, centre, restore)
        self.activity_binder = ActivityBinder(context, self.activity)
        self.changed_files = ChangedFilesController(context, self.chat)
        self.pictures = PictureController(context, chat)

        # Input, palette and search
        answering = self.answering = AnsweringChoice(context, header, self.picker)
        folders = self.folder_choice = FolderChoice(context, header, actions, opener)
        self.input = InputController(context, actions, self._retry, chat, answering, folders, opener)
        self.input.attachments.picture_opened.connect(self.pictures.show)
        self.limit = LimitController(context, actions, self.mode, chat)
        scopes = KeyContext(sidebar, chat, self.toasts)
        start_template, focus_centre = self.input.slash_commands.start, centre.take_focus
        self.palette_controller = PaletteController(
            context, switcher, opener, menus, answering, scopes, start_template, focus_centre
        )
        self.command_palette = self.palette_controller.palette
        find = self.find_controller = FindController(context, chat, focus_centre)
        self.search_controller = SearchController(context, self.search, opener, find.show_message, focus_centre)

        # The window
        open_inbox = self.palette_controller.open_inbox
        self.tray = TrayIcon(context)
        self.quit_guard = QuitGuard(context, self.tray)
        self.notifier = DesktopNotifier(context, self.tray, self.quit_guard, opener, open_inbox)
        self._reminders = ReminderBinder(context, chat.card, open_inbox)
        self.preferences = Preferences(context, self.notifier)
        self._panes = Panes(context, sidebar, chat, self.start, self.activity, self.toasts)
        self._keyboard = Keyboard(context, scopes, menus.trigger)
        KeyHints(context, sidebar, header, chat, self.activity, self.status, find.bar)
        self._escape_chain = EscapeChain((chat.clear_selection, focus_centre))
        lists = (self.command_palette, self.search, chat.completion, chat.mentions, switcher.recent_list)
        avoided = (chat.composer, chat.queue, chat.card, chat.inputs, header, self.status, *self.start.parts)
        self._overlays = Overlays(window, self.toasts, lists, avoided, chat.transcript)

        headers = (header, self.storage, self.banner, self.recording.banner)
        arrange(self, sidebar, headers, centre, self.activity, self.status)
        self.panels.fit(self.width())
        sidebar.fold_sections(session.state.folded_sections)
        self._on_enter_sends(session.state.enter_sends)
        menus.fill(handlers_of(self._controllers()))
        self._connect(frames)
        self.setAcceptDrops(True)
        frames.bind(self, (stores.view.changed, stores.workflows.changed, stores.background.changed), self._render)
        # at once, not in the next frame: the user has just chosen another mode, agent or workflow
        self._immediate = (
            (core.settings.changed, self._on_settings),
            (core.agents.changed, answering.show),
            (stores.background.viewed_changed, self._on_viewed),
        )
        for signal, render in self._immediate:
            signal.connect(render)
        self.adapt_to(theme)

    def begin(self) -> None:
        """Show the overlays and install the key filters, once the content is in its window."""
        self._render()
        self._overlays.begin()
        app = QApplication.instance()
        assert app is not None
        # the filter installed last runs first: an open list of recent workflows has its keys before the keymap
        for key_filter in (self._keyboard, self.switcher.walk):
            app.installEventFilter(key_filter)
        ActivationWatcher(self._window, self._core.stores.background, self)
        self.notifier.begin()
        self._reminders.begin()

    def settle(self, viewed: WorkflowId | None) -> None:
        """Show the workflow that was viewed last, if it still exists. Everything is loaded."""
        self.centre.settle()
        self.demo.look()
        self.palette_controller.templates()
        self.chat.settle()
        if viewed is not None and self._core.stores.workflows.get(viewed) is not None:
            self.workflow_actions.show(viewed)
        else:
            self.input.forms.on_viewed()
        self._render()
        self.centre.take_focus()

    async def close_drafts(self) -> None:
        """Save what the user has written and not sent, and stop saving it."""
        self.chat.composer.commit_preedit()
        for drafts in (self.chat.drafts, self.chat.answer_drafts, self.input.forms.drafts):
            await drafts.close()

    def replay(self, keys: Iterable[QKeyEvent]) -> None:
        """Handle keys that were pressed before this was there."""
        self._keyboard.replay(keys, self._begin_writing)

    def _begin_writing(self) -> None:
        self.opener.open_chat()
        self.chat.focus_composer()

    def dispose(self) -> None:
        """Release everything outside the window's own widgets."""
        app = QApplication.instance()
        if app is not None:
            for key_filter in (self._keyboard, self.switcher.walk):
                app.removeEventFilter(key_filter)
        for signal, render in self._immediate:
            signal.disconnect(render, missing_ok=True)
        self.notifier.close()
        self._reminders.close()
        self.tray.remove()
        self.archive.close()
        # the tray question, the picker and the overlays are children of the window and would outlive the content
        self.quit_guard.deleteLater()
        self.chat.disconnect_stores()
        self._window.takeCentralWidget()
        self.search_controller.close()
        self.find_controller.close()
        self._overlays.close()
        self.picker.deleteLater()
        self.deleteLater()

    def layout_state(self, state: WindowState) -> WindowState:
        """Return the state with the layout that the user chose."""
        return replace(self.panels.updated(state), folded_sections=self.sidebar.folded_sections)

    # Qt

    def retranslate(self) -> None:
        self.menus.retranslate()
        self._render()

    def apply_theme(self) -> None:
        self.panels.apply_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.panels.fit(self.width())
        self._overlays.update_avoided()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept what no child takes: exports and folders, wherever they are dropped."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if files := local_files(event.mimeData()):
            event.acceptProposedAction()
            self.input.attachments.drop_beside(files)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Esc that no child accepted."""
        if is_pressed("Esc", event):
            self._escape_chain.close_innermost()
        else:
            super().keyPressEvent(event)

    # Connections

    def _connect(self, frames: Frames) -> None:
        actions, chat, commands = self.workflow_actions, self.chat, self._commands
        self.centre.currentChanged.connect(self._render_around)
        self.preview.opened.connect(self.switcher.on_viewed)
        self.preview.changed.connect(self._render)
        self.sidebar.settings_requested.connect(self.preferences.open)
        self.activity.collapsed_changed.connect(self.panels.fold_activity)
        self.activity.compose_requested.connect(chat.focus_composer)
        self.header.stop_requested.connect(commands.stop)
        self._mode_choice.chosen.connect(self.mode.set_mode)
        self.preferences.enter_sends_changed.connect(self._on_enter_sends)
        chat.composer.stop_requested.connect(commands.stop)
        chat.token_bar.summary_requested.connect(commands.sum_up)
        chat.transcript.retry_requested.connect(self._retry.resend_prompt_of)
        chat.transcript.link_activated.connect(actions.open_link)
        chat.card.answered.connect(actions.answer)
        chat.footer.changed.connect(self._overlays.update_avoided)
        self.input.attachments.set_importer(self.transfer.take_dropped)
        self.preferences.transfer.export_requested.connect(self.transfer.choose_and_export)
        self.preferences.transfer.import_requested.connect(self.transfer.choose_and_import)
        self.answering.shown.connect(chat.token_binder.set_context_tokens)
        offer = chat.footer.offer
        for request in (self.answering.connect_requested, self.start.model_requested, offer.connect_requested):
            request.connect(self.preferences.connect_model)
        self.status.inbox_requested.connect(self.palette_controller.open_inbox)
        self.start.demo_requested.connect(self.demo.start)
        self.start.folder_requested.connect(self.folder_choice.choose_for_new)
        self.start.template_requested.connect(self.palette_controller.open_templates)
        self.toasts.go_requested.connect(self.opener.open_request)
        for act in (self._reminders.act, actions.toasts.run):
            self.toasts.action_requested.connect(act)
        actions.answered.connect(chat.card.show_outcome)
        actions.loaded.connect(frames.draw)
        self.menus.enable_by("demo.remove", self.demo.changed)
        self.menus.enable_by("workflow.undo", self.archive.changed)

    def _controllers(self) -> tuple[object, ...]:
        """Return the objects with command handlers."""
        actions = (self.demo, self.archive, self._commands, self._retry, self.recording, self.activity_binder)
        navigation = (self.opener, self.switcher, self.switcher.walk, self.search_controller)
        conversation = (self.transfer, self.chat, self.chat.transcript, self.find_controller)
        controllers = (self.input.attachments, self.input.sender, self.answering, self._mode_choice, self.folder_choice)
        window = (self.palette_controller, self._panes, self.panels, self._sidebar_binder, self.preferences)
        return (*actions, *navigation, *conversation, *controllers, *window, self.quit_guard)

    # Rendering

    def _render(self) -> None:
        self.centre.show_now()
        self._render_around()

    def _render_around(self) -> None:
        """Render what depends on the widget in the centre."""
        self._header_binder.show_now()
        self._commands.show_now()
        self.answering.show()
        self.folder_choice.show()
        self._overlays.update_avoided()

    def _on_viewed(self) -> None:
        """Show another workflow at once: the next key press belongs to it."""
        viewed = self._core.stores.background.viewed_workflow_id
        self.preview.on_viewed(viewed)
        if viewed is not None and not self.preview.is_on:  # a preview enters no history until it is opened
            self.switcher.on_viewed(viewed)
        self.answering.on_viewed()
        self.chat.show_now()
        self.input.on_viewed()
        self.limit.show_now()
        self.recording.show_now()
        self._render()

    def _on_settings(self) -> None:
        self._render()
        self.sidebar.refresh()  # its rows show a mode that differs from the settings

    def _on_enter_sends(self, enter_sends: bool) -> None:
        self.chat.composer.needs_ctrl = not enter_sends
        self.keymap.set_defaults(setting_default_keys(enter_sends=enter_sends))
