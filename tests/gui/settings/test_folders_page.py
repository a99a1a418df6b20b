"""What is allowed where, and taking it back."""

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtWidgets import QApplication

from core.bus import WorkflowChanged
from core.domain.ids import WorkflowId
from core.domain.workflow import Workflow
from core.ports import PutWorkflow
from core.threads.system_clock import SystemClock
from desktop.settings.parts.page import PageId
from tests.gui.settings.rig import Rig
from tests.gui.settings.test_dialog import listed, shown_texts

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

Until = Callable[..., Awaitable[None]]


async def folders_of(rig: Rig, workflow_id: str) -> tuple[str, ...]:
    workflow = await rig.disk.workflows.get(WorkflowId(workflow_id))
    assert workflow is not None
    return workflow.folders


async def test_a_folder_is_listed_with_its_workflows_taken_back_and_given_back(rig: Rig, until: Until) -> None:
    now = SystemClock().now()
    for number, folders in enumerate((("/data/notes",), ("ro:/data/notes", "ro:/data/a.txt"), ())):
        workflow = Workflow(WorkflowId(f"wf_{number}"), f"Talk {number}", "", now, now, folders=folders)
        await rig.disk.commit([PutWorkflow(workflow)])
        rig.bus.publish(WorkflowChanged(workflow))
    await rig.service.change(last_folders=("/data/notes", "ro:/data/other"))
    rig.search("folder")
    assert "Folders" in listed(rig)
    rig.search("")
    rig.dialog.present(PageId.FOLDERS)
    await until(lambda: "/data/other" in shown_texts(rig))
    shown = shown_texts(rig)
    assert "Read and write\nIn “Talk 0”, “Talk 1”\nOffered to the next new workflow" in shown
    assert "Read only\nIn “Talk 1”" in shown
    assert "Read only\nOffered to the next new workflow" in shown
    rig.click("Remove /data/notes")
    await until(lambda: rig.service.current.last_folders == ("ro:/data/other",))
    assert (await folders_of(rig, "wf_0"), await folders_of(rig, "wf_1")) == ((), ("ro:/data/a.txt",))
    await until(lambda: rig.notice() == "/data/notes is not allowed any more.")
    assert "/data/notes" not in shown_texts(rig)
    undo = rig.action()
    assert undo is not None
    undo.click()
    QApplication.processEvents()
    await until(lambda: rig.service.current.last_folders == ("/data/notes", "ro:/data/other"))
    assert await folders_of(rig, "wf_0") == ("/data/notes",)
    assert await folders_of(rig, "wf_1") == ("ro:/data/notes", "ro:/data/a.txt")


async def test_without_a_folder_the_page_says_where_one_is_chosen(rig: Rig) -> None:
    rig.search("folder")
    rig.dialog.present(PageId.FOLDERS)
    assert "No workflow has a folder. Choose one in the header of a workflow." in shown_texts(rig)
