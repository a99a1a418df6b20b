"""The arguments of recorded calls: refs without a value, and the stored form with refs and without secrets (ENGINE
§11).

Pure. The model reads the errors, so that it can correct the refs.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any

from core.domain.recording import RecordedStep, Recording
from core.domain.run import ErrorInfo, StepStatus
from core.domain.text.json_text import encode, parse_pointer, value_at
from core.domain.text.masking import MASK, masked
from core.domain.tool import CallResult, CallStatus
from core.engine.plan.refs import ROOTS, Scope, escape_refs, find_refs, look_up, replace_refs, whole_ref
from core.errors import RefFailed

MAX_LISTED_STEPS = 40


def unresolved_refs(arguments: Any, scope: Scope, recording: Recording) -> list[RefFailed]:
    """Return the failures of refs without a value, each once."""
    failed: dict[str, RefFailed] = {}
    for occurrence in find_refs(arguments):
        ref = occurrence.ref
        is_known = ref.root in ROOTS or ref.root in recording.steps
        if not occurrence.is_whole and not is_known:
            continue  # a word of the text
        try:
            look_up(ref, scope, occurrence.path)
        except RefFailed as error:
            failed.setdefault(f"{occurrence.path} {ref.text}", _explain(error, recording.steps.get(ref.root), scope))
    shown = masked(arguments) if failed else arguments
    return [
        failure if _may_be_shown(failure, arguments, shown, recording) else _masked_failure(failure)
        for failure in failed.values()
    ]


def unresolved_result(tool: str, failures: Sequence[RefFailed]) -> CallResult:
    """Return the result of a call that is not made because refs in its arguments have no value."""
    listed = [{"path": failure.parameters["path"], "message": failure.message} for failure in failures]
    text = "; ".join(f"{failure['path']}: {failure['message']}" for failure in listed)
    first = failures[0].parameters
    parameters = {
        "reason": failures[0].code,
        "ref": first["ref"],
        "found": first.get("found"),
        "path": first["path"],
        "violations": listed,
    }
    error = ErrorInfo(
        "invalid_arguments",
        f"{tool} was not called. {text}",
        failed_during="tool_execution",
        tool_name=tool,
        parameters=parameters,
    )
    return CallResult(CallStatus.ERROR, error=error)


def _explain(error: RefFailed, step: RecordedStep | None, scope: Scope) -> RefFailed:
    """Return the error with an explanation that helps a model to correct the ref."""
    if error.code != "unknown_ref":
        return error
    if step is not None:
        reason = f"{step.name} has no result: it {'failed' if step.status is StepStatus.ERROR else f'is {step.status}'}"
    else:
        names = list(scope.outputs)[-MAX_LISTED_STEPS:]
        reason = f"no such step has a result; those that have one: {', '.join(names) or 'none yet'}"
    message = f"{error.parameters['ref']} has no value: {reason}. For a literal @ write @@"
    return RefFailed("unresolved_ref", message, found=None, **error.parameters)


def _may_be_shown(error: RefFailed, arguments: Any, shown: Any, recording: Recording) -> bool:
    """Return whether the ref may be shown: a text in the place of a secret may be the secret itself."""
    parts = parse_pointer(error.parameters["path"])
    if value_at(arguments, parts) == value_at(shown, parts):
        return True
    ref = whole_ref(error.parameters["ref"])
    return ref is not None and ref.root in {"input", "ctx", *recording.steps}


def _masked_failure(error: RefFailed) -> RefFailed:
    message = "what stands there looks like a reference, and names no step. For a literal @ write @@"
    return RefFailed("unresolved_ref", message, ref=MASK, found=None, path=error.parameters["path"])


_SCHEME = re.compile(r"\s*(?:bearer|basic|token|digest|apikey)?[\s:=]*", re.IGNORECASE)


def restore_refs(written: Any, resolved: Any, passed: Any) -> Any:
    """Return the arguments that a tool was given, with the refs of the `written` arguments where these are unchanged.

    `resolved` are the written arguments after resolution.
    """
    if encode(resolved) == encode(passed):
        return written
    if isinstance(written, dict) and isinstance(resolved, dict) and isinstance(passed, dict):
        return {
            key: restore_refs(written[key], resolved[key], part)
            if key in written and key in resolved
            else escape_refs(part)
            for key, part in passed.items()
        }
    if isinstance(written, list) and isinstance(resolved, list) and isinstance(passed, list):
        shared = min(len(written), len(resolved))
        return [
            restore_refs(written[index], resolved[index], part) if index < shared else escape_refs(part)
            for index, part in enumerate(passed)
        ]
    return escape_refs(passed)


def mask_except_refs(written: Any, masked_value: Any, known: Collection[str]) -> Any:
    """Return the masked copy, but with the refs to `known` roots that stand in the place of a secret."""
    if isinstance(written, str):
        return written if written == masked_value or _is_only_refs(written, known) else masked_value
    if isinstance(written, dict) and isinstance(masked_value, dict):
        return {
            key: mask_except_refs(part, masked_value[key], known) if key in masked_value else part
            for key, part in written.items()
        }
    if isinstance(written, list) and isinstance(masked_value, list) and len(written) == len(masked_value):
        return [mask_except_refs(part, masked_value[index], known) for index, part in enumerate(written)]
    return masked_value


def _is_only_refs(text: str, known: Collection[str]) -> bool:
    """Return whether the text is nothing but refs and an authorization scheme, such as `Bearer @input.token`.

    A password may look like a ref to something else.
    """
    roots = {occurrence.ref.root for occurrence in find_refs(text)}
    if not roots or not roots <= set(known):
        return False
    rest = replace_refs(text, lambda occurrence: "")
    return isinstance(rest, str) and _SCHEME.fullmatch(rest) is not None
