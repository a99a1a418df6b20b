"""The folders and files that workflows may access, by path."""

from collections.abc import Awaitable
from dataclasses import dataclass

from psygnal import SignalInstance

from core.domain.grants import FolderGrant
from core.services.folders import FolderService, TakenBack
from core.services.outcome import Outcome
from core.services.settings import SettingsService
from core.stores.workflows import Workflows


@dataclass(frozen=True, slots=True)
class AllowedFolder:
    """A folder or file, with the titles of the workflows that may access it, last changed first.

    `is_read_only`: none of them may change it. `is_offered`: to the next new workflow.
    """

    path: str
    workflows: tuple[str, ...]
    is_read_only: bool
    is_offered: bool


class FolderSource:
    """Lists what is allowed, and takes it back."""

    def __init__(self, service: FolderService, workflows: Workflows, settings: SettingsService) -> None:
        self._workflows = workflows
        self._settings = settings
        self._service = service

    @property
    def signals(self) -> tuple[SignalInstance, ...]:
        """Emitted when the list may have changed."""
        return self._workflows.changed, self._settings.changed

    def allowed(self) -> list[AllowedFolder]:
        """Return the folders and files, by path."""
        titles: dict[str, list[str]] = {}
        writable: set[str] = set()
        offered = [FolderGrant.parse(folder) for folder in self._settings.current.last_folders]
        listed = [
            (row.title, FolderGrant.parse(folder))
            for row in (*self._workflows.rows, *self._workflows.archived)
            for folder in row.workflow.folders
        ]
        for title, grant in listed:
            titles.setdefault(grant.path, []).append(title)
        for grant in (*offered, *(grant for _, grant in listed)):
            titles.setdefault(grant.path, [])
            if not grant.is_read_only:
                writable.add(grant.path)
        open_to_new = {grant.path for grant in offered}
        return [
            AllowedFolder(path, tuple(titles[path]), path not in writable, path in open_to_new)
            for path in sorted(titles, key=str.casefold)
        ]

    def take_back(self, path: str) -> Awaitable[Outcome[TakenBack]]:
        """Remove it from every workflow (`FolderService.take_back`)."""
        return self._service.take_back(path)

    def give_back(self, taken: TakenBack) -> Awaitable[Outcome[None]]:
        """Undo `take_back`."""
        return self._service.give_back(taken)
