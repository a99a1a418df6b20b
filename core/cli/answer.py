"""`answer`: answer what a run waits for, and follow it until it ends or waits again."""

import argparse

from core.app import Folders
from core.cli.exit_codes import CommandFailed, unwrap
from core.cli.follow import attend, exit_code
from core.cli.output import write_line
from core.domain.ids import InterruptionId, RunId
from core.domain.interruption import Action, Answer
from core.domain.text.json_text import parse
from core.wiring import open_core

NAME = "answer"
HELP = "answer a run that waits for a person"
EXAMPLE = """python -m core answer run_01… --step review '{"action": "approve"}'"""

FIELDS = frozenset({"action", "value", "reason"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN")
    names = parser.add_mutually_exclusive_group()
    names.add_argument("--step", metavar="S", help="the step that asks, if several do")
    names.add_argument("--id", metavar="I", help="the interruption, if a step has several open")
    parser.add_argument(
        "answer", metavar="JSON", help='{"action": approve | reject | submit | skip, "value"?, "reason"?}'
    )


async def execute(args: argparse.Namespace, folders: Folders) -> int:
    answer, run_id = parse_answer(args.answer), RunId(args.run)
    interruption = InterruptionId(args.id) if args.id is not None else None
    async with open_core(folders) as core:
        root = unwrap(await core.runs.root_of(run_id))
        unwrap(await core.runs.recover(root))
        unwrap(await core.runs.answer(run_id, answer, interruption=interruption, step=args.step))
        line = await attend(core, run_id)
    write_line(line)
    return exit_code(line)


def parse_answer(text: str) -> Answer:
    """Return the answer in a JSON text. Raises CommandFailed `bad_answer`."""
    try:
        given = parse(text)
    except ValueError as error:
        raise CommandFailed.usage("bad_answer", f"the answer is not JSON: {error}") from None
    if not isinstance(given, dict) or given.get("action") not in set(Action) or not set(given) <= FIELDS:
        actions = ", ".join(Action)
        raise CommandFailed.usage("bad_answer", f"an answer has an action ({actions}), and may have value and reason")
    reason = given.get("reason")
    if reason is not None and not isinstance(reason, str):
        raise CommandFailed.usage("bad_answer", "the reason is a text")
    return Answer(Action(given["action"]), given.get("value"), reason)
