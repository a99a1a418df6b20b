"""`COLLECTION_WORKFLOW_EXECUTION_{LIST,GET,CANCEL,RESUME}`: runs, for agents and steps (AGENTS_AND_TOOLS §5).

A call reaches the runs of its own workflow; others only with the user's consent. It never answers a question of its own
run.
"""

from typing import Any

from core.domain.events import iso_time
from core.domain.ids import InterruptionId, RunId, WorkflowId
from core.domain.interruption import Action, Answer
from core.domain.risk import Risk
from core.domain.run import Run, RunStatus
from core.domain.tool import Category, ToolInfo
from core.errors import MetierError, NotFound, ToolFailed
from core.ports.executions import Runs
from core.ports.tools import CallContext
from core.threads.long_values import is_long
from core.tools import schema
from core.tools.builtin.collection import (
    ANY_OBJECT,
    COUNT_OR_NULL,
    CURSOR,
    EXECUTIONS,
    LIMIT,
    PAGE,
    TEXT,
    TEXT_OR_NULL,
    a_page,
    an_id,
    errors_as_failures,
    of_result,
)
from core.tools.builtin.execution_create import LONGEST_S, START_S, told
from core.tools.measure import format_count
from core.tools.registry import Arguments, Tool

ALL = "*"

_RUN_ID = an_id("The id of the run.")
_STATUS = {"type": "string", "enum": [one.value for one in RunStatus if one is not RunStatus.PAUSED]}
_ITEM = of_result(
    {
        "run_id": TEXT,
        "workflow_id": TEXT,
        "kind": TEXT,
        "title": TEXT,
        "status": TEXT,
        "template_id": TEXT_OR_NULL,
        "template_version": COUNT_OR_NULL,
        "parent_run_id": TEXT_OR_NULL,
        "created_at": TEXT,
        "finished_at": TEXT_OR_NULL,
    }
)


def tools(runs: Runs) -> list[Tool]:
    """Return the tools. Errors: `not_found`, `not_allowed`, and for RESUME the errors of an answer (ENGINE §8)."""

    async def is_elsewhere(run_id: Any, workflow_id: WorkflowId) -> bool:
        """Return whether the run belongs to another workflow. Where the lookup fails the answer is True."""
        if not isinstance(run_id, str):
            return False
        try:
            return (await runs.find(RunId(run_id))).workflow_id != workflow_id
        except NotFound:
            return False
        except MetierError:
            return True

    async def names_another(arguments: Arguments, workflow_id: WorkflowId) -> bool:
        return await is_elsewhere(arguments.get("run_id"), workflow_id)

    async def lists_another(arguments: Arguments, workflow_id: WorkflowId) -> bool:
        if (parent := arguments.get("parent_run_id")) is not None:
            return await is_elsewhere(parent, workflow_id)
        return bool(arguments.get("workflow_id", workflow_id) != workflow_id)

    @errors_as_failures
    async def list_(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        wanted = arguments.get("workflow_id", ALL if context.is_outside else context.workflow_id)
        parent, before = arguments.get("parent_run_id"), arguments.get("cursor")
        page = await runs.listed(
            workflow_id=None if wanted == ALL else WorkflowId(wanted),
            parent=RunId(parent) if parent is not None else None,
            status=RunStatus(arguments["status"]) if "status" in arguments else None,
            limit=arguments.get("limit", PAGE),
            before=RunId(before) if before is not None else None,
        )
        return {"items": [_item(one) for one in page.runs], "next_cursor": page.next_cursor}

    @errors_as_failures
    async def get(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        run = await runs.describe(RunId(arguments["run_id"]))
        if (step := arguments.get("step")) is None:
            return _readable(run)
        if step not in run["steps"]:
            raise NotFound("step", step)
        head = {name: run[name] for name in ("run_id", "workflow_id", "title", "kind", "status")}
        return {**head, "steps": {step: run["steps"][step]}}

    @errors_as_failures
    async def cancel(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        return told(await runs.cancel(RunId(arguments["run_id"])))

    @errors_as_failures
    async def resume(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        run_id = RunId(arguments["run_id"])
        if (answer := _answer(arguments)) is not None:
            named = arguments.get("id")
            interruption = InterruptionId(named) if named is not None else None
            step = arguments.get("step")
            await runs.answer(context, run_id, answer, interruption=interruption, step=step)
        run = await runs.go_on(context, run_id, wait=bool(arguments.get("wait")))
        result = told(run)
        if run.status.is_final:
            described = await runs.describe(run_id)
            return {**result, "output": described["output"], "error": described["error"]}
        if run.status is RunStatus.ENQUEUED:
            result["error"] = (await runs.describe(run_id))["error"]
        return {**result, "interruptions": await runs.asked(run_id)}

    return [
        Tool(_LIST, server=list_, read_only=True, reaches_out=lists_another, summary=_how_many),
        Tool(_GET, server=get, read_only=True, reaches_out=names_another, summary=_status),
        Tool(_CANCEL, server=cancel, reaches_out=names_another, summary=_status),
        Tool(
            _RESUME,
            server=resume,
            reaches_out=names_another,
            timeout_s=lambda arguments: LONGEST_S if arguments.get("wait") else START_S,
            summary=_status,
        ),
    ]


def _item(run: Run) -> dict[str, Any]:
    return {
        "run_id": run.id,
        "workflow_id": run.workflow_id,
        "kind": run.kind,
        "title": run.title,
        "status": run.status,
        "template_id": run.template_id,
        "template_version": run.template_version,
        "parent_run_id": run.parent,
        "created_at": iso_time(run.created_at),
        "finished_at": iso_time(run.finished_at) if run.finished_at else None,
    }


def _answer(arguments: Arguments) -> Answer | None:
    """Return the answer in the arguments, None where the run is only to be resumed. Raises ToolFailed `bad_answer`."""
    if "action" in arguments:
        return Answer(Action(arguments["action"]), arguments.get("value"), arguments.get("reason"))
    named = [name for name in ("step", "id", "value", "reason") if name in arguments]
    if named:
        raise ToolFailed("bad_answer", f"{', '.join(named)} belongs to an answer, and there is no action")
    return None


def _readable(run: dict[str, Any]) -> dict[str, Any]:
    """Return the run without step outputs over 64 KB: their size would hide the rest."""
    steps = {name: _step(step) for name, step in run["steps"].items()}
    return {**run, "steps": steps}


def _step(step: dict[str, Any]) -> dict[str, Any]:
    return {**step, "output": None, "is_output_left_out": True} if is_long(step["output"]) else step


def _status(arguments: Arguments, value: Any) -> str:
    return str(value["status"])


def _how_many(arguments: Arguments, value: Any) -> str:
    return format_count(len(value["items"]), "run")


_LIST = ToolInfo(
    name=f"{EXECUTIONS}LIST",
    title="List runs",
    description=(
        "Lists runs, newest first: {items, next_cursor}. Without workflow_id those of the workflow that this is called"
        " in; from outside, all. With parent_run_id the runs that this one began."
    ),
    input_schema=schema.of_object(
        {},
        {
            "workflow_id": an_id(f"Those of this workflow, or {ALL} for all."),
            "parent_run_id": an_id("Those below this run."),
            "status": _STATUS,
            "limit": LIMIT,
            "cursor": CURSOR,
        },
    ),
    output_schema=a_page(_ITEM),
    category=Category.DATABASE,
    is_scoped=True,
)
_GET = ToolInfo(
    name=f"{EXECUTIONS}GET",
    title="Read a run",
    description=(
        "Gives everything about a run: {run_id, status, output, error, steps, tool_calls, interruptions, metrics, …}."
        " The output of a step that is longer than 64 KB is left out; with step, that step alone is given, whole."
    ),
    input_schema=schema.of_object({"run_id": _RUN_ID}, {"step": an_id("Only this step, with its whole output.")}),
    output_schema=of_result(
        {"run_id": TEXT, "workflow_id": TEXT, "title": TEXT, "kind": TEXT, "status": TEXT, "steps": ANY_OBJECT},
        {"output": {}, "error": {"type": ["object", "null"]}, "interruptions": {"type": "array", "items": ANY_OBJECT}},
    ),
    category=Category.DATABASE,
    is_scoped=True,
)
_CANCEL = ToolInfo(
    name=f"{EXECUTIONS}CANCEL",
    title="Cancel a run",
    description="Ends a run and all that it began, and gives {run_id, status}. One that has ended stays as it is.",
    input_schema=schema.of_object({"run_id": _RUN_ID}),
    output_schema=of_result({"run_id": TEXT, "status": TEXT}),
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
    is_scoped=True,
)
_RESUME = ToolInfo(
    name=f"{EXECUTIONS}RESUME",
    title="Answer a run, or go on with it",
    description=(
        "With an action, answers what a run or one below it waits for: approve, reject, submit a value, or skip, as the"
        " interruption's kind takes it; step or id names it where several are open. Without an action, goes on with a"
        " run that nobody is at. Gives {run_id, status, output?, error?, interruptions?}."
    ),
    input_schema=schema.of_object(
        {"run_id": _RUN_ID},
        {
            "step": an_id("The step that asks."),
            "id": an_id("The id of the interruption."),
            "action": {"type": "string", "enum": [one.value for one in Action]},
            "value": {"description": "What is submitted. It has to fit the schema of the interruption."},
            "reason": {"type": "string", "maxLength": 10_000, "description": "Why it is rejected."},
            "wait": {"type": "boolean", "description": "Whether to wait until it has ended or waits for a person."},
        },
    ),
    output_schema=of_result(
        {"run_id": TEXT, "status": TEXT},
        {
            "output": {},
            "error": {"type": ["object", "null"]},
            "interruptions": {"type": "array", "items": ANY_OBJECT},
        },
    ),
    risk=Risk.MEDIUM,
    category=Category.DATABASE,
    is_scoped=True,
)
