"""kill -9 of a process with streams and runs at work, again and again: a small version of `tests.bench store`."""

from pathlib import Path

from tests.bench.store import kills


def test_no_acknowledged_fact_is_lost_or_doubled(tmp_path: Path) -> None:
    told = kills(tmp_path, seconds=6, streams=3, runs=3)
    assert told.acknowledged > 20
    assert (told.lost, told.doubled) == (0, 0)
