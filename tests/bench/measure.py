"""Measuring two things in turn, so that a machine that changes its pace changes both."""

import json
import statistics
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Contest:
    """Seconds of each round: of the thing itself, and of each of what it is compared to."""

    mine: list[float]
    others: dict[str, list[float]]


async def contest(
    rounds: int, mine: Callable[[], Awaitable[None]], others: dict[str, Callable[[], Awaitable[None]]]
) -> Contest:
    """Run all in turn, once to warm up and `rounds` times to count."""
    result = Contest([], {name: [] for name in others})
    for number in range(rounds + 1):
        for name, work in {"": mine, **others}.items():
            began = time.perf_counter()
            await work()
            seconds = time.perf_counter() - began
            if number:
                (result.others[name] if name else result.mine).append(seconds)
    return result


def report(
    bench: str,
    name: str,
    contest: Contest,
    *,
    unit: str = "ms",
    per: int = 1,
    aim: float | None = None,
    aim_ratios: Mapping[str, float] | None = None,
) -> None:
    """A line for each comparison: medians, and the median of the rounds' ratios. `aim` is what the thing itself may
    take, `aim_ratios` what it may take of others, by their names.
    """
    scale = {"ms": 1e3, "us": 1e6}[unit] / per
    for other, seconds in contest.others.items():
        ratios = [mine / theirs for mine, theirs in zip(contest.mine, seconds, strict=True)]
        line(
            bench,
            name,
            statistics.median(contest.mine) * scale,
            unit,
            len(contest.mine),
            compared_to=f"{other}: {statistics.median(seconds) * scale:.4g} {unit}",
            ratio=statistics.median(ratios),
            aim=aim,
            aim_ratio=(aim_ratios or {}).get(other),
        )


def line(
    bench: str,
    name: str,
    value: float,
    unit: str,
    n: int,
    *,
    compared_to: str | None = None,
    ratio: float | None = None,
    aim: float | None = None,
    aim_ratio: float | None = None,
) -> None:
    """Print one measure; `aim` and `aim_ratio` are what it may be at most, and are told with whether they are met."""
    told: dict[str, object] = {"bench": bench, "name": name, "value": round(value, 3), "unit": unit}
    if compared_to is not None and ratio is not None:
        told |= {"compared_to": compared_to, "ratio": round(ratio, 2)}
    if aim_ratio is not None and ratio is not None:
        told |= {"aim_ratio": aim_ratio, "is_met": ratio <= aim_ratio}
    if aim is not None:
        told |= {"aim": aim, "is_met": value <= aim and bool(told.get("is_met", True))}
    print(json.dumps({**told, "n": n}), flush=True)
