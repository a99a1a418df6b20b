"""Acknowledged writes survive kill -9, a full disk, and both."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.persistence.processes import run, start

KILLS = int(os.environ.get("METIER_KILLS", "6"))
SEED = 7

# Says each number once it is acknowledged. Every third message is large; the rows of one commit tell of each other.
WRITE = """
def rows(number):
    text = f"{number}:" + "x" * (9000 if number % 3 == 0 else 50)
    return [PutMessage(a_message(f"m{number:06}", number, text=text)), PutSetting(f"s{number}", f"{number}")]

async def write(storage, numbers):
    for number in numbers:
        await storage.commit(rows(number))
        say(number)

async def main():
    storage = await SurrealStorage.open(STORE)
    say("open")
    await write(storage, range(int(sys.argv[2]), 10**6))
"""

# Says every number whose rows are both there and whole.
READ = """
async def main():
    storage = await SurrealStorage.open(STORE)
    settings = await storage.settings.all()
    for message in await storage.messages.of_workflow(W):
        number, rest = message.text.split(":")
        assert set(rest) == {"x"} and len(rest) == (9000 if int(number) % 3 == 0 else 50), number
        assert settings.pop(f"s{number}") == int(number)
        say(number)
    assert not settings, settings
    await storage.close()
"""

# A disk with room for so many bytes a file; then with room again; then dead without a close.
FILL = (
    WRITE.replace("async def main():", "async def only_write():")
    + """
async def main():
    storage = await SurrealStorage.open(STORE)
    first, limit, then_dies = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "dies"
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, unlimited))
    number, failures = first, []
    while len(failures) < 4:
        number += 1
        try:
            await write(storage, [number])
        except StorageFailed as failed:
            failures.append(failed.code)
            assert await storage.messages.of_workflow(W) is not None
    say("failed", *failures)
    if not then_dies:
        resource.setrlimit(resource.RLIMIT_FSIZE, (unlimited, unlimited))
        await write(storage, range(number, number + 50))
    os.kill(os.getpid(), signal.SIGKILL)
"""
)


def numbers(lines: list[str]) -> set[int]:
    return {int(line) for line in lines if line.isdigit()}


def test_no_acknowledged_commit_is_lost_by_kill_9(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dice, store, acknowledged = random.Random(SEED), tmp_path / "store", set[int]()
    for _ in range(KILLS):
        with start(WRITE, store, max(acknowledged, default=0) + 10) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "open\n"
            time.sleep(dice.uniform(0.05, 0.6))
            writer.kill()
            acknowledged |= numbers(writer.stdout.read().splitlines())
        assert acknowledged <= numbers(run(READ, store))
    with capsys.disabled():
        sys.stdout.write(f"\nkill -9 at {KILLS} random moments, seed {SEED}: {len(acknowledged)} commits, none lost\n")
    assert len(acknowledged) > KILLS


@pytest.mark.parametrize("limit", [60_000, 100_777, 123_456])
def test_a_full_disk_stops_writing_and_loses_nothing(tmp_path: Path, limit: int) -> None:
    """By itself the engine would append to its damaged log, and lose that at the next start (connection.py)."""
    store = tmp_path / "store"
    said = run(FILL, store, 0, limit, "goes on", code=-signal.SIGKILL)
    assert "failed storage_full storage_full storage_full storage_full" in said
    acknowledged = numbers(said)
    assert len(acknowledged) > 50
    assert acknowledged <= numbers(run(READ, store))


@pytest.mark.parametrize("limit", [60_000, 100_777, 123_456])
def test_dying_on_a_full_disk_costs_nothing_that_comes_after(tmp_path: Path, limit: int) -> None:
    store = tmp_path / "store"
    acknowledged = numbers(run(FILL, store, 0, limit, "dies", code=-signal.SIGKILL))
    for _ in range(2):
        with start(WRITE, store, max(acknowledged) + 10) as writer:
            assert writer.stdout is not None
            lines = [writer.stdout.readline().strip() for _ in range(30)]
            writer.kill()
            acknowledged |= numbers([*lines, *writer.stdout.read().splitlines()])
        assert acknowledged <= numbers(run(READ, store))


def test_a_disk_that_is_full_from_the_start_is_reported(tmp_path: Path) -> None:
    body = """
async def main():
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    try:
        await SurrealStorage.open(STORE)
    except StorageFailed as failed:
        say(failed.code)
"""
    assert run(body, tmp_path / "store") == ["storage_full"]
