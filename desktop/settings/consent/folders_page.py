"""The Folders page: which folders and files workflows may access, each taken back with an undo."""

from collections.abc import Awaitable
from functools import partial

from core.services.folders import TakenBack
from core.services.outcome import Failed, Outcome
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.sources.context import SettingsContext
from desktop.settings.sources.folder_source import AllowedFolder
from desktop.translation import failure_text, number

_NAMED_WORKFLOWS = 3
_NAME_CHARACTERS = 40


class FoldersPage(ListPage[ItemRow]):
    """Follows changes of folders from any origin."""

    page_id = PageId.FOLDERS

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        self._folders = context.folders
        self.follow(*context.folders.signals)
        self.adapt_to(context.theme)

    def retranslate(self) -> None:
        super().retranslate()
        self.about.setText(
            self.tr(
                "Tools reach the files in the folders of their workflow, and no others. Folders are chosen in the "
                "header of a workflow; those that are removed here are closed to all workflows. A run that is at "
                "work keeps its folders until it ends."
            )
        )
        self.empty.setText(self.tr("No workflow has a folder. Choose one in the header of a workflow."))

    def show_list(self) -> None:
        allowed = self._folders.allowed()
        self.show_rows(
            {folder.path: self.row_for(folder.path, folder, partial(self._row, folder)) for folder in allowed}
        )

    def list_search_text(self) -> str:
        # all of the list belongs to a search for folders, whatever these are called
        return f"{self.title()} {self.empty.text()} {super().list_search_text()}"

    def failure_text(self, failed: Failed) -> str:
        return failure_text(failed.code, failed.message)

    def _row(self, folder: AllowedFolder) -> ItemRow:
        row = ItemRow(self._theme, folder.path, is_default=None, can_edit=False)
        row.set_summary(self._summary(folder))
        row.remove_requested.connect(partial(self._remove, folder.path))
        return row

    def _summary(self, folder: AllowedFolder) -> str:
        access = self.tr("Read only") if folder.is_read_only else self.tr("Read and write")
        return "\n".join([access, *filter(None, (self._places(folder.workflows),)), *self._offer(folder)])

    def _places(self, titles: tuple[str, ...]) -> str:
        quoted = self.tr("“{title}”")
        named = ", ".join(quoted.format(title=_shortened(title)) for title in titles[:_NAMED_WORKFLOWS])
        others = len(titles) - _NAMED_WORKFLOWS
        if others > 0:
            return self.tr("In {workflows} and {count} more").format(workflows=named, count=number(others))
        return self.tr("In {workflows}").format(workflows=named) if named else ""

    def _offer(self, folder: AllowedFolder) -> list[str]:
        return [self.tr("Offered to the next new workflow")] if folder.is_offered else []

    def _remove(self, path: str) -> None:
        self.remove(path, partial(self._folders.take_back, path), self._restore, partial(self._removed_text, path))

    def _restore(self, taken: TakenBack) -> Awaitable[Outcome[None]]:
        return self._folders.give_back(taken)

    def _removed_text(self, path: str, _taken: TakenBack, is_undone: bool) -> str:
        text = self.tr("{folder} is allowed again.") if is_undone else self.tr("{folder} is not allowed any more.")
        return text.format(folder=path)


def _shortened(title: str) -> str:
    return title if len(title) <= _NAME_CHARACTERS else f"{title[: _NAME_CHARACTERS - 1]}…"
