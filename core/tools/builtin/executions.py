"""`COLLECTION_WORKFLOW_EXECUTION_{LIST,GET,CREATE,CANCEL,RESUME}`: runs, for agents and steps (AGENTS_AND_TOOLS §5).

A call reaches the runs of its own workflow; others only with the user's consent. It never answers a question of its own
run.
"""

from typing import Any

from core.domain.events import iso_time
from core.domain.ids import InterruptionId, RunId, TemplateId, WorkflowId
from core.domain.interruption import Action, Answer
from core.domain.risk import Risk
from core.domain.run import Run, RunStatus
from core.domain.text.json_text import decode
from core.errors import MetierError, NotFound, ToolFailed
from core.ports import CallContext, Runs
from core.threads.long_values import is_long
from core.tools import schema
from core.tools.builtin.collection import (
    ANY_OBJECT,
    COUNT_OR_NULL,
    CURSOR,
    EXECUTIONS,
    LIMIT,
    OBJECTS,
    PAGE,
    TEXT,
    TEXT_OR_NULL,
    a_page,
    an_id,
    collection_tool,
    summary_of,
)
from core.tools.measure import format_count
from core.tools.registry import Arguments, Tool
from core.tools.schema import of_result

CREATE = f"{EXECUTIONS}CREATE"
ALL = "*"
START_S = 30.0
LONGEST_S = 86_400.0  # a run has limits of its own

_RUN_ID = an_id("The id of the run.")
_STATUS = {"type": "string", "enum": [status.value for status in RunStatus if status is not RunStatus.PAUSED]}
_STANDING = (RunStatus.ENQUEUED, RunStatus.PAUSED)  # there may be a reason why it does not run
_ERROR = {"type": ["object", "null"]}
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
    """Return the tools.

    CREATE is idempotent: a repeated call returns the run that the first call started. A run that is waited for, by
    CREATE or RESUME, and does not succeed fails the call with `child_failed`, from outside with `run_failed`; both
    carry the run's error. Errors of the others:
    `not_found`, `not_allowed`, and for RESUME the errors of an answer (ENGINE §8).
    """

    async def is_elsewhere(run_id: Any, workflow_id: WorkflowId) -> bool:
        """Return whether the run belongs to another workflow. Where the lookup fails the answer is True."""
        # The arguments of a call whose consent is settled need not fit the schema yet.
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

    async def list_(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        workflow_id = arguments.get("workflow_id", ALL if context.is_outside else context.workflow_id)
        parent, before = arguments.get("parent_run_id"), arguments.get("cursor")
        page = await runs.listed(
            workflow_id=None if workflow_id == ALL else WorkflowId(workflow_id),
            parent=RunId(parent) if parent is not None else None,
            status=RunStatus(arguments["status"]) if "status" in arguments else None,
            limit=arguments.get("limit", PAGE),
            before=RunId(before) if before is not None else None,
        )
        return {"items": [_item(run) for run in page.runs], "next_cursor": page.next_cursor}

    async def get(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        run = await runs.describe(RunId(arguments["run_id"]))
        if (step := arguments.get("step")) is None:
            return {**run, "steps": {name: _without_long_output(step) for name, step in run["steps"].items()}}
        if step not in run["steps"]:
            raise NotFound("step", step)
        summary = {name: run[name] for name in ("run_id", "workflow_id", "title", "kind", "status")}
        return {**summary, "steps": {step: run["steps"][step]}}

    async def create(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        wait = bool(arguments.get("wait", False))
        template_id, inputs = TemplateId(arguments["workflow_collection_id"]), arguments.get("input", {})
        run = await runs.execute(context, template_id, inputs, timeout_ms=arguments.get("timeoutMs"), wait=wait)
        if not wait:
            return _state(run)
        if run.status is RunStatus.SUCCESS:
            return {**_state(run), "output": decode(run.output_json or "null")}
        if run.status.is_final:
            raise _run_failed(run, context)
        return {**_state(run), "interruptions": await runs.asked(run.id)}

    async def cancel(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        return _state(await runs.cancel(RunId(arguments["run_id"])))

    async def resume(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        run_id = RunId(arguments["run_id"])
        if (answer := _answer(arguments)) is not None:
            interruption_id, step = arguments.get("id"), arguments.get("step")
            interruption = InterruptionId(interruption_id) if interruption_id is not None else None
            await runs.answer(context, run_id, answer, interruption=interruption, step=step)
        run = await runs.go_on(context, run_id, wait=bool(arguments.get("wait")))
        result = _state(run)
        if run.status.is_final:
            if arguments.get("wait") and run.status is not RunStatus.SUCCESS:
                raise _run_failed(run, context)
            described = await runs.describe(run_id)
            return {**result, "output": described["output"], "error": described["error"]}
        if run.status in _STANDING:
            result["error"] = (await runs.describe(run_id))["error"]
        return {**result, "interruptions": await runs.asked(run_id)}

    return [
        collection_tool(
            f"{EXECUTIONS}LIST",
            "List runs",
            "Lists runs, newest first: {items, next_cursor}. Without workflow_id the runs of the workflow that makes"
            " the call; from outside, all. With parent_run_id the runs that this run started.",
            list_,
            {},
            {
                "workflow_id": an_id(f"Only runs of this workflow, or {ALL} for all."),
                "parent_run_id": an_id("Only child runs of this run."),
                "status": _STATUS,
                "limit": LIMIT,
                "cursor": CURSOR,
            },
            output=a_page(_ITEM),
            is_scoped=True,
            read_only=True,
            reaches_out=lists_another,
            summary=lambda _, value: format_count(len(value["items"]), "run"),
        ),
        collection_tool(
            f"{EXECUTIONS}GET",
            "Read a run",
            "Returns everything about a run: {run_id, status, output, error, steps, tool_calls, interruptions,"
            " metrics, …}. Step outputs over 64 KB are left out; with step, only that step is returned, whole.",
            get,
            {"run_id": _RUN_ID},
            {"step": an_id("Only this step, with its whole output.")},
            output=of_result(
                {"run_id": TEXT, "workflow_id": TEXT, "title": TEXT, "kind": TEXT, "status": TEXT, "steps": ANY_OBJECT},
                {"output": {}, "error": _ERROR, "interruptions": OBJECTS},
            ),
            is_scoped=True,
            read_only=True,
            reaches_out=names_another,
            summary=summary_of("status"),
        ),
        collection_tool(
            CREATE,
            "Start a run",
            "Starts a run of a template, as a child of the calling run if there is one. Returns {run_id, status} at"
            " once, or with wait: true {run_id, status, output} once it has ended. A run without a parent is also"
            " returned when it waits for the user, with status waiting and its open interruptions.",
            create,
            {"workflow_collection_id": an_id("The id of the template.")},
            {
                "input": {"type": "object", "description": "The input of the run, {} if absent."},
                "timeoutMs": schema.number("The limit of its active time.", 1, kind="integer"),
                "wait": schema.flag("Whether to wait for its end."),
            },
            output=of_result({"run_id": TEXT, "status": TEXT}, {"output": {}, "interruptions": OBJECTS}),
            risk=Risk.MEDIUM,
            idempotent=True,
            timeout_s=_wait_limit_s,
            summary=summary_of("status"),
        ),
        collection_tool(
            f"{EXECUTIONS}CANCEL",
            "Cancel a run",
            "Cancels a run and all its children, and returns {run_id, status}. A finished run stays as it is.",
            cancel,
            {"run_id": _RUN_ID},
            output=of_result({"run_id": TEXT, "status": TEXT}),
            risk=Risk.MEDIUM,
            is_scoped=True,
            reaches_out=names_another,
            summary=summary_of("status"),
        ),
        collection_tool(
            f"{EXECUTIONS}RESUME",
            "Answer or resume a run",
            "With an action, answers an interruption of a run or of a child: approve, reject, submit a value, or skip,"
            " as its kind accepts; step or id selects it where several are open. Without an action, resumes a run that"
            " is not running. Returns {run_id, status, output?, error?, interruptions?}.",
            resume,
            {"run_id": _RUN_ID},
            {
                "step": an_id("The step that asks."),
                "id": an_id("The id of the interruption."),
                "action": {"type": "string", "enum": [action.value for action in Action]},
                "value": {"description": "The submitted value. It must fit the schema of the interruption."},
                "reason": schema.text("Why it is rejected.", 10_000, can_be_empty=True),
                "wait": schema.flag("Whether to wait until it has ended or waits for the user."),
            },
            output=of_result(
                {"run_id": TEXT, "status": TEXT}, {"output": {}, "error": _ERROR, "interruptions": OBJECTS}
            ),
            risk=Risk.MEDIUM,
            is_scoped=True,
            reaches_out=names_another,
            timeout_s=_wait_limit_s,
            summary=summary_of("status"),
        ),
    ]


def _wait_limit_s(arguments: Arguments) -> float:
    return LONGEST_S if arguments.get("wait") else START_S


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


def _state(run: Run) -> dict[str, Any]:
    return {"run_id": run.id, "status": run.status}


def _run_failed(run: Run, context: CallContext) -> ToolFailed:
    error = run.error.as_dict() if run.error else {"code": run.status, "message": f"it was {run.status}"}
    message = f"{run.title}: {error['message']}"
    if context.is_outside:
        return ToolFailed("run_failed", message, run_id=run.id, status=run.status, error=error)
    return ToolFailed("child_failed", message, child_run_id=run.id, error=error)


def _answer(arguments: Arguments) -> Answer | None:
    """Return the answer in the arguments, None where the run is only to be resumed. Raises ToolFailed `bad_answer`."""
    if "action" in arguments:
        return Answer(Action(arguments["action"]), arguments.get("value"), arguments.get("reason"))
    useless = [name for name in ("step", "id", "value", "reason") if name in arguments]
    if useless:
        raise ToolFailed("bad_answer", f"{', '.join(useless)} belongs to an answer, and there is no action")
    return None


def _without_long_output(step: dict[str, Any]) -> dict[str, Any]:
    # An output over 64 KB would have the whole result cut for the model, and hide the rest of the run.
    return {**step, "output": None, "is_output_left_out": True} if is_long(step["output"]) else step
