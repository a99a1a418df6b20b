"""Announcements to screen readers while several workflows are active (UX056)."""

import time
from collections.abc import Awaitable, Callable
from itertools import pairwise
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop.widgets import announcement_queue
from tests.gui.window.rig import an_app
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]


async def test_news_are_announced_one_a_second_and_an_answer_is_no_news_piece_by_piece(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        said: list[tuple[float, str, bool]] = []
        news = announcement_queue(app.window)
        news.said.connect(lambda words, is_urgent: said.append((time.monotonic(), words, is_urgent)))
        shown = await app.say("go", script=({"say": " ".join("word" for _ in range(250)), "delay_ms": 2},))
        app.content.opener.open(shown.workflow_id)
        asks = {**tool_step("a", "calculator", expression="1"), "interrupt": {"kind": "approval", "prompt": "Now?"}}
        await app.start("Letters", asks)
        await app.say("say 1 word")
        await until(lambda: any("Answer finished" in words for _, words, _ in said))
        await until(lambda: not news._waiting)
        words = [each for _, each, _ in said]
        assert len(words) <= 5
        assert sum("Letters" in each for each in words) == 1
        assert [is_urgent for _, each, is_urgent in said if "Letters" in each] == [True]
        assert [is_urgent for _, each, is_urgent in said if "Answer" in each or "Finished" in each] == [False] * (
            len(words) - 1
        )
        gaps = [later[0] - sooner[0] for sooner, later in pairwise(said)]
        assert min(gaps) >= 0.99
