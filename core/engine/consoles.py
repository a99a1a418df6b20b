"""What code steps wrote to their consoles: told with the step, whatever became of it (AGENTS_AND_TOOLS §8)."""

from collections import defaultdict

from core.domain.events import ConsoleWritten
from core.domain.step import StepKey
from core.ports.sandbox import CONSOLE_BYTES, CONSOLE_LINE_BYTES, Console


class Consoles:
    """Of one life of a run. All that a step writes there, its iterations and attempts together, is bounded as what one
    of them may write is: a long list cannot fill the store."""

    def __init__(self) -> None:
        self._room: dict[str, int] = defaultdict(lambda: CONSOLE_BYTES)

    def fact(self, key: StepKey, attempt: int, console: Console) -> ConsoleWritten | None:
        """What is to be told of this console, None if that is nothing."""
        room = self._room[key.step]
        if room <= 0:
            return None
        lines, is_cut = [], console.is_cut
        for line in console.as_list():
            room -= len(line["text"].encode("utf-8", "replace")) + CONSOLE_LINE_BYTES
            if room < 0:
                is_cut = True
                break
            lines.append(line)
        self._room[key.step] = 0 if is_cut else room
        if not lines and not is_cut:
            return None
        return ConsoleWritten(step=key.step, index=key.index, attempt=attempt, lines=lines, cut=is_cut or None)
