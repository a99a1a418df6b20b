"""Commands on runs: started, listed, shown, answered, continued, cancelled (COMMAND_LINE)."""

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.app import Core, Folders
from core.cli.command import (
    add_events_option,
    add_run_argument,
    add_run_options,
    allowed_places,
    command,
    follow_run,
    input_object,
    positive_integer,
    preset_results,
    seconds,
)
from core.cli.output import CANCELLED, FAILED, STORE, SUCCESS, WAITING, PauseWatch, needs_key, write_line
from core.domain.events import to_wire
from core.domain.ids import InterruptionId, RunId
from core.domain.interruption import Action, Answer
from core.domain.run import RunStatus
from core.domain.text.json_text import parse
from core.errors import Refused
from core.services.outcome import unwrap
from core.services.run_objects import run_summary
from core.wiring import open_core

ANSWER_FIELDS = frozenset({"action", "value", "reason"})


def _add_run_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("template", metavar="FILE|TITLE", help="an existing file, else a title")
    parser.add_argument("--input", default="{}", metavar="JSON|@FILE|-", help="the input, an object ({})")
    add_run_options(parser)
    parser.add_argument("--key", metavar="K", help="the same key gives the same run, for ever")
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="end the run after so much active time")
    parser.add_argument(
        "--preset",
        action="append",
        default=[],
        metavar="STEP=JSON",
        help="the result of a step, which is not run then (may be repeated)",
    )


@command(
    "run",
    "run a template: a file, or the title of a stored or shipped one",
    """python -m core run "Folder report" --input '{"folder": "notes"}' --allow notes""",
    _add_run_arguments,
)
async def run(args: argparse.Namespace, folders: Folders) -> int:
    presets = preset_results(args.preset)
    run_input, allow = input_object(args.input), allowed_places(args.allow)

    async def begin(core: Core) -> RunId:
        template = unwrap(await core.templates.find(args.template))
        await core.servers.learn(template.template.tools())
        started = unwrap(
            await core.runs.start(
                template,
                run_input,
                mode=args.mode,
                allow=allow,
                base=str(Path.cwd()),
                key=args.key,
                timeout_ms=round(args.timeout * 1000) if args.timeout is not None else None,
                presets=presets,
            )
        )
        if not started.status.is_final and not core.engine.drives(started.id):  # the same key, after a crash
            unwrap(await core.runs.recover(started.id))
        return started.id

    return await follow_run(args, folders, begin)


def _add_fork_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_argument(parser)
    parser.add_argument("step", metavar="STEP", help="the step to begin at")
    parser.add_argument("--input", metavar="JSON|@FILE|-", help="another input, an object")
    add_events_option(parser)


@command(
    "fork",
    "run again from a step, keeping the results of all steps that do not depend on it",
    """python -m core fork run_01… write --input '{"folder": "notes"}'""",
    _add_fork_arguments,
)
async def fork(args: argparse.Namespace, folders: Folders) -> int:
    run_input = input_object(args.input) if args.input is not None else None

    async def begin(core: Core) -> RunId:
        return unwrap(await core.runs.fork(RunId(args.run), args.step, run_input)).id

    return await follow_run(args, folders, begin)


def _add_answer_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_argument(parser)
    names = parser.add_mutually_exclusive_group()
    names.add_argument("--step", metavar="S", help="the step that asks, if several do")
    names.add_argument("--id", metavar="I", help="the interruption, if a step has several open")
    parser.add_argument(
        "answer", metavar="JSON", help='{"action": approve | reject | submit | skip, "value"?, "reason"?}'
    )
    parser.set_defaults(events=False)


@command(
    "answer",
    "answer a run that waits for you",
    """python -m core answer run_01… --step review '{"action": "approve"}'""",
    _add_answer_arguments,
)
async def answer(args: argparse.Namespace, folders: Folders) -> int:
    content, run_id = _parse_answer(args.answer), RunId(args.run)
    interruption = InterruptionId(args.id) if args.id is not None else None

    async def begin(core: Core) -> RunId:
        unwrap(await core.runs.recover(unwrap(await core.runs.root_of(run_id))))
        unwrap(await core.runs.answer(run_id, content, interruption=interruption, step=args.step))
        return run_id

    return await follow_run(args, folders, begin)


def _parse_answer(text: str) -> Answer:
    """Return the answer in a JSON text. Raises Refused `bad_answer`."""
    try:
        fields = parse(text)
    except ValueError as error:
        raise Refused("bad_answer", f"the answer is not JSON: {error}") from None
    if not isinstance(fields, dict) or fields.get("action") not in set(Action) or not set(fields) <= ANSWER_FIELDS:
        actions = ", ".join(Action)
        raise Refused("bad_answer", f"an answer has an action ({actions}), and may have value and reason")
    reason = fields.get("reason")
    if reason is not None and not isinstance(reason, str):
        raise Refused("bad_answer", "the reason is a text")
    return Answer(Action(fields["action"]), fields.get("value"), reason)


def _add_list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", choices=[str(status) for status in RunStatus], help="only those in this state")
    parser.add_argument("--archived", action="store_true", help="those of archived workflows, instead of all others")
    parser.add_argument("--limit", type=positive_integer, default=50, metavar="N", help="at most so many (50)")


@command("list", "list runs, newest first", "python -m core list --status error --limit 10", _add_list_arguments)
async def list_(args: argparse.Namespace, folders: Folders) -> int:
    status = RunStatus(args.status) if args.status else None
    async with open_core(folders) as core:
        async for listed in core.runs.newest(args.limit, status, is_archived=args.archived):
            write_line(run_summary(listed))
    return SUCCESS


@command("show", "show a run as one JSON object", "python -m core show run_01…", add_run_argument)
async def show(args: argparse.Namespace, folders: Folders) -> int:
    async with open_core(folders) as core:
        write_line(unwrap(await core.runs.describe(RunId(args.run))))
    return SUCCESS


@command("events", "print the stored events of a run, one a line", "python -m core events run_01…", add_run_argument)
async def events(args: argparse.Namespace, folders: Folders) -> int:
    async with open_core(folders) as core:
        for event in unwrap(await core.runs.events(RunId(args.run))):
            write_line(to_wire(event))
    return SUCCESS


@command("cancel", "cancel a run; one that has ended stays as it is", "python -m core cancel run_01…", add_run_argument)
async def cancel(args: argparse.Namespace, folders: Folders) -> int:
    async with open_core(folders) as core:
        unwrap(await core.runs.cancel(RunId(args.run)))
        write_line(unwrap(await core.runs.describe(RunId(args.run))))
    return SUCCESS


@command(
    "resume",
    "recover and continue every unfinished run; Ctrl+C leaves them for the next time",
    "python -m core resume",
)
async def resume(args: argparse.Namespace, folders: Folders) -> int:
    lines: list[dict[str, Any]] = []
    is_stopped = False
    async with open_core(folders) as core:
        pause = PauseWatch(core.bus)
        recovered = unwrap(await core.runs.recover())
        try:
            await pause.unless(_wait_for_all(core, recovered))
        except asyncio.CancelledError:
            is_stopped = True
        for run_id in recovered:
            line = unwrap(await core.runs.describe(run_id))
            lines.append(line)
            write_line(line)
    return _resume_exit_code(lines, is_stopped=is_stopped, is_paused=pause.reason is not None)


async def _wait_for_all(core: Core, run_ids: Sequence[RunId]) -> None:
    for run_id in run_ids:
        await core.engine.wait(run_id)


def _resume_exit_code(lines: Sequence[dict[str, Any]], *, is_stopped: bool, is_paused: bool) -> int:
    if is_stopped:
        return CANCELLED
    if is_paused:
        return STORE
    if any(line["status"] == RunStatus.WAITING or needs_key(line) for line in lines):
        return WAITING
    return SUCCESS if all(line["status"] == RunStatus.SUCCESS for line in lines) else FAILED


@command(
    "worker",
    "recover and continue every unfinished run, and stay until stopped; Ctrl+C leaves them for the next time",
    "python -m core worker",
)
async def worker(args: argparse.Namespace, folders: Folders) -> int:
    """Continue every unfinished run, and stay for what becomes due (ENGINE §14).

    An embedded store has one owner, so that no other process can add runs meanwhile: beyond `resume`, the worker serves
    expiring questions, retries and the deadlines of waiting runs.
    """
    with suppress(asyncio.CancelledError):  # to be stopped is its normal end
        async with open_core(folders) as core:
            unwrap(await core.runs.recover())
            await asyncio.Event().wait()
    return SUCCESS
