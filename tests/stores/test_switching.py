"""Three streams at once and a restless user: nothing is mixed, lost or doubled."""

import random

from core.domain.events import Event
from core.stores.watched_runs import Batch
from tests.stores.rig import Desk, text_of

SEED = 20260206
TOKENS = 1000
SWITCHES = 50


class Pane:
    """A pane that appends batches to what it found: it draws from the batches alone."""

    def __init__(self, desk: Desk) -> None:
        self._view = desk.view
        self.text = ""
        desk.view.changed.connect(self._draw)
        desk.view.batch.connect(self._append)

    def _draw(self) -> None:
        self.text = self._view.content

    def _append(self, batch: Batch) -> None:
        self.text += "".join(getattr(event.fact, "text", "") for event in batch.events)


def test_three_streams_stay_exact_through_fifty_random_switches() -> None:
    chance = random.Random(SEED)  # seed 20260206
    desk = Desk()
    pane = Pane(desk)
    runs = [desk.start(name) for name in "abc"]
    whole = ["".join(f"{run.run_id}:{number} " for number in range(TOKENS)) for run in runs]
    todo = [index for index in range(3) for _ in range(TOKENS)]
    chance.shuffle(todo)
    told = [0, 0, 0]
    switches = set(chance.sample(range(len(todo)), SWITCHES))
    for at, index in enumerate(todo):
        if at in switches:
            shown = chance.choice([run for run in runs if run.workflow_id != desk.view.workflow_id])
            desk.background.set_viewed(shown.workflow_id)
            assert desk.view.content == text_of(desk, shown)
            assert pane.text == text_of(desk, shown)
        event: Event = runs[index].stream(f"{runs[index].run_id}:{told[index]} ")
        told[index] += 1
        desk.tell(event)
        if chance.random() < 0.05:
            desk.tell(event)  # told twice
        desk.time.advance(chance.random() * 0.02)
    desk.time.advance(1)
    assert [text_of(desk, run) for run in runs] == whole
    assert pane.text == desk.view.content
    for run, text in zip(runs, whole, strict=True):
        desk.background.set_viewed(run.workflow_id)
        assert pane.text == text
