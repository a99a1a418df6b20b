"""The folders and files of a workflow, chosen in its header: what its next turns may access (AGENTS_AND_TOOLS §5).

A new workflow is offered those that were chosen last.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path, PurePath

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMenu

from core.domain.grants import FolderGrant
from core.domain.ids import WorkflowId
from core.domain.toast import ToastType
from core.services.outcome import Failed
from desktop.aio import chosen_file
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import TemplateStart
from desktop.window.conversation.header import Header
from desktop.window.navigation.workflow_switcher import WorkflowOpener

MOST_RECENT = 8

Grants = tuple[FolderGrant, ...]


class FolderChoice(Controller):
    """Shows the folders of the viewed workflow and changes them through a menu below the header.

    `_is_chosen`: the user has chosen those of the next new workflow, which are only offered else.
    """

    def __init__(
        self, context: WindowContext, header: Header, actions: WorkflowActions, opener: WorkflowOpener
    ) -> None:
        super().__init__(context)
        self._header = header
        self._actions = actions
        self._opener = opener
        self._gone: frozenset[FolderGrant] = frozenset()
        self._looked_at: tuple[WorkflowId | None, Grants] = None, ()
        self._is_chosen = False
        self._menu = QMenu(header)
        self._menu.setObjectName("folders")
        self._menu.setToolTipsVisible(True)
        header.folder_requested.connect(self.open)
        actions.sent.connect(self._on_sent)
        actions.template_settled.connect(self._on_settled)

    def show(self) -> None:
        """Show the folders of the next turn in the header."""
        folders = self._folders_of(self._viewed)
        if (self._viewed, folders) != self._looked_at:
            self._look()
        self._header.show_folders(folders, self._gone.intersection(folders))
        self._actions.folders_for_new = tuple(map(str, self._folders_of(None)))

    @property
    def main(self) -> str | None:
        """The folder where relative paths start."""
        return next((folder.path for folder in self._folders_of(self._viewed)), None)

    @command("workflow.folder")
    def open(self) -> None:
        """Open the menu below the header's button; from the start page, in a new workflow."""
        self._opener.open_chat()
        self._look()
        self._fill()
        self._menu.popup(self._header.folder_place)
        self._menu.setActiveAction(next(action for action in self._menu.actions() if not action.isSeparator()))

    def choose_for_new(self) -> None:
        """Begin a new workflow and ask for its folder."""
        self._opener.open_new()
        self._ask(None, is_added=False)

    async def take_dropped(self, paths: Sequence[str], workflow_id: WorkflowId | None) -> list[str]:
        """Add the folders among the dropped paths to the workflow, and return the other paths. A new workflow whose
        folders the user has not chosen yet gets these in place of what it was offered.
        """
        folders = await self._core.attachments.folders_among(paths)
        if folders:
            self._opener.open_chat()
            has_chosen = workflow_id is not None or self._is_chosen
            before = self._folders_of(workflow_id) if has_chosen else ()
            self._set(workflow_id, (*before, *map(FolderGrant, folders)))
        return [path for path in paths if path not in folders]

    def _folders_of(self, workflow_id: WorkflowId | None) -> Grants:
        if workflow_id is None:
            offered = map(FolderGrant.parse, self._core.settings.current.last_folders)
            return tuple(folder for folder in offered if folder not in self._gone)
        listed = self._stores.workflows.get(workflow_id)
        return () if listed is None else tuple(map(FolderGrant.parse, listed.workflow.folders))

    # What is gone

    def _look(self) -> None:
        folders = self._folders_of(self._viewed)
        self._looked_at = self._viewed, folders
        offered = self._core.settings.current.last_folders
        self._operations.run(self._find_gone({*map(str, folders), *offered}), "look for folders")

    async def _find_gone(self, folders: set[str]) -> None:
        gone = unwrap(await self._core.workflows.gone_folders(tuple(folders)))
        found = frozenset(map(FolderGrant.parse, gone))
        if found != self._gone:
            self._gone = found
            self.show()

    # The menu

    def _fill(self) -> None:
        """List what can be chosen for the workflow that is viewed now, whatever is viewed when it is chosen."""
        menu, viewed = self._menu, self._viewed
        for earlier in menu.findChildren(QMenu):
            earlier.deleteLater()
        menu.clear()
        menu.setAccessibleName(self.tr("Folders of the workflow"))
        folders = self._folders_of(viewed)
        for folder in folders:
            self._add_granted(folder, folders, viewed)
        menu.addSeparator()
        for folder in self._recent(folders):
            action = menu.addAction(self._label(folder), partial(self._set, viewed, (folder,)))
            action.setToolTip(folder.path)
        menu.addSeparator()
        menu.addAction(self.tr("Choose folder…"), partial(self._ask, viewed, is_added=False))
        menu.addAction(self.tr("Add folder…"), partial(self._ask, viewed, is_added=True)).setEnabled(bool(folders))
        menu.addAction(self.tr("Add file…"), partial(self._ask, viewed, is_added=True, is_file=True))
        menu.addSeparator()
        nothing = menu.addAction(self.tr("No folder"), partial(self._set, viewed, ()))
        nothing.setCheckable(True)
        nothing.setChecked(not folders)

    def _add_granted(self, folder: FolderGrant, folders: Grants, viewed: WorkflowId | None) -> None:
        """Add the menu of a folder that the workflow has."""
        menu = QMenu(self._label(folder), self._menu)
        self._menu.addMenu(menu)
        for is_read_only, text in ((False, self.tr("Read and write")), (True, self.tr("Read only"))):
            changed = FolderGrant(folder.path, is_read_only)
            replaced = tuple(changed if other == folder else other for other in folders)
            action = menu.addAction(text, partial(self._set, viewed, replaced))
            action.setCheckable(True)
            action.setChecked(folder.is_read_only is is_read_only)
        menu.addSeparator()
        others = tuple(other for other in folders if other != folder)
        if folder != folders[0]:
            menu.addAction(self.tr("Start relative paths here"), partial(self._set, viewed, (folder, *others)))
        menu.addAction(self.tr("Show in file manager"), partial(self._reveal, folder))
        menu.addAction(self.tr("Remove"), partial(self._set, viewed, others))

    def _recent(self, folders: Grants) -> list[FolderGrant]:
        """Return the folders used last in other workflows, newest first."""
        taken = {folder.path for folder in folders}
        used = (folder for row in self._stores.workflows.rows for folder in row.workflow.folders)
        grants = map(FolderGrant.parse, (*self._core.settings.current.last_folders, *used))
        recent = {grant.path: grant for grant in reversed([*grants]) if grant.path not in taken}
        return [grant for grant in reversed(recent.values()) if grant not in self._gone][:MOST_RECENT]

    def _label(self, folder: FolderGrant) -> str:
        path = PurePath(folder.path)
        home = Path.home()
        parent = f"~/{path.parent.relative_to(home)}" if path.parent.is_relative_to(home) else str(path.parent)
        metrics, width = self._menu.fontMetrics(), self._context.theme.sizes.toast // 2
        name = metrics.elidedText(path.name or folder.path, Qt.TextElideMode.ElideMiddle, width)
        where = metrics.elidedText(parent.removesuffix("/."), Qt.TextElideMode.ElideMiddle, width)
        text = self.tr("{name} — {folder}").format(name=name, folder=where) if path.name else name
        if folder in self._gone:
            text = self.tr("{folder} (missing)").format(folder=text)
        elif folder.is_read_only:
            text = self.tr("{folder} (read only)").format(folder=text)
        return text.replace("&", "&&")

    @staticmethod
    def _reveal(folder: FolderGrant) -> None:
        path = Path(folder.path)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path if path.is_dir() else path.parent)))

    # Changes

    def _set(self, workflow_id: WorkflowId | None, folders: Grants) -> None:
        self._operations.run(self._change(workflow_id, folders), "set folders", failure=self._show_failure)

    def _ask(self, workflow_id: WorkflowId | None, *, is_added: bool, is_file: bool = False) -> None:
        work = self._choose(workflow_id, is_added=is_added, is_file=is_file)
        self._operations.run(work, "choose folder", failure=self._show_failure)

    async def _choose(self, workflow_id: WorkflowId | None, *, is_added: bool, is_file: bool) -> None:
        folders = self._folders_of(workflow_id)
        start = folders[0].path if folders else str(Path.home())
        dialog = QFileDialog(self._context.window, self.tr("Choose a file") if is_file else self.tr("Choose a folder"))
        dialog.setDirectory(start)
        dialog.setObjectName("choose_folder")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile if is_file else QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, not is_file)
        chosen = await chosen_file(dialog)
        if chosen is not None:
            before = self._folders_of(workflow_id) if is_added else ()
            await self._change(workflow_id, (*before, FolderGrant(str(chosen))))

    async def _change(self, workflow_id: WorkflowId | None, folders: Grants) -> None:
        checked = unwrap(await self._core.workflows.set_folders(workflow_id, tuple(map(str, folders))))
        if checked or workflow_id is None:
            unwrap(await self._core.settings.change(last_folders=checked))
        self._is_chosen = self._is_chosen or workflow_id is None
        self.show()

    def _on_sent(self, workflow_id: str) -> None:
        self._look()  # the user may have moved a folder since the workflow was opened
        if not workflow_id:
            self._is_chosen = False

    def _on_settled(self, start: TemplateStart, failed: Failed | None) -> None:
        if start.workflow_id is None and failed is None:
            self._is_chosen = False

    def _show_failure(self, failed: Failed) -> None:
        path = str(failed.details.get("folder", ""))
        words = {
            "folder_gone": self.tr("“{folder}” does not exist any more"),
            "folder_unreadable": self.tr("“{folder}” cannot be read"),
            "not_allowed": self.tr("“{folder}” belongs to Metier itself: no tool may reach it"),
            "too_many_folders": self.tr("A workflow has at most {count} folders and files"),
        }.get(failed.code)
        if words is None:
            self._actions.fail(failed)
            return
        text = words.format(folder=path, count=failed.details.get("limit"))
        self._stores.toasts.add(ToastType.ERROR, "folders_refused", message=text)
