"""Thousands of random keys while requests appear, close and move: none is answered (UI §6)."""

import asyncio
import os
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.run import Run, RunStatus
from core.domain.workflow import Workflow
from desktop.attention.focus_guard import GUARD_MS, FocusGuard
from desktop.chat.composer.draft import Draft
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import CONTROL_SHIFT, asking, card_of, ended, waits
from tests.support.progress import stored_interruptions

Until = Callable[..., Awaitable[None]]
Key, Mod = Qt.Key, Qt.KeyboardModifier
SEED = 20261128
KEYS = int(os.environ.get("METIER_KEYS", "2500"))
"""So many by default; a long run presses ten thousand and more."""
KEY_MS = 1000 / 30
PLAIN = Mod.NoModifier
CONTROL = Mod.ControlModifier
TYPED: list[tuple[Qt.Key, Qt.KeyboardModifier, str]] = [
    *((Qt.Key(Key.Key_A + number), PLAIN, chr(97 + number)) for number in range(26)),
    *((Qt.Key(Key.Key_0 + number), PLAIN, str(number)) for number in range(10)),
    *((Key.Key_Return, PLAIN, "\r"),) * 6,
    *((Key.Key_Space, PLAIN, " "),) * 6,
    *((Key.Key_Escape, PLAIN, ""),) * 2,
    *((each, PLAIN, "") for each in (Key.Key_Up, Key.Key_Down, Key.Key_Left, Key.Key_Right)),
    *((each, PLAIN, "") for each in (Key.Key_PageUp, Key.Key_PageDown, Key.Key_Home, Key.Key_End, Key.Key_Backspace)),
]
GOING: list[tuple[Qt.Key, Qt.KeyboardModifier]] = [
    *((Key.Key_J, CONTROL), (Key.Key_F8, PLAIN), (Key.Key_A, CONTROL_SHIFT), (Key.Key_L, CONTROL)),
    *((Key.Key_1, CONTROL), (Key.Key_2, CONTROL), (Key.Key_F6, PLAIN), (Key.Key_Tab, CONTROL)),
]


class TimeByKeys:
    """The timer of the guard, advanced as if thirty keys were pressed a second."""

    def __init__(self, guard: FocusGuard) -> None:
        self._guard = guard
        self._left_ms = 0.0
        guard._timer = self  # type: ignore[assignment]

    def start(self) -> None:
        self._left_ms = GUARD_MS

    def isActive(self) -> bool:
        return self._left_ms > 0

    def advance(self, by_ms: float) -> None:
        if self.isActive():
            self._left_ms -= by_ms
            if not self.isActive():
                self._guard._end()


class Requests:
    """Runs that ask, which begin and are stopped by chance, in workflows that have been there before."""

    def __init__(self, app: App, chance: random.Random, places: list[Workflow]) -> None:
        self._app = app
        self._chance = chance
        self._places = places
        self.runs: list[Run] = []
        self._open: list[Run] = []

    async def change(self) -> None:
        free = [each for each in self._places if not self._is_at_work(each)]
        if free and (not self._open or self._chance.random() < 0.6):
            place = self._chance.choice(free)
            kind = self._chance.choice(["approval", "input-review", "local-execution"])
            run = await self._app.start_in(place, asking("ask", kind, prompt="Now?"))
            self.runs.append(run)
            self._open.append(run)
        elif self._open:
            run = self._open.pop(self._chance.randrange(len(self._open)))
            await self._app.core.engine.cancel(run.id)

    def _is_at_work(self, place: Workflow) -> bool:
        execution = self._app.core.stores.background.get_execution(place.id)
        return execution is not None and execution.is_active


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier, text: str) -> None:
    """Send a key as a keyboard would: through shortcuts to the focused widget."""
    target = QApplication.activePopupWidget() or QApplication.focusWidget()
    assert target is not None
    if modifiers or not text:
        QTest.keyClick(target, key, modifiers)
    else:
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            if (now := QApplication.focusWidget()) is not None:
                QApplication.sendEvent(now, QKeyEvent(kind, key, modifiers, text))


@pytest.mark.async_timeout(120)
async def test_who_types_on_answers_nothing(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    chance = random.Random(SEED)  # keys, no secrets
    async with an_app(tmp_path, qapp) as app:
        said = [await app.say(f"say 1 word {number}") for number in range(5)]
        for run in said:
            await app.core.engine.wait(run.id)
        listed = [app.core.stores.workflows.get(run.workflow_id) for run in said]
        requests = Requests(app, chance, [each.workflow for each in listed if each is not None])
        card, time = card_of(app), TimeByKeys(card_of(app).guard)
        answers: list[object] = []
        app.content.chat.card.answered.connect(lambda _question, answer: answers.append(answer))
        chat = app.content.chat
        app.content.activity.export_requested.disconnect()  # no file dialog: it would have all keys from then on
        chat.composer.attach_requested.disconnect()
        chat.composer.send_requested.disconnect()  # what the messages would start is nothing to this
        chat.composer.send_requested.connect(chat.composer.message_accepted)
        app.content.workflow_actions.show(said[0].workflow_id)
        chat.focus_composer()
        app.window.setUpdatesEnabled(False)  # nobody looks
        in_card = confirming = 0
        for number in range(KEYS):
            if number % 100 == 0:
                await requests.change()
                app.content.chat.composer.set_draft(Draft())
                await asyncio.sleep(0.02)  # the run comes to its question
            if chance.random() < 0.05:
                press(*chance.choice(GOING), "")
            key, modifiers, text = chance.choice(TYPED)
            in_card += card.has_focus
            confirming += card.has_focus and key in (Key.Key_Return, Key.Key_Space)
            press(key, modifiers, text)
            time.advance(KEY_MS)
            if number % 20 == 0:
                await asyncio.sleep(0)
                app.window.activateWindow()
        assert answers == []
        for run in requests.runs:
            for asked in await stored_interruptions(app.core.storage, run.id):
                assert asked.answer is None, (SEED, asked)
        assert in_card > KEYS / 20, "the keys have to reach the card, or this shows nothing"
        assert confirming > KEYS / 200


async def test_a_user_who_stops_typing_can_answer(tmp_path: Path, qapp: QApplication) -> None:
    """The same, with the half second that it takes."""
    async with an_app(tmp_path, qapp) as app:
        run = await app.start("Letters", asking("send"))
        await waits(app, run)
        time = TimeByKeys(card_of(app).guard)
        app.control(Key.Key_J)
        time.advance(GUARD_MS - 100)
        press(Key.Key_Space, PLAIN, " ")  # still typing
        time.advance(GUARD_MS - 100)
        press(Key.Key_Return, PLAIN, "\r")
        assert app.core.stores.questions.count(run.workflow_id) == 1
        time.advance(GUARD_MS)
        app.key(Key.Key_Tab)
        press(Key.Key_Return, PLAIN, "\r")
        assert (await ended(app, run)).status is RunStatus.SUCCESS
