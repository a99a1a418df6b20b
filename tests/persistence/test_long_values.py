"""Long values of facts: stored once beside their row, and looked at when they are read."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.domain.events import UNREADABLE_VALUE, ConsoleWritten, Event, Fact, StepFinished, SubAgentText, is_damaged
from core.domain.fold import replay
from core.domain.progress import call_results, progress_of
from core.domain.text.json_text import encode
from core.errors import StorageFailed
from core.persistence.event_rows import LONG_CHARACTERS
from core.persistence.keys import key_range, record_id
from core.persistence.statements import Statement
from core.persistence.surreal import SurrealStorage
from tests.contracts.rows import R, a_call, appended, created, creation_fact, finished, numbered_events, settled

LONG = "x" * (LONG_CHARACTERS + 1)


@pytest.fixture
async def storage(tmp_path: Path) -> AsyncIterator[SurrealStorage]:
    opened = await SurrealStorage.open(tmp_path / "store")
    yield opened
    await opened.close()


async def rows(storage: SurrealStorage, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await storage.connection.read("SELECT * FROM $range", {"range": key_range(table, R)})
    return found


async def write(storage: SurrealStorage, *facts: Fact) -> list[Event]:
    events = numbered_events(creation_fact(), *facts)
    await storage.commit([created(), appended(events[:1])])
    await storage.commit([appended(events[1:])])
    return events


async def break_value(storage: SurrealStorage, seq: int, field: str, text: str | None = None) -> None:
    value = record_id("long_value", [R, seq, field])
    if text is None:
        await storage.connection.commit([Statement("DELETE $argument RETURN NONE", value)])
    else:
        argument = {"id": value, "text": text}
        await storage.connection.commit([Statement("UPDATE $argument.id SET data = $argument.text", argument)])


async def test_a_value_has_a_row_of_its_own_above_four_kilobytes(storage: SurrealStorage) -> None:
    """A text with its quotes has two characters more."""
    short, long = "x" * (LONG_CHARACTERS - 2), "x" * (LONG_CHARACTERS - 1)
    events = await write(storage, finished("a", short), finished("b", long), a_call(arguments=[long]))
    kept = {tuple(row["id"].id): row["data"] for row in await rows(storage, "long_value")}
    assert kept == {(R, 3, "output"): encode(long), (R, 4, "arguments"): encode([long])}
    assert await storage.events.of_run(R) == events
    assert all(LONG not in row["data"] for row in await rows(storage, "fact"))


@pytest.mark.parametrize(
    "text", [None, f'"{LONG[:-1]}y"', f'"{LONG[1:]}"', "{", ""], ids=["gone", "flipped", "cut", "no JSON", "empty"]
)
async def test_a_damaged_value_is_named_and_the_rest_of_the_run_is_read(
    storage: SurrealStorage, text: str | None
) -> None:
    events = await write(storage, finished("a", LONG), finished("b", {"k": LONG}), finished("c", 3))
    await break_value(storage, 2, "output", text)
    read = await storage.events.of_run(R)
    assert [event for event in read if event.seq != 2] == [event for event in events if event.seq != 2]
    assert [event.seq for event in read if is_damaged(event.fact)] == [2]
    live = replay(read)
    assert live is not None
    assert [live.steps[name].output for name in "abc"] == [UNREADABLE_VALUE, {"k": LONG}, 3]


async def test_nothing_goes_on_from_a_damaged_value(storage: SurrealStorage) -> None:
    await write(storage, finished("a", LONG))
    await break_value(storage, 2, "output", '"y"')
    with pytest.raises(StorageFailed) as failed:
        progress_of(R, await storage.events.of_run(R))
    assert failed.value.code == "unreadable"


async def test_a_damaged_text_or_list_is_in_the_form_that_its_fact_has(storage: SurrealStorage) -> None:
    lines = [{"level": "log", "text": LONG}]
    facts = [SubAgentText(sub_agent_id="a.1.1/1", text=LONG), ConsoleWritten(step="a", lines=lines)]
    await write(storage, *facts, a_call(), settled(result=LONG), finished("a", 1))
    for seq, field in ((2, "text"), (3, "lines"), (5, "result")):
        await break_value(storage, seq, field)
    _, text, console, _, call, step = [event.fact for event in await storage.events.of_run(R)]
    assert isinstance(text, SubAgentText)
    assert text.text == UNREADABLE_VALUE["error"]["message"]
    assert isinstance(console, ConsoleWritten)
    assert console.lines == []
    assert [is_damaged(fact) for fact in (text, console, call, step)] == [True, True, True, False]
    assert call_results(await storage.events.of_run(R)) == {}


async def test_a_damaged_row_of_facts_is_unreadable(storage: SurrealStorage) -> None:
    """One flipped character of a text is still JSON: only the checksum shows it."""
    await write(storage, *(finished("a", "x" * 100, index=index) for index in range(50)))
    argument = {"id": record_id("fact", [R, 2])}
    flip = "UPDATE $argument.id SET data = string::replace(data, 'xxx', 'xyx')"
    await storage.connection.commit([Statement(flip, argument)])
    with pytest.raises(StorageFailed) as failed:
        await storage.events.of_run(R)
    assert failed.value.code == "unreadable"


async def test_a_run_of_ten_thousand_items_comes_back_whole(storage: SurrealStorage) -> None:
    facts = [finished("a", {"n": index}, index=index) for index in range(10_000)]
    events = numbered_events(*facts, first=2)
    await storage.commit([created(), appended(numbered_events(creation_fact()))])
    for start in range(0, len(events), 64):
        await storage.commit([appended(events[start : start + 64])])
    read = await storage.events.of_run(R)
    results = progress_of(R, read).results
    assert [result.output_json for result in results] == [encode({"n": index}) for index in range(10_000)]
    assert all(isinstance(event.fact, StepFinished) for event in read[1:])
