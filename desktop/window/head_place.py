"""What stands above the viewed workflow: its name, state and mode, and how it stands where that is unusual (UI §3)."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from core.services.settings import SettingsService
from core.wiring import Stores
from desktop.window.centre import Centre
from desktop.window.header import Header
from desktop.window.peeking import Peeking
from desktop.window.place_banner import PlaceBanner, Standing
from desktop.window.title import viewed_title


class HeadPlace(QObject):
    """The header goes with the chat. The button of the banner opens what is peeked at; else `restore` is called."""

    def __init__(
        self,
        header: Header,
        banner: PlaceBanner,
        stores: Stores,
        settings: SettingsService,
        peeking: Peeking,
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
            Standing.PEEKED if self._peeking.is_on else Standing.ARCHIVED if is_archived else Standing.LISTED
        )

    def _on_acted(self) -> None:
        if self._banner.standing is Standing.PEEKED:
            self._peeking.open()
        else:
            self._restore()
        self._centre.take_focus()
