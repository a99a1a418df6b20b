"""Storage of files: once for each content, for as long as something uses them."""

import hashlib
import os

from core.domain.ids import MessageId, RunId
from core.ports import KeepFile, PutWorkflow, QueueMessage, Storage, UnqueueMessage
from tests.contracts.rows import W2, W, a_workflow
from tests.contracts.test_storage_queue import waiting

LONG = os.urandom(2_500_000)
SHORT = b"\x00\xff picture"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def kept(owner: str, data: bytes, workflow: object = W) -> KeepFile:
    return KeepFile(workflow, MessageId(owner), digest(data), data)  # type: ignore[arg-type]


async def test_a_file_comes_back_whole_and_lasts_until_its_last_use_is_gone(storage: Storage) -> None:
    assert await storage.files.get(digest(LONG)) is None
    await storage.commit([PutWorkflow(a_workflow()), kept("m1", LONG), kept("m1", SHORT), QueueMessage(waiting("m1"))])
    await storage.commit([kept("m1", LONG), KeepFile(W2, RunId("r2"), digest(LONG))])
    assert await storage.files.get(digest(LONG)) == LONG
    assert await storage.files.get(digest(SHORT)) == SHORT
    assert await storage.files.of_workflow(W) == sorted(("m1", digest(data)) for data in (LONG, SHORT))
    await storage.commit([UnqueueMessage(W, MessageId("m1"), with_texts=True)])
    assert await storage.files.get(digest(SHORT)) is None
    assert await storage.files.get(digest(LONG)) == LONG
    await storage.delete_workflow(W2)
    assert await storage.files.get(digest(LONG)) is None


async def test_a_sent_message_keeps_its_file_and_a_deleted_workflow_does_not(storage: Storage) -> None:
    await storage.commit([PutWorkflow(a_workflow()), kept("m1", SHORT), QueueMessage(waiting("m1"))])
    await storage.commit([UnqueueMessage(W, MessageId("m1"))])
    await storage.commit([kept(f"m{number}", b"%d" % number) for number in range(120)])
    assert await storage.files.get(digest(SHORT)) == SHORT
    await storage.delete_workflow(W)
    assert await storage.files.get(digest(SHORT)) is None
    assert await storage.files.get(digest(b"119")) is None
