"""How long the transcript takes: to switch, to scroll, and to draw what streams into it.

Times are wall clock from the call to the painted picture, on Qt's offscreen platform.
"""

import os
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from core.domain.ids import MessageId
from core.domain.messages import MessageState, Role
from desktop.chat.transcript.transcript import FRAME_MS, Transcript
from desktop.chat.turn_parts import Text, Turn
from desktop.theme import SystemLook, Theme, load_fonts
from tests.bench.measure import line

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANSWER = '''## Heading

Some **bold** and *italic* prose with `inline code`, a [link](https://example.org/) and enough words to wrap over
several lines of the column, so that laying it out is work.

- item one with `code`
- item two with **bold**
  1. nested

```python
def f(x: int) -> int:
    """Says what it does."""
    return sum(i * x for i in range(10))  # a comment
```

| a | b |
|---|---|
| 1 | 2 |

'''


def main() -> None:
    app = QApplication([])
    load_fonts()
    transcript = Transcript(Theme(app, SystemLook()), lambda: NOW)
    transcript.resize(900, 800)
    transcript.show()
    stage = Stage(app, transcript)
    for count in (200, 2_000, 10_000):
        stage.switching(count)
    stage.scrolling()
    stage.streaming("among 10 000 messages")
    stage.one_message("a message of 1 MB", ANSWER * (1_000_000 // len(ANSWER)))
    stage.one_message("a line of 1 MB", "x" * 1_000_000)
    stage.one_message("code of 1 MB", "```py\n" + "x = f(1)  # hello\n" * 55_000 + "```")


class Stage:
    """Does things to a transcript, and prints how long they took."""

    def __init__(self, app: QApplication, transcript: Transcript) -> None:
        self._app = app
        self._transcript = transcript
        self._placed = 0
        transcript.placed.connect(self._on_placed)

    def switching(self, count: int) -> None:
        talks = [_talk(name, count) for name in ("a", "b")]
        self._report(f"switch to {count} messages", 30, lambda n: self._transcript.show_conversation(talks[n % 2]))

    def scrolling(self) -> None:
        bar = self._transcript.verticalScrollBar()
        bar.setValue(bar.maximum() // 3)
        self._report("scroll by 60 px", 60, lambda _: bar.setValue(bar.value() + 60))
        self._report("scroll by a page", 30, lambda _: bar.setValue(bar.value() + bar.pageStep()))
        self._transcript.jump_to_latest()

    def streaming(self, where: str) -> None:
        text = ANSWER * 8
        self._report(f"draw 24 characters more {where}", 60, lambda n: self._draw(text[: 3_000 + 24 * n]))

    def one_message(self, name: str, text: str) -> None:
        turns = [_answer("big", text)]
        self._transcript.show_conversation([])
        self._report(f"show {name}", 5, lambda _: self._transcript.show_conversation(turns))
        self._report(f"draw 24 characters more in {name}", 30, lambda n: self._draw(text + "word " * 5 * n))

    def _draw(self, text: str) -> None:
        before = self._placed
        self._transcript.update_turn(_answer("big", text, MessageState.OPEN))
        while self._placed == before:
            self._app.processEvents()

    def _on_placed(self) -> None:
        self._placed += 1

    def _report(self, name: str, rounds: int, work: Callable[[int], None]) -> None:
        taken = []
        for number in range(rounds + 1):
            _rest()
            began = time.perf_counter()
            work(number)
            self._app.processEvents()
            self._transcript.viewport().repaint()
            taken.append((time.perf_counter() - began) * 1e3)
        counted = sorted(taken[1:])
        line("chat", f"{name}, median", statistics.median(counted), "ms", rounds)
        line("chat", f"{name}, p95", counted[max(0, round(len(counted) * 0.95) - 1)], "ms", rounds)


def _rest() -> None:
    """Past the frame that an update would wait for."""
    time.sleep(FRAME_MS * 1.2 / 1e3)


def _talk(name: str, count: int) -> list[Turn]:
    question = (Text("Please do this and that, and say how it went. " * 2),)
    return [
        _answer(f"{name}{n}", ANSWER * 6)
        if n % 2
        else Turn(MessageId(f"{name}{n}"), Role.USER, None, NOW, MessageState.FINAL, question)
        for n in range(count)
    ]


def _answer(name: str, text: str, state: MessageState = MessageState.FINAL) -> Turn:
    said = (Text(text, state is MessageState.OPEN),)
    return Turn(MessageId(name), Role.ASSISTANT, "Code agent", NOW, state, said)
