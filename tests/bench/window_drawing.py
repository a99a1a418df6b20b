"""What the transcript takes to draw what is new, whatever stands above it. A part of the bench `window`.

Time of the processor, with the painting that Qt does by itself: what others do meanwhile is not counted.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import mean

from PySide6.QtWidgets import QApplication

from core.domain.ids import MessageId
from core.domain.messages import MessageState, Role
from desktop.chat.transcript.transcript import FRAME_MS, Transcript
from desktop.chat.turn_parts import Text, Turn
from desktop.theme import SystemLook, Theme
from tests.bench.conversations import ANSWER, BEGAN
from tests.bench.measure import line

BENCH = "window"
SIZES = (10_000, 100_000, 1_000_000)
UPDATES = 40
PIECE = 24
UPDATE_AIM_MS = 4.0
LINE_CHARACTERS = 1_000_000
LINE_PIECE = 50_000
LINE_AIM_MS = 100.0


def drawing(app: QApplication) -> None:
    transcript = Transcript(Theme(app, SystemLook()), lambda: BEGAN)
    transcript.resize(900, 800)
    transcript.show()
    for size in SIZES:
        text = ANSWER * (size // len(ANSWER) + 1)
        transcript.show_conversation([_turn("a", text[:size])])
        app.processEvents()  # what comes then is measured, not the first sight of it
        taken = _updates(app, transcript, [text[:size] + "word " * 5 * n for n in range(1, UPDATES)])
        line(BENCH, f"update of an answer of {size // 1000} KB, mean", mean(taken), "ms", UPDATES, aim=UPDATE_AIM_MS)
    _long_line(app, transcript)
    transcript.deleteLater()


def _long_line(app: QApplication, transcript: Transcript) -> None:
    whole = "x" * LINE_CHARACTERS
    for kind, before in (("a line", ""), ("a line of code", "```\n")):
        transcript.show_conversation([])
        steps = [before + whole[:size] for size in range(LINE_PIECE, LINE_CHARACTERS + 1, LINE_PIECE)]
        taken = _updates(app, transcript, steps)
        taken.append(_timed(app, partial(transcript.show_conversation, [_turn("b", steps[-1])])))
        transcript.show_conversation([])
        line(BENCH, f"{kind} of 1 MB as it comes, longest", max(taken), "ms", len(taken), aim=LINE_AIM_MS)


def _updates(app: QApplication, transcript: Transcript, texts: Sequence[str]) -> list[float]:
    """Milliseconds for each text as the next frame of an answer that is being written."""
    taken = []
    for text in texts:
        time.sleep(FRAME_MS * 1.1 / 1e3)  # past the frame that it would wait for
        turn = _turn("a", text, MessageState.OPEN)
        taken.append(_timed(app, partial(transcript.update_turn, turn)))
    return taken


def _timed(app: QApplication, work: Callable[[], None]) -> float:
    began = time.process_time()
    work()
    app.processEvents()
    return (time.process_time() - began) * 1e3


def _turn(name: str, text: str, state: MessageState = MessageState.FINAL) -> Turn:
    said = (Text(text, state is MessageState.OPEN),)
    return Turn(MessageId(name), Role.ASSISTANT, "Assistant", BEGAN, state, said)
