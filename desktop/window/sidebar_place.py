"""The sidebar in the window: what it asks for is carried out, and it opens for what a command does in it."""

from collections.abc import Callable

from core.domain.ids import WorkflowId
from desktop.sidebar.sidebar import Sidebar
from desktop.window.actions import Actions
from desktop.window.folding import Folding
from desktop.window.keeping import Keeping
from desktop.window.opening import Opening
from desktop.window.peeking import Peeking


class SidebarPlace:
    """Of one window."""

    def __init__(
        self, sidebar: Sidebar, folding: Folding, deeds: Actions, keeping: Keeping, opening: Opening, peeking: Peeking
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
        """Let the title be written in its row."""
        self._folding.fold_sidebar(False)
        self._sidebar.rename(WorkflowId(workflow_id))

    def toggle_archive(self) -> None:
        """Show what is archived, or the list again, with the focus in it."""
        self._folding.fold_sidebar(False)
        self._sidebar.show_archive(not self._sidebar.is_archive_shown)
        self._sidebar.take_focus()
