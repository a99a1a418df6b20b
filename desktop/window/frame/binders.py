"""Bind the header, the banner and the sidebar to the viewed workflow and to the controllers (UI §3)."""

from collections.abc import Callable

from core.domain.ids import WorkflowId
from desktop.shortcuts.command import command
from desktop.sidebar.row_menu import RowAction
from desktop.sidebar.sidebar import Sidebar
from desktop.window.actions.archive_controller import ArchiveController
from desktop.window.actions.transfer_controller import TransferController
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.workflow_strings import viewed_title
from desktop.window.conversation.centre import Centre
from desktop.window.conversation.header import Header, ViewBanner, ViewState
from desktop.window.frame.layout import PanelFolding
from desktop.window.navigation.workflow_switcher import WorkflowOpener, WorkflowPreview


class HeaderBinder(Controller):
    """Renders the header and the banner above the chat.

    The banner's button opens the previewed workflow, or calls `restore` for an archived one.
    """

    def __init__(
        self,
        context: WindowContext,
        header: Header,
        banner: ViewBanner,
        preview: WorkflowPreview,
        centre: Centre,
        restore: Callable[[], None],
    ) -> None:
        super().__init__(context)
        self._header = header
        self._banner = banner
        self._preview = preview
        self._centre = centre
        self._restore = restore
        banner.acted.connect(self._on_acted)

    def show_now(self) -> None:
        view = self._stores.view
        listed = self._stores.workflows.get(view.workflow_id) if view.workflow_id is not None else None
        execution = view.execution
        title = viewed_title(self._stores) or self.tr("New workflow")
        status = execution.status if execution else listed.status if listed else None
        # an active run keeps the mode that it began with, whatever the settings are now
        run = execution.run if execution and execution.is_active else None
        mode = run.mode if run is not None and run.mode is not None else self._core.settings.current.validation_mode
        self._header.show_workflow(title, status, mode)
        self._header.setVisible(self._centre.is_chat)
        is_archived = listed is not None and listed.workflow.is_archived
        self._banner.show_state(
            ViewState.PREVIEWED if self._preview.is_on else ViewState.ARCHIVED if is_archived else ViewState.LISTED
        )

    def _on_acted(self) -> None:
        if self._banner.state is ViewState.PREVIEWED:
            self._preview.open()
        else:
            self._restore()
        self._centre.take_focus()


class SidebarBinder:
    """Connects the sidebar to the controllers, and unfolds it for commands that need it."""

    def __init__(
        self,
        sidebar: Sidebar,
        panels: PanelFolding,
        actions: WorkflowActions,
        archive: ArchiveController,
        opener: WorkflowOpener,
        preview: WorkflowPreview,
        transfer: TransferController,
    ) -> None:
        self._sidebar = sidebar
        self._panels = panels
        self._row_actions: dict[RowAction, Callable[[WorkflowId], object]] = {
            RowAction.OPEN: opener.open,
            RowAction.PEEK: preview.toggle,
            RowAction.STOP: actions.stop,
            RowAction.EXPORT: transfer.export_workflow,
            RowAction.ARCHIVE: archive.archive,
            RowAction.RESTORE: archive.restore,
            RowAction.DELETE: archive.delete,
        }
        sidebar.row_requested.connect(self._perform)
        sidebar.new_requested.connect(opener.open_new)
        sidebar.rename_requested.connect(actions.rename)
        sidebar.undo_requested.connect(archive.undo)
        sidebar.peek_left.connect(preview.end)
        sidebar.collapsed_changed.connect(panels.fold_sidebar)
        preview.changed.connect(sidebar.set_peeking)

    def _perform(self, action: RowAction, workflow_id: str) -> None:
        self._row_actions[action](WorkflowId(workflow_id))

    def rename(self, workflow_id: str) -> None:
        """Edit the title in its row."""
        self._panels.fold_sidebar(False)  # a folded sidebar has no row to edit
        self._sidebar.rename(WorkflowId(workflow_id))

    @command("view.archive")
    def toggle_archive(self) -> None:
        """Show the archive or the list, and focus it."""
        self._panels.fold_sidebar(False)
        self._sidebar.show_archive(not self._sidebar.is_archive_shown)
        self._sidebar.take_focus()
