"""Storage of archived and discarded workflows, and of when the user looked at them."""

from core.ports import ArchiveWorkflow, DiscardWorkflow, MarkLookedAt, PutWorkflow, Storage
from tests.contracts.rows import W2, W, a_workflow, at


async def test_who_writes_the_row_of_an_archived_workflow_leaves_it_archived(storage: Storage) -> None:
    await storage.commit([PutWorkflow(a_workflow()), PutWorkflow(a_workflow(W2, 1))])
    await storage.commit([ArchiveWorkflow(W, at(5))])
    await storage.commit([PutWorkflow(a_workflow(W, 6, "Renamed by somebody who read it before"))])
    workflow = await storage.workflows.get(W)
    assert workflow is not None
    assert (workflow.archived_at, workflow.title) == (at(5), "Renamed by somebody who read it before")
    assert await storage.workflows.archived() == {W}
    assert [workflow.archived_at for workflow in await storage.workflows.all()] == [at(5), None]
    await storage.commit([ArchiveWorkflow(W, None)])
    assert await storage.workflows.archived() == set()
    assert [workflow.archived_at for workflow in await storage.workflows.all()] == [None, None]


async def test_a_discarded_workflow_is_found_nowhere_else_until_it_is_brought_back(storage: Storage) -> None:
    await storage.commit([PutWorkflow(a_workflow()), PutWorkflow(a_workflow(W2, 1))])
    await storage.commit([DiscardWorkflow(W2, at(3)), DiscardWorkflow(W, at(4))])
    assert await storage.workflows.discarded() == [W2, W]
    assert await storage.workflows.get(W) is None
    assert await storage.workflows.all() == []
    await storage.commit([PutWorkflow(a_workflow(W, 9))])
    assert await storage.workflows.get(W) is None
    await storage.commit([DiscardWorkflow(W, None)])
    assert await storage.workflows.all() == [a_workflow(W, 9)]
    await storage.delete_workflow(W2)
    assert await storage.workflows.discarded() == []


async def test_marking_what_is_not_there_makes_nothing(storage: Storage) -> None:
    await storage.commit([ArchiveWorkflow(W, at(1)), DiscardWorkflow(W2, at(1)), MarkLookedAt(W, at(1))])
    assert await storage.workflows.all() == []
    assert await storage.workflows.looked_at() == {}
    assert await storage.workflows.discarded() == []


async def test_when_the_user_looked_at_a_workflow_stays_whoever_writes_its_row(storage: Storage) -> None:
    await storage.commit([PutWorkflow(a_workflow(W, 1)), PutWorkflow(a_workflow(W2, 2))])
    await storage.commit([PutWorkflow(a_workflow(W, 3))])
    assert await storage.workflows.looked_at() == {W: at(1), W2: at(2)}
    await storage.commit([MarkLookedAt(W, at(9))])
    await storage.commit([PutWorkflow(a_workflow(W, 10))])
    assert await storage.workflows.looked_at() == {W: at(9), W2: at(2)}
    await storage.delete_workflow(W)
    assert await storage.workflows.looked_at() == {W2: at(2)}
