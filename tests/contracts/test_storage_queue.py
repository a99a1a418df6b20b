"""Storage of queued messages and of attached texts."""

from dataclasses import replace

from core.domain.ids import MessageId
from core.domain.messages import QueuedMessage, attached_text
from core.ports import OrderQueued, PutAttachedText, PutMessage, PutWorkflow, QueueMessage, Storage, UnqueueMessage
from tests.contracts.rows import W2, W, a_message, a_workflow, at

LONG = "é🙂 \x00\ud800\n" * 30_000
FILE = attached_text("a\u202eb.md", LONG)


def waiting(name: str, text: str = "next") -> QueuedMessage:
    return QueuedMessage(MessageId(name), W, text, at(1))


async def names(storage: Storage) -> list[str]:
    return [message.id for message in await storage.queued_messages.all()]


async def test_every_field_of_a_message_that_waits_comes_back_and_it_is_written_once(storage: Storage) -> None:
    full = replace(waiting("m1", LONG), attachments=(FILE.about,))
    other = replace(waiting("m1"), workflow_id=W2)
    texts = [PutAttachedText(W, full.id, place, f"{place} {LONG}") for place in range(11)]
    await storage.commit([*texts, QueueMessage(full), QueueMessage(other)])
    await storage.commit([QueueMessage(replace(full, text="again")), PutAttachedText(W, full.id, 0, "again")])
    assert await storage.queued_messages.all() == [full, other]
    assert await storage.messages.attached_texts(W, full.id) == [text.text for text in texts]
    assert await storage.messages.attached_texts(W2, full.id) == []


async def test_queued_messages_can_be_reordered_and_new_messages_come_last(storage: Storage) -> None:
    await storage.commit([QueueMessage(waiting(name)) for name in ("b", "a", "c")])
    assert await names(storage) == ["b", "a", "c"]
    await storage.commit([OrderQueued(W, (MessageId("c"), MessageId("gone"), MessageId("b"), MessageId("a")))])
    await storage.commit([QueueMessage(waiting("d"))])
    assert await names(storage) == ["c", "b", "a", "d"]


async def test_an_unqueued_message_keeps_its_texts_only_if_it_was_sent(storage: Storage) -> None:
    said, back = waiting("said"), waiting("back")
    texts = [PutAttachedText(W, each.id, 0, "text") for each in (said, back)]
    await storage.commit([*texts, QueueMessage(said), QueueMessage(back)])
    message = a_message("said", attachments=(FILE.about,))
    await storage.commit([UnqueueMessage(W, said.id), PutMessage(message), UnqueueMessage(W, back.id, with_texts=True)])
    assert await names(storage) == []
    assert await storage.messages.of_workflow(W) == [message]
    assert await storage.messages.attached_texts(W, said.id) == ["text"]
    assert await storage.messages.attached_texts(W, back.id) == []


async def test_what_waits_and_what_was_attached_goes_with_its_workflow(storage: Storage) -> None:
    other = replace(waiting("m2"), workflow_id=W2)
    texts = [PutAttachedText(each.workflow_id, each.id, 0, "text") for each in (waiting("m1"), other)]
    await storage.commit([PutWorkflow(a_workflow()), *texts, QueueMessage(waiting("m1")), QueueMessage(other)])
    await storage.delete_workflow(W)
    assert await storage.queued_messages.all() == [other]
    assert await storage.messages.attached_texts(W, MessageId("m1")) == []
    assert await storage.messages.attached_texts(W2, other.id) == ["text"]
