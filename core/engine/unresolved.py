"""Refs of a recorded call that have no value: what the model is told, so that it can mend them (ENGINE §11). Pure."""

from collections.abc import Sequence
from typing import Any

from core.domain.json_pointer import part_at, parts_of
from core.domain.masking import MARK, masked
from core.domain.recording import RecordedStep, Recording
from core.domain.run import ErrorInfo
from core.domain.step import StepStatus
from core.domain.tool import CallResult, CallStatus
from core.engine.refs import ROOTS, Scope, find_refs, look_up, whole_ref
from core.errors import RefFailed

NAMES_TOLD = 40


def failures(arguments: Any, scope: Scope, recording: Recording) -> list[RefFailed]:
    """The refs that have no value, each once."""
    failed: dict[str, RefFailed] = {}
    for found in find_refs(arguments):
        ref = found.ref
        is_known = ref.root in ROOTS or ref.root in recording.steps
        if not found.is_whole and not is_known:
            continue  # a word of the text
        try:
            look_up(ref, scope, found.path)
        except RefFailed as error:
            failed.setdefault(f"{found.path} {ref.text}", _explained(error, recording.steps.get(ref.root), scope))
    shown = masked(arguments) if failed else arguments
    return [one if _is_told(one, arguments, shown, recording) else _of_secret(one) for one in failed.values()]


def unresolved(tool: str, failed: Sequence[RefFailed]) -> CallResult:
    """The result of a call that is not made, since refs in its arguments have no value."""
    listed = [{"path": one.parameters["path"], "message": one.message} for one in failed]
    told = "; ".join(f"{one['path']}: {one['message']}" for one in listed)
    first = failed[0].parameters
    parameters = {
        "reason": failed[0].code,
        "ref": first["ref"],
        "found": first.get("found"),
        "path": first["path"],
        "violations": listed,
    }
    error = ErrorInfo(
        "invalid_arguments",
        f"{tool} was not called. {told}",
        failed_during="tool_execution",
        tool_name=tool,
        parameters=parameters,
    )
    return CallResult(CallStatus.ERROR, error=error)


def _explained(error: RefFailed, step: RecordedStep | None, scope: Scope) -> RefFailed:
    """In words that help a model to mend it."""
    if error.code != "unknown_ref":
        return error
    if step is not None:
        why = f"{step.name} has no result: it {'failed' if step.status is StepStatus.ERROR else f'is {step.status}'}"
    else:
        names = list(scope.outputs)[-NAMES_TOLD:]
        why = f"no such step has a result; those that have one: {', '.join(names) or 'none yet'}"
    message = f"{error.parameters['ref']} has no value: {why}. For a literal @ write @@"
    return RefFailed("unresolved_ref", message, found=None, **error.parameters)


def _is_told(error: RefFailed, arguments: Any, shown: Any, recording: Recording) -> bool:
    """Whether the ref may be told: what stands in the place of a secret may be the secret itself."""
    parts = parts_of(error.parameters["path"])
    if part_at(arguments, parts) == part_at(shown, parts):
        return True
    ref = whole_ref(error.parameters["ref"])
    return ref is not None and ref.root in {"input", "ctx", *recording.steps}


def _of_secret(error: RefFailed) -> RefFailed:
    message = "what stands there looks like a reference, and names no step. For a literal @ write @@"
    return RefFailed("unresolved_ref", message, ref=MARK, found=None, path=error.parameters["path"])
