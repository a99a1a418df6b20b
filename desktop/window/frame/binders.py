"""Bind the header, the banner and the sidebar to the viewed workflow and to the controllers (UI §3)."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from core.app import Stores
from core.domain.ids import WorkflowId
from core.services.settings import SettingsService
from desktop.sidebar.sidebar import Sidebar
from desktop.window.actions.archive_controller import ArchiveController
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.workflow_strings import viewed_title
from desktop.window.conversation.centre import Centre
from desktop.window.conversation.header import Header, ViewBanner, ViewState
from desktop.window.frame.layout import PanelFolding
from desktop.window.navigation.preview import WorkflowPreview
from desktop.window.navigation.workflow_switcher import WorkflowOpener


class HeaderBinder(QObject):
    """Renders the header and the banner above the chat.

    The banner's button opens the previewed workflow, or calls `restore` for an archived one.
    """

    def __init__(
        self,
        header: Header,
        banner: ViewBanner,
        stores: Stores,
        settings: SettingsService,
        peeking: WorkflowPreview,
        centre: Centre,
        restore: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._header = header
        self._banner = banner
        self._stores = stores
        self._settings = settings
        self._peeking = peeking
        self._centre = centre
        self._restore = restore
        banner.acted.connect(self._on_acted)

    def show_now(self) -> None:
        view, workflows = self._stores.view, self._stores.workflows
        listed = workflows.get(view.workflow_id) if view.workflow_id is not None else None
        execution = view.execution
        title = viewed_title(view, workflows) or self.tr("New workflow")
        status = execution.status if execution else listed.status if listed else None
        run = execution.run if execution and execution.is_active else None
        mode = run.mode if run is not None and run.mode is not None else self._settings.current.validation_mode
        self._header.show_workflow(title, status, mode)
        self._header.setVisible(self._centre.is_chat)
        is_archived = listed is not None and listed.workflow.is_archived
        self._banner.show_standing(
            ViewState.PEEKED if self._peeking.is_on else ViewState.ARCHIVED if is_archived else ViewState.LISTED
        )

    def _on_acted(self) -> None:
        if self._banner.standing is ViewState.PEEKED:
            self._peeking.open()
        else:
            self._restore()
        self._centre.take_focus()


class SidebarBinder:
    """Connects the sidebar to the controllers, and unfolds it for commands that need it."""

    def __init__(
        self,
        sidebar: Sidebar,
        folding: PanelFolding,
        deeds: WorkflowActions,
        keeping: ArchiveController,
        opening: WorkflowOpener,
        peeking: WorkflowPreview,
    ) -> None:
        self._sidebar = sidebar
        self._folding = folding
        sidebar.open_requested.connect(opening.open)
        sidebar.new_requested.connect(opening.open_new)
        sidebar.rename_requested.connect(deeds.rename)
        sidebar.stop_requested.connect(deeds.stop)
        sidebar.archive_requested.connect(keeping.archive)
        sidebar.restore_requested.connect(keeping.restore)
        sidebar.delete_requested.connect(keeping.delete)
        sidebar.undo_requested.connect(keeping.undo)
        sidebar.peek_requested.connect(peeking.peek)
        sidebar.peek_left.connect(peeking.leave)
        sidebar.collapsed_changed.connect(folding.fold_sidebar)
        peeking.changed.connect(sidebar.set_peeking)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"view.archive": self.toggle_archive}

    def rename(self, workflow_id: str) -> None:
        """Edit the title in its row."""
        self._folding.fold_sidebar(False)
        self._sidebar.rename(WorkflowId(workflow_id))

    def toggle_archive(self) -> None:
        """Show the archive or the list, and focus it."""
        self._folding.fold_sidebar(False)
        self._sidebar.show_archive(not self._sidebar.is_archive_shown)
        self._sidebar.take_focus()
