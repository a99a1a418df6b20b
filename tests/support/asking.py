"""Runs that wait for a person, and what a person says to them."""

from collections.abc import Sequence
from typing import Any

from core.domain.audit import Decider, Decision
from core.domain.interruption import Action, Answer
from core.domain.run import Run
from core.domain.template import ValidationMode
from tests.support.world import World

Json = dict[str, Any]


def agent(name: str, prompt: str, **fields: Any) -> Json:
    return {"name": name, "action": {"agent": {"prompt": prompt}}, **fields}


def note(text: str) -> str:
    return f'/tool note {{"text": "{text}"}}'


async def waiting(world: World, *steps: Json, **options: Any) -> tuple[Run, list[Json]]:
    """A run in manual mode that waits for a person, and what it asks."""
    run = await world.start(*steps, mode=options.pop("mode", ValidationMode.MANUAL), **options)
    told = await world.settled(run.id)
    assert told["status"] == "waiting", told["error"]
    return run, [one for one in told["interruptions"] if one["status"].startswith("awaiting")]


async def answer(world: World, run: Run, one: Json, action: str, value: Any = None, reason: str | None = None) -> Any:
    await world.core.engine.answer(run.id, Answer(Action(action), value, reason), interruption=one["id"])
    return await world.settled(run.id)


async def decisions(world: World) -> list[tuple[str, Decision, Decider, str | None]]:
    """The audit log, oldest first."""
    return [(one.tool, one.decision, one.decider, one.scope) for one in reversed(await world.storage.audit.page())]


async def approve_all(world: World, run: Run, notes: Sequence[Any] = ()) -> Any:
    """Approve one request after the other until the run has ended. Where nobody knows of an effect, look at it: `notes`
    are those of earlier lives."""
    while (told := await world.settled(run.id))["status"] == "waiting":
        one = next(one for one in told["interruptions"] if one["status"].startswith("awaiting"))
        if one["kind"] == "outcome" and one["arguments"]["text"] in (*notes, *world.tools.notes):
            happened = Answer(Action.SUBMIT, one["arguments"])
            await world.core.engine.answer(run.id, happened, interruption=one["id"])
        else:
            await answer(world, run, one, "approve")
    return told
