"""`COLLECTION_WORKFLOW_EXECUTION_{RECORD,SET_STEP_RESULT,SAVE_AS_TEMPLATE}`: recordings (ENGINE §11)."""

from typing import Any

from core.domain.ids import RunId
from core.domain.risk import Risk
from core.errors import ToolFailed
from core.ports import CallContext, Recordings
from core.tools import schema
from core.tools.builtin.collection import EXECUTIONS, collection_tool, summary_of
from core.tools.registry import Arguments, Tool

_NAMES = {"type": "array", "items": {"type": "string"}, "maxItems": 10_000}


def tools(recordings: Recordings) -> list[Tool]:
    """Return the tools. Starting a recording twice continues it, and setting the same result twice changes nothing:
    both are idempotent. Errors: `not_allowed`, `not_recording`, and the refusals of the recording.
    """

    async def target_run(arguments: Arguments, context: CallContext) -> RunId:
        """Return the run in the arguments, which must belong to the call's workflow, or else its open recording."""
        if "run_id" not in arguments:
            run_id = await recordings.find_open(context.workflow_id)
            if run_id is None:
                raise ToolFailed("not_recording", "no recording is open in this conversation")
            return run_id
        run_id = RunId(arguments["run_id"])
        if await recordings.workflow_of(run_id) != context.workflow_id:
            raise ToolFailed("not_allowed", f"the run {run_id!r} belongs to another conversation")
        return run_id

    async def record(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        action = arguments.get("action", "start")
        if action == "start":
            run_id = await recordings.start(context.workflow_id, arguments.get("input"))
            return {"run_id": run_id, "status": "recording", "guide": await recordings.guide(run_id)}
        run_id = await target_run(arguments, context)
        if action == "review":
            return {"run_id": run_id, **await recordings.review(run_id)}
        await recordings.end(run_id)
        return {"run_id": run_id, "status": "success"}

    async def set_step_result(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        run_id = await target_run(arguments, context)
        await recordings.preset(run_id, arguments["step"], arguments["output"])
        return {"run_id": run_id, "step": arguments["step"]}

    async def save_as_template(arguments: Arguments, context: CallContext) -> dict[str, Any]:
        options = {name: value for name, value in arguments.items() if name != "run_id"}
        return dict(await recordings.seal(await target_run(arguments, context), options))

    return [
        collection_tool(
            f"{EXECUTIONS}RECORD",
            "Record a template",
            "Records the tool calls of this conversation as the steps of a template. action start (the default) starts"
            " a recording or continues the open one, and returns {run_id, status, guide}: how to write arguments while"
            " it is on. review returns what the template would have: {steps, left_out, offers, masked}. end stops"
            " without a template.",
            record,
            {},
            {
                "action": {"enum": ["start", "review", "end"]},
                "input": {"type": "object", "description": "What @input means in the recording from now on."},
                "run_id": schema.an_id("The recording, for review and end; the open recording if absent.", 200),
            },
            risk=Risk.MEDIUM,
            read_only=lambda arguments: arguments.get("action") == "review",
            idempotent=lambda arguments: arguments.get("action") != "end",
            summary=lambda arguments, _: str(arguments.get("action", "start")),
        ),
        collection_tool(
            f"{EXECUTIONS}SET_STEP_RESULT",
            "Set the result of a step",
            "Sets the result of a step without running it. In a recording: of a recorded step, of the call that will"
            " have this name (get_user_2), or of data under a new name, which references can read. In a run of this"
            " conversation: of a step that has not started. Returns {run_id, step}.",
            set_step_result,
            {
                "step": {"type": "string", "minLength": 1, "maxLength": 128},
                "output": {"description": "The result: any JSON value."},
            },
            {"run_id": schema.an_id("The recording or the run; the open recording if absent.", 200)},
            risk=Risk.MEDIUM,
            idempotent=True,
            summary=lambda arguments, _: str(arguments["step"]),
        ),
        collection_tool(
            f"{EXECUTIONS}SAVE_AS_TEMPLATE",
            "Save a recording as a template",
            "Saves a recording as a template, and ends it. Returns {run_id, template_id, title, left_out, masked}."
            " Failed and repeated calls are left out unless they are in include. accept: which of the references that"
            " the review offers replace their literals.",
            save_as_template,
            {},
            {
                "title": {"type": "string", "minLength": 1, "maxLength": 256},
                "description": {"type": "string", "maxLength": 10_000},
                "accept": {
                    "anyOf": [{"const": "all"}, _NAMES],
                    "description": "all, or the paths of the offers; none if absent.",
                },
                "include": {**_NAMES, "description": "Steps to include that would be left out."},
                "exclude": {**_NAMES, "description": "Steps to leave out."},
                "run_id": schema.an_id("The recording; the open recording if absent.", 200),
            },
            risk=Risk.MEDIUM,
            summary=summary_of("title"),
        ),
    ]
