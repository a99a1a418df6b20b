"""Long conversations in the real window: the end is shown at once, and the scroll position is restored."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from desktop.chat.transcript.overlays import LatestButton
from desktop.chat.views.text_view import TextView
from tests.bench.conversations import last_words, put_conversation
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.intercepted import intercept_reads

Until = Callable[..., Awaitable[None]]


class SlowStorage(InMemoryStorage):
    """Gives all messages of a workflow only once `may_go_on` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = asyncio.Event()
        intercept_reads(self, self._when_allowed, {"messages": ("of_workflow",)})

    async def _when_allowed(self, call: Callable[[], Awaitable[Any]]) -> Any:
        await self.may_go_on.wait()
        return await call()


def seen(app: App) -> list[tuple[int, str]]:
    """The texts in sight, each with where it stands, from the top down."""
    transcript = app.content.chat.transcript
    texts = [view for view in transcript.findChildren(TextView) if view.isVisible()]
    at = [(view.mapTo(transcript.viewport(), view.rect().topLeft()).y(), view.toPlainText()) for view in texts]
    return sorted((y, text) for y, text in at if 0 <= y < transcript.viewport().height())


def says(app: App, words: str) -> bool:
    return any(words in text for _, text in seen(app))


async def test_the_end_is_seen_before_all_of_it_is_loaded_and_stays_where_it_is(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = SlowStorage()
    talk = await put_conversation(storage, "long", 200)
    async with an_app(tmp_path, qapp, storage) as app:
        app.content.workflow_actions.show(talk)
        await until(lambda: says(app, last_words(200)))
        assert len(app.turn_texts()) < 200
        before = seen(app)
        storage.may_go_on.set()
        await until(lambda: len(app.turn_texts()) == 200)
        await app.drawn()
        assert seen(app) == before
        assert not app.content.chat.transcript.findChildren(LatestButton)[0].isVisible()


async def test_what_one_read_far_above_the_end_is_there_again_after_a_switch(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    talk, other = await put_conversation(storage, "long", 200), await put_conversation(storage, "other", 4)
    async with an_app(tmp_path, qapp, storage) as app:
        app.content.workflow_actions.show(talk)
        await until(lambda: len(app.turn_texts()) == 200 and says(app, last_words(200)))
        bar = app.content.chat.transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 3)
        before = seen(app)
        app.content.workflow_actions.show(other)
        await until(lambda: says(app, last_words(4)))
        app.content.workflow_actions.show(talk)
        await until(lambda: len(app.turn_texts()) >= 100)
        await app.drawn()
        assert [text for _, text in seen(app)] == [text for _, text in before]
        await until(lambda: len(app.turn_texts()) == 200)
        await app.drawn()
        assert seen(app) == before
