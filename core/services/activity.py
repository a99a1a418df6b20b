"""The activity of a workflow beyond its live state: whole results of calls, and the export to a file."""

import asyncio
import os
import re
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import Any, BinaryIO

from core.domain.ids import CallId, RunId
from core.domain.progress import call_results
from core.domain.text.json_text import indented_json
from core.errors import Refused
from core.ports import Clock, Storage
from core.services.lookup import ignore_unreadable
from core.services.outcome import returns_outcome
from core.stores.activity_details import ActivityDetail
from core.stores.activity_items import ActivityItem
from core.threads.files import private_opener
from core.threads.long_values import decode_async, is_long, masked_async, readable_async

Entry = tuple[ActivityItem, ActivityDetail]

MAX_CACHED_RUNS = 4
"""The results of so many runs are held at a time: those of one may be megabytes."""
SLICE_S = 0.005
BUFFER_CHARACTERS = 256 * 1024

_FENCE = re.compile("`{3,}")


class ExportFormat(StrEnum):
    """The format of an exported activity."""

    JSON = "json"
    MARKDOWN = "md"


class ActivityService:
    """Reads results of tool calls and exports activities."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self._storage = storage
        self._clock = clock

    @returns_outcome
    async def result(self, run_id: RunId, call_id: CallId) -> str:
        """Return the whole result of a call as readable text: a string as it is, any other value as JSON. Fails with
        `not_found` if no result is stored.
        """
        text = (await self._results(run_id)).get(call_id)
        if text is None:
            raise Refused("not_found", f"the call {call_id!r} has no result", kind="result", name=call_id)
        value = await decode_async(text)
        return value if isinstance(value, str) else await _indented_text(value)

    @returns_outcome
    async def export(
        self, path: Path, title: str, entries: Sequence[Entry], form: ExportFormat, on_progress: Callable[[int], object]
    ) -> None:
        """Write the entries to a file in order, with secrets masked; `on_progress` is called with the number of
        entries written so far.

        The file appears whole or not at all, readable by its owner alone; an earlier file stays if this fails or is
        cancelled. Fails with `export_failed` if the file cannot be written.
        """
        # in the same folder, since a rename is atomic only within a file system
        temporary = path.with_name(f".{secrets.token_hex(8)}.part")
        try:
            with await _open_file(temporary) as file:
                await self._write(file, title, entries, form, on_progress)
                await asyncio.to_thread(_flush_to_disk, file)
            await asyncio.to_thread(os.replace, temporary, path)
        except OSError as error:
            raise Refused("export_failed", f"{path} cannot be written: {error.strerror}", path=str(path)) from error
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    async def _write(
        self,
        file: BinaryIO,
        title: str,
        entries: Sequence[Entry],
        form: ExportFormat,
        on_progress: Callable[[int], object],
    ) -> None:
        head = {"workflow": title, "exported_at": self._clock.now().isoformat(), "count": len(entries)}
        buffer = [await _header_text(head, form)]
        size, rested_at = 0, perf_counter()
        results: OrderedDict[RunId, Mapping[CallId, str]] = OrderedDict()
        for number, (item, detail) in enumerate(entries):
            fields = await masked_async(await self._fields(item, detail, results))
            text = await _entry_text(number, fields, form)
            buffer.append(text)
            size += len(text)
            on_progress(number + 1)
            if size > BUFFER_CHARACTERS:
                await asyncio.to_thread(file.write, _encode_texts(buffer))
                buffer, size = [], 0
            # an export of thousands of items must not stall the window
            if perf_counter() - rested_at > SLICE_S:
                await asyncio.sleep(0)
                rested_at = perf_counter()
        buffer.append("\n]}\n" if form is ExportFormat.JSON else "")
        await asyncio.to_thread(file.write, _encode_texts(buffer))

    async def _fields(
        self, item: ActivityItem, detail: ActivityDetail, results: OrderedDict[RunId, Mapping[CallId, str]]
    ) -> dict[str, Any]:
        fields = dict(_item_fields(item, detail))
        if detail.is_summary:
            if item.run_id not in results:
                results[item.run_id] = await self._results(item.run_id)
                # entries of a run stand mostly together, so that the oldest run is the least needed
                if len(results) > MAX_CACHED_RUNS:
                    results.popitem(last=False)
            text = results[item.run_id].get(CallId(item.id))
            if text is not None:
                fields["result"] = await decode_async(text)
        return fields

    async def _results(self, run_id: RunId) -> Mapping[CallId, str]:
        """Return the stored results of a run as JSON text by call; empty if the run is unreadable."""
        with ignore_unreadable():
            return call_results(await self._storage.events.of_run(run_id))
        return {}


def _item_fields(item: ActivityItem, detail: ActivityDetail) -> Iterator[tuple[str, Any]]:
    yield "kind", item.kind.value
    yield "state", item.state.value
    yield "at", item.at.isoformat()
    known: dict[str, Any] = {
        "name": item.name,
        "target": item.target,
        "seconds": item.duration_s,
        "run": item.run_id,
        "run_title": item.below,
        "step": item.step,
        "sub_agent": item.sub_agent,
        "attempts": item.attempts if item.attempts > 1 else None,
        "condition_found": item.reason,
        "progress": asdict(item.progress) if item.progress is not None else None,
        "summary": item.summary,
        "errors": [dict(error) for error in detail.errors],
        "console": detail.console,
    }
    yield from ((name, value) for name, value in known.items() if value not in (None, "", []))
    if detail.is_console_cut:
        yield "console_is_cut", True
    if detail.input_tokens or detail.output_tokens:
        cached = {"cached": detail.cached_tokens} if detail.cached_tokens else {}
        yield "tokens", {"input": detail.input_tokens, "output": detail.output_tokens, **cached}
    if detail.has_arguments:
        yield "arguments", detail.arguments
    if detail.has_result:
        yield "result", detail.result


async def _header_text(head: Mapping[str, Any], form: ExportFormat) -> str:
    known = await masked_async(dict(head))
    if form is ExportFormat.JSON:
        return (await readable_async(known))[:-1] + ',"items":['
    return f"# {_escape_markdown(known['workflow'])}\n\nExported at {known['exported_at']}: {known['count']} items\n"


async def _entry_text(number: int, fields: Mapping[str, Any], form: ExportFormat) -> str:
    if form is ExportFormat.JSON:
        return ("," if number else "") + "\n" + await readable_async(fields)
    return "".join([piece async for piece in _section(fields)])


async def _section(fields: Mapping[str, Any]) -> AsyncIterator[str]:
    """Yield an item as Markdown. Values stand in code fences, so that nothing in them is parsed as Markdown."""
    title = " ".join(str(fields[name]) for name in ("kind", "name", "target") if name in fields)
    yield f"\n## {_escape_markdown(title)}\n\n"
    for name in _LIST_FIELDS:
        if name in fields:
            yield f"- {name}: {_escape_markdown(await readable_async(fields[name]))}\n"
    for name in _BLOCK_FIELDS:
        if name in fields:
            value = fields[name]
            text = value if isinstance(value, str) else await _indented_text(value)
            fence = _make_fence(text)
            language = "" if isinstance(value, str) else "json"
            yield f"\n{name.capitalize()}:\n\n{fence}{language}\n{text}\n{fence}\n"


async def _indented_text(value: Any) -> str:
    return await readable_async(value) if is_long(value) else indented_json(value)


_LIST_FIELDS = (
    *("state", "at", "seconds", "run", "run_title", "step", "sub_agent", "attempts", "condition_found"),
    *("progress", "tokens", "summary"),
)
_BLOCK_FIELDS = ("errors", "arguments", "result", "console")


def _escape_markdown(text: str) -> str:
    """Return the text on one line, with Markdown's special characters escaped."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>#|" else sign for sign in " ".join(text.split()))


def _make_fence(text: str) -> str:
    """Return a fence longer than any fence in the text."""
    return "`" * (max(map(len, _FENCE.findall(text)), default=2) + 1)


async def _open_file(path: Path) -> BinaryIO:
    # shielded: an abandoned thread would leave the file open
    opening = asyncio.ensure_future(asyncio.to_thread(_open_new, path))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        (await opening).close()
        raise


def _open_new(path: Path) -> BinaryIO:
    return open(path, "xb", opener=private_opener)


def _flush_to_disk(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _encode_texts(texts: Iterable[str]) -> bytes:
    return "".join(texts).encode("utf-8", "backslashreplace")
