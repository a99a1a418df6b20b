"""Errors of models, and reasoning, as the window shows them."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from core.domain.model import ModelChoice
from desktop.chat.views.failure_view import FailureView
from desktop.chat.views.line_views import ThoughtView
from desktop.toasts.toast_strings import toast_text
from desktop.translation import moment
from tests.gui.window.rig import App, an_app
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.provider import Reply, chunk, fails, provider, says, sse

Until = Callable[..., Awaitable[None]]


def failure(app: App) -> FailureView | None:
    return next((view for view in app.content.findChildren(FailureView) if view.isVisible()), None)


def words(view: QWidget) -> list[str]:
    return [label.text() for label in view.findChildren(QLabel) if label.isVisible()]


def buttons(view: QWidget) -> list[str]:
    return [button.text() for button in view.findChildren(QPushButton) if button.isVisible()]


@pytest.mark.parametrize(
    ("reply", "title", "can_retry"),
    [
        (fails(401, "bad key"), "The provider refused the key (HTTP\N{NO-BREAK SPACE}401)", False),
        (fails(400, "too long"), "The provider refused the request (HTTP\N{NO-BREAK SPACE}400)", False),
        (fails(404, "no such model"), "The provider knows no such model or address (HTTP\N{NO-BREAK SPACE}404)", False),
        (Reply(sse(chunk(content="half"), done=False)), "The answer was cut off before its end", True),
    ],
)
async def test_a_failed_answer_shows_a_reason(
    tmp_path: Path, qapp: QApplication, until: Until, reply: Reply, title: str, can_retry: bool
) -> None:
    with provider(reply) as server:
        async with an_app(tmp_path, qapp) as app:
            await app.core.providers.add_model(ModelChoice(base_url=server.url, model="m"))
            app.control(Qt.Key.Key_N)
            app.write("hello")
            app.key(Qt.Key.Key_Return)
            await until(lambda: failure(app) is not None)
            shown = failure(app)
            assert shown is not None
            assert title in words(shown)
            assert ("Try again" in buttons(shown)) is can_retry


async def test_a_provider_that_was_over_its_limit_shows_when_to_retry(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    with provider(fails(429, "quota", Retry_After="86400")) as server:
        async with an_app(tmp_path, qapp) as app:
            await app.core.providers.add_model(ModelChoice(base_url=server.url, model="m"))
            app.control(Qt.Key.Key_N)
            app.write("hello")
            app.key(Qt.Key.Key_Return)
            await until(lambda: failure(app) is not None)
            shown = failure(app)
            assert shown is not None
            run = app.core.stores.view.run
            assert run is not None
            assert run.completed_at is not None
            tomorrow = (run.completed_at + timedelta(days=1)).astimezone()
            again = f"It can be tried again from {moment(tomorrow, run.completed_at.astimezone())}."
            assert any("(HTTP\N{NO-BREAK SPACE}429)" in line and again in line for line in words(shown))
            (toast,) = app.core.stores.toasts.visible
            assert "(HTTP\N{NO-BREAK SPACE}429). It can be tried again from " in toast_text(toast).message


async def test_a_server_that_is_not_there_can_be_tried_again(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    with provider(says("x")) as server:
        address = server.url
    async with an_app(tmp_path, qapp) as app:
        await app.core.providers.add_model(ModelChoice(base_url=address, model="m"))
        app.control(Qt.Key.Key_N)
        app.write("hello")
        app.key(Qt.Key.Key_Return)
        await until(lambda: failure(app) is not None, 30)
        shown = failure(app)
        assert shown is not None
        assert f"Nothing answers at {address.removesuffix('/v1')}" in words(shown)
        assert "Try again" in buttons(shown)


async def test_what_a_model_thinks_is_folded_and_unfolds_also_after_a_restart(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    thoughts = [chunk(reasoning_content="Six times "), chunk(reasoning_content="seven.")]
    reply = Reply(sse(*thoughts, chunk(content="42"), chunk(finish="stop")))
    storage = InMemoryStorage()
    with provider(reply) as server:
        async with an_app(tmp_path, qapp, storage) as app:
            await app.core.providers.add_model(ModelChoice(base_url=server.url, model="m"))
            app.control(Qt.Key.Key_N)
            app.write("hello")
            app.key(Qt.Key.Key_Return)
            await until(lambda: "42" in app.turn_texts())
            viewed = app.viewed
        async with an_app(tmp_path, qapp, storage) as app:
            app.content.workflow_actions.show(viewed)
            await until(lambda: any(view.isVisible() for view in app.content.findChildren(ThoughtView)))
            (line,) = [view for view in app.content.findChildren(ThoughtView) if view.isVisible()]
            await until(lambda: line.accessibleName().startswith("Thought"))
            assert line.accessibleDescription() == "folded"
            line.setFocus()
            app.key(Qt.Key.Key_Return)
            await until(lambda: line.accessibleDescription() == "unfolded")
