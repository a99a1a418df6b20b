"""Results that are given to steps instead of running them: known data, or what a test needs (ENGINE §11)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.domain.events import Fact, StepPreset
from core.domain.ids import RunId
from core.domain.json_text import encode_output, type_name
from core.domain.step import StepKey, StepResult, StepStatus
from core.domain.template import Template
from core.engine.starting import StartRequest
from core.errors import NotFound, Refused, StepFailed
from core.ports.schemas import Schemas


async def preset_rows(request: StartRequest, run_id: RunId, schemas: Schemas, now: datetime) -> list[StepResult]:
    """The rows that the run begins with. Raises NotFound for a step that is none, Refused `bad_preset`."""
    rows = []
    for name, output in request.presets.items():
        text = await require_preset(request.template, name, output, schemas)
        rows.append(StepResult(run_id, StepKey(name), StepStatus.COMPLETED, output_json=text, finished_at=now))
    return rows


def told_of(request: StartRequest) -> Sequence[Fact]:
    """What is told of the presets that a run begins with."""
    return [StepPreset(step=name, output=output) for name, output in request.presets.items()]


async def require_preset(template: Template, name: str, output: Any, schemas: Schemas) -> str:
    """The result as text, if the step could have it: it fits `outputSchema`, which is that of each iteration where
    there is a list; an iteration that failed is null. Raises NotFound, Refused `bad_preset`."""
    step = next((one for one in template.steps if one.name == name), None)
    if step is None:
        raise NotFound("step", name)
    try:
        text = encode_output(output)
    except StepFailed as error:
        raise Refused("bad_preset", f"{name}: {error.message}", step=name) from None
    if step.for_each is not None and not isinstance(output, list):
        message = f"{name} runs for each item of a list: its result is a list, not {type_name(output)}"
        raise Refused("bad_preset", message, step=name)
    if step.output_schema is None:
        return text
    values = [(f"/{at}", item) for at, item in enumerate(output)] if step.for_each is not None else [("", output)]
    found = []
    for place, value in values:
        if place and value is None:
            continue
        violations = await schemas.violations(step.output_schema, value)
        found += [{"path": place + one.path, "message": one.message} for one in violations]
    if found:
        told = "; ".join(f"{one['path'] or 'the result'}: {one['message']}" for one in found)
        raise Refused("bad_preset", f"{name}: {told}", step=name, violations=found)
    return text
