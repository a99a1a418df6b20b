"""What must hold of a recording after its process was killed, and of the template that it becomes then."""

from collections import Counter
from collections.abc import Iterator

from core.app import Core
from core.domain.events import Event, RecordingSealed, RunFinished, StepFinished, StepRecorded
from core.domain.fold import replay
from core.domain.ids import RunId, WorkflowId
from core.domain.recording import Recording
from core.domain.run import Run, RunKind, RunStatus, StepStatus
from core.ports import Storage
from core.recording.template_builder import ExportOptions
from core.services.outcome import Failed
from tests.support.crash_scenarios import Scenario
from tests.support.progress import stored_results


async def recording_of(storage: Storage, workflow_id: WorkflowId) -> Run | None:
    """The recording of the workflow, open or not."""
    runs = await storage.runs.page(workflow_id=workflow_id)
    return next((run for run in runs if run.kind is RunKind.RECORDING), None)


async def seal(core: Core, scenario: Scenario, workflow_id: WorkflowId) -> list[str]:
    """Seal the recording, unless a life before did, and say what is wrong with it then."""
    run = await recording_of(core.storage, workflow_id)
    if run is None:
        return ["there is no recording"]
    before = await core.storage.events.of_run(run.id)
    found = list(_in_the_middle(scenario, run.id, before))
    if not run.status.is_final:
        sealed = await core.recording.export(run.id, ExportOptions(title="T"))
        if isinstance(sealed, Failed):
            return [*found, f"it could not be sealed: {sealed}"]
    run, events = await recording_of(core.storage, workflow_id) or run, await core.storage.events.of_run(run.id)
    numbers = [event.seq for event in events]
    if numbers != list(range(1, len(numbers) + 1)):
        found.append(f"the numbers of the recording's events have gaps: {numbers}")
    if events[: len(before)] != before:
        found.append("events of the recording have changed")
    recording, told = Recording.of({}, events), replay(events)
    recorded = Counter(event.fact.step for event in events if isinstance(event.fact, StepRecorded))
    if recorded != Counter(scenario.records):
        found.append(f"recorded are {dict(recorded)}, not {scenario.records}")
    if told is None or {step.status for step in told.steps.values()} != {StepStatus.COMPLETED}:
        found.append(f"the steps as told are {told.steps if told is not None else None}")
    rows = {row.key.step: row.output_json for row in await stored_results(core.storage, run.id)}
    if sorted(rows) != sorted(scenario.records) or None in rows.values():
        found.append(f"the rows of the recording are {rows}")
    ends = Counter(type(event.fact) for event in events)
    if run.status is not RunStatus.SUCCESS or ends[RunFinished] != 1 or ends[RecordingSealed] != 1:
        found.append(f"the recording has come to {run.status}, ended {ends[RunFinished]} times")
    if [one.id for one in await core.storage.templates.all()] != [recording.template_id]:
        found.append("the template is not the only one there")
    return found


def _in_the_middle(scenario: Scenario, run_id: RunId, events: list[Event]) -> Iterator[str]:
    """The steps have the names and the order of their calls, whenever their process died."""
    started = [event.fact.step for event in events if isinstance(event.fact, StepRecorded)]
    if started != [name for name in scenario.records if name in started]:
        yield f"{run_id} has recorded {started}"
    ended = Counter(event.fact.step for event in events if isinstance(event.fact, StepFinished))
    if any(times > 1 for times in ended.values()):
        yield f"steps of {run_id} have ended more than once: {ended}"
