"""The commands on the workflow that is viewed, and which of them can be carried out (UI §4)."""

from collections.abc import Callable
from functools import partial

from core.wiring import Stores
from desktop.window.actions import Actions
from desktop.window.keeping import Keeping
from desktop.window.menus import Menus
from desktop.window.sidebar_place import SidebarPlace


class ViewedCommands:
    """Each does nothing where no workflow is viewed, or says so."""

    def __init__(
        self, stores: Stores, deeds: Actions, keeping: Keeping, sidebar_place: SidebarPlace, menus: Menus
    ) -> None:
        self._stores = stores
        self._deeds = deeds
        self._keeping = keeping
        self._sidebar_place = sidebar_place
        self._menus = menus

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {
            "workflow.rename": partial(self._do, self._sidebar_place.rename),
            "workflow.archive": partial(self._do, self._keeping.archive),
            "workflow.restore": self.restore,
            "workflow.delete": partial(self._do, self._keeping.delete),
            "run.start": self._deeds.again,
            "run.stop": self.stop,
            "run.summary": self.sum_up,
        }

    def restore(self) -> None:
        self._do(self._keeping.restore)

    def stop(self) -> None:
        self._deeds.stop(self._stores.background.viewed_workflow_id)

    def sum_up(self) -> None:
        self._deeds.sum_up(self._stores.background.viewed_workflow_id)

    def show_now(self) -> None:
        """Which of them can be carried out now."""
        viewed = self._stores.background.viewed_workflow_id
        listed = self._stores.workflows.get(viewed) if viewed is not None else None
        is_archived = listed is not None and listed.workflow.is_archived
        for command in ("workflow.rename", "workflow.delete"):
            self._menus.enable(command, is_enabled=viewed is not None)
        self._menus.enable("workflow.archive", is_enabled=viewed is not None and not is_archived)
        self._menus.enable("workflow.restore", is_enabled=is_archived)

    def _do(self, deed: Callable[[str], None]) -> None:
        viewed = self._stores.background.viewed_workflow_id
        if viewed is not None:
            deed(viewed)
