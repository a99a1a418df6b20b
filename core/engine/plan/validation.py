"""Validates templates: every problem at once (ENGINE §2).

The shape comes from the models of `core.domain.template`; names, refs, cycles and code are checked here, for every step
that can be parsed.
"""

import asyncio
import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from core.domain.interruption import InterruptionKind
from core.domain.template import (
    ACTION_KEYS,
    FORMAT,
    CodeAction,
    Step,
    Template,
    ToolAction,
    When,
    WorkflowAction,
    WorkflowCall,
    _Model,
)
from core.domain.text.json_text import parse
from core.engine.plan.dispatch import is_number
from core.engine.plan.graph import dependencies, find_cycle, step_refs
from core.engine.plan.refs import NAME, ROOTS, RefOccurrence, whole_ref
from core.errors import InvalidTemplate
from core.ports import Sandbox, Schemas, ToolRunner

TEMPLATE_BYTES = 5_000_000
NO_DEFAULT_EXPORT = "no_default_export"


@dataclass(frozen=True, slots=True)
class Problem:
    """An `error` or a `warning`; `path` is a JSON pointer into the file."""

    code: str
    path: str
    message: str
    step: str | None = None
    severity: str = "error"

    def as_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("code", "step", "path", "message", "severity")}


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """A template with its problems; `template` is None if it cannot be parsed."""

    template: Template | None
    problems: list[Problem]

    @property
    def is_valid(self) -> bool:
        return self.template is not None and all(problem.severity != "error" for problem in self.problems)

    def require(self) -> Template:
        """Return the template. Raises InvalidTemplate with all problems if it has errors."""
        if self.template is None or not self.is_valid:
            raise InvalidTemplate([problem.as_dict() for problem in self.problems])
        return self.template


@dataclass(frozen=True, slots=True)
class Validator:
    """Validates against the tools, the code checker and the schema checker of this app."""

    tools: ToolRunner
    sandbox: Sandbox
    schemas: Schemas

    async def check_text(self, text: str) -> ValidationResult:
        """Validate the text of a file. Never raises for its content."""
        if len(text) > TEMPLATE_BYTES:
            size = f"the file has {len(text):,} characters; a template has at most 5 MB"
            return ValidationResult(None, [Problem("too_large", "", size)])
        try:
            data = parse(text.removeprefix("\ufeff"))
        except ValueError as error:
            return ValidationResult(None, [Problem("not_json", "", f"the file is not JSON: {error}")])
        return await self.check(data)

    async def check(self, data: Any) -> ValidationResult:
        """Validate a template as a JSON value."""
        if not isinstance(data, dict) or not ({"steps", "title"} & data.keys()):
            return ValidationResult(
                None, [Problem("not_a_template", "", "a template is an object with a title and steps")]
            )
        template, problems = _parse_template(data)
        return await self._check(data, template, problems)

    async def check_template(self, template: Template) -> ValidationResult:
        """Validate a template that is already parsed."""
        steps = [{"name": step.name} for step in template.steps]
        return await self._check({"steps": steps, "inputSchema": template.input_schema}, template, [])

    async def _check(
        self, data: Mapping[str, Any], template: Template | None, problems: list[Problem]
    ) -> ValidationResult:
        """Validate the parsed template; `data` is its JSON value, of which the step names suffice if `template` is
        given.
        """
        if data.get("format", FORMAT) != FORMAT:
            wrong = f"this app reads {FORMAT}, not {data['format']!r}"
            problems.insert(0, Problem("bad_format", "/format", wrong))
        # steps that cannot be parsed still have names, so that refs to them are no further problems
        raw_steps = data["steps"] if isinstance(data.get("steps"), list) else []
        steps = list(enumerate(template.steps)) if template is not None else _parsable_steps(raw_steps)
        problems += _check_names(raw_steps)
        if data.get("steps") == []:
            problems.append(Problem("no_steps", "/steps", "a template needs at least one step"))
        names = [step["name"] for step in raw_steps if isinstance(step, dict) and isinstance(step.get("name"), str)]
        known, waits_for = frozenset(names), {}
        for position, step in steps:
            base = f"/steps/{position}"
            refs = list(step_refs(step))
            waits_for[step.name] = dependencies(step, known, refs)
            problems += _check_refs(step, refs, base, names, known)
            problems += _check_condition(step.when, base, step.name)
            problems += _check_interrupt(step, base)
            if _has_unknown_fields(step):
                problems += [replace(p, path=base + p.path, step=step.name) for p in _unknown_fields(step)]
            problems += await self._check_action(step, base)
            problems += await self._check_schema(step.output_schema, f"{base}/outputSchema", step.name)
            if step.interrupt is not None:
                schema = step.interrupt.answer_schema
                problems += await self._check_schema(schema, f"{base}/interrupt/schema", step.name)
        problems += _check_cycle(waits_for)
        problems += await self._check_schema(data.get("inputSchema"), "/inputSchema")
        if template is not None:
            problems += [p for p in _unknown_fields(template) if p.path != "/format"]
        return ValidationResult(template, problems)

    async def _check_action(self, step: Step, base: str) -> list[Problem]:
        match step.action:
            case CodeAction(code=code):
                problems = await self._check_code(code, f"{base}/action/code", step.name)
                # it would fail before it has any effect, so an unfinished step may be saved
                return [
                    replace(problem, severity="warning") if problem.code == NO_DEFAULT_EXPORT else problem
                    for problem in problems
                ]
            case WorkflowAction(workflow=WorkflowCall(template_id=template_id, title=title)):
                if (template_id is None) == (title is None):
                    message = "a workflow step names either a templateId or a title"
                    return [Problem("missing_field", f"{base}/action/workflow", message, step.name)]
            case ToolAction(tool_name=name, transform_code=code):
                problems = []
                if self.tools.info(name) is None:
                    known = [info.name for info in self.tools.infos()]
                    message = f"there is no tool {name!r} here{_suggestion(name, known)}"
                    problems.append(Problem("unknown_tool", f"{base}/action/toolName", message, step.name, "warning"))
                if code is not None:
                    problems += await self._check_code(code, f"{base}/action/transformCode", step.name)
                return problems
        return []

    async def _check_code(self, code: str, path: str, step: str) -> list[Problem]:
        error = await self.sandbox.check(code)
        if error is None:
            return []
        line, column = error.parameters.get("line"), error.parameters.get("column")
        location = f" (line {line}, column {column})" if line is not None else ""
        return [Problem(error.code, path, f"{error.message}{location}", step)]

    async def _check_schema(self, schema: Any, path: str, step: str | None = None) -> list[Problem]:
        if schema is None:
            return []
        reason = await asyncio.to_thread(self.schemas.problem, schema)  # a long schema takes most of a second
        return [Problem("bad_schema", path, reason, step)] if reason is not None else []


# Shape

_CODES = {"missing": "missing_field", "union_tag_not_found": "unknown_action", "union_tag_invalid": "unknown_action"}


def _parse_template(data: Mapping[str, Any]) -> tuple[Template | None, list[Problem]]:
    try:
        return Template.model_validate(data), []
    except ValidationError as error:
        return None, [_shape_problem(each, data) for each in error.errors(include_url=False)]


def _shape_problem(error: Any, data: Mapping[str, Any]) -> Problem:
    path = [part for part in error["loc"] if not _is_action_tag(part, error["loc"])]
    step = _step_name(data, path)
    code = _CODES.get(error["type"], "wrong_type")
    if "when" in path:
        code = "bad_condition" if code == "wrong_type" else code
    if "interrupt" in path:
        code = "bad_interrupt" if code == "wrong_type" else code
    message = error["msg"][0].lower() + error["msg"][1:]
    if code == "unknown_action":
        message = f"an action has one of {', '.join(ACTION_KEYS)}"
    elif code == "missing_field":
        message = f"{path[-1]!r} is missing"
    return Problem(code, "".join(f"/{part}" for part in path), message, step)


def _is_action_tag(part: Any, path: Sequence[Any]) -> bool:
    """Return whether this part of the path is the action's tag, which pydantic inserts once, behind `action`."""
    at = path.index("action") if "action" in path else -1
    return at >= 0 and len(path) > at + 1 and path[at + 1] is part and part in ACTION_KEYS


def _step_name(data: Mapping[str, Any], path: Sequence[Any]) -> str | None:
    if len(path) > 1 and path[0] == "steps" and isinstance(path[1], int):
        step = data["steps"][path[1]]
        if isinstance(step, dict) and isinstance(step.get("name"), str):
            return str(step["name"])
    return None


def _parsable_steps(raw: Sequence[Any]) -> list[tuple[int, Step]]:
    """Return the steps that can be parsed, with their positions; the others are reported as problems already."""
    steps = []
    for position, step in enumerate(raw):
        try:
            steps.append((position, Step.model_validate(step)))
        except ValidationError:
            continue
    return steps


def _has_unknown_fields(model: _Model) -> bool:
    if model.model_extra:
        return True
    fields = vars(model)
    for name in model.model_fields_set:
        value = fields.get(name)
        if isinstance(value, _Model) and _has_unknown_fields(value):
            return True
    return False


def _unknown_fields(model: _Model, path: str = "") -> Iterator[Problem]:
    """Yield warnings for unknown fields: typing errors, or fields of a later version."""
    for name in model.model_extra or ():
        known = [field.alias or field_name for field_name, field in type(model).model_fields.items()]
        message = f"{name!r} is not known here{_suggestion(name, known)}"
        yield Problem("unknown_field", f"{path}/{name}", message, None, "warning")
    written = model.model_fields_set
    for name, value in vars(model).items():
        if name in written and isinstance(value, _Model):
            yield from _unknown_fields(value, f"{path}/{type(model).model_fields[name].alias or name}")


def _suggestion(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {close[0]!r}?" if close else ""


# Meaning


def _check_names(raw_steps: Sequence[Any]) -> Iterator[Problem]:
    seen: set[str] = set()
    for position, step in enumerate(raw_steps):
        name = step.get("name") if isinstance(step, dict) else None
        if not isinstance(name, str) or not name:
            continue
        path = f"/steps/{position}/name"
        if name in ROOTS:
            yield Problem("reserved_name", path, f"{name!r} is the name of a root of refs", name)
        elif not NAME.fullmatch(name):
            allowed = "a name is made of A-Z, a-z, 0-9, _ and -, and begins with a letter or _"
            yield Problem("bad_name", path, f"{name!r} cannot be referred to: {allowed}", name)
        if name in seen:
            yield Problem("duplicate_step", path, f"another step is called {name!r}", name)
        seen.add(name)


_EVALUATED_ONCE = ("/when/", "/forEach/", "/interrupt/")  # looked at once, before any item


def _check_refs(
    step: Step, refs: Iterable[RefOccurrence], base: str, names: Sequence[str], known: Collection[str]
) -> Iterator[Problem]:
    for occurrence in refs:
        path, ref = base + occurrence.path, occurrence.ref
        if ref.root in ("item", "index"):
            if step.for_each is None or occurrence.path.startswith(_EVALUATED_ONCE):
                message = f"{ref.text} is only known inside forEach"
                yield Problem("item_outside_for_each", path, message, step.name)
        elif ref.root not in ROOTS and ref.root not in known:
            yield _unknown_root(occurrence, path, step.name, names)
    for position, name in enumerate(step.depends_on):
        if name not in known:
            message = f"there is no step {name!r}{_suggestion(name, names)}"
            yield Problem("unknown_ref", f"{base}/dependsOn/{position}", message, step.name)
    for field, text in (("when", step.when and step.when.ref), ("forEach", step.for_each and step.for_each.ref)):
        if text and whole_ref(text) is None:
            code = "bad_condition" if field == "when" else "unknown_ref"
            yield Problem(code, f"{base}/{field}/ref", f"{text!r} is not one ref", step.name)


def _unknown_root(occurrence: RefOccurrence, path: str, step: str, names: Sequence[str]) -> Problem:
    hint = _suggestion(occurrence.ref.root, [*ROOTS, *names])
    if occurrence.is_whole:
        return Problem("unknown_ref", path, f"{occurrence.ref.text} names no step{hint}", step)
    message = f"@{occurrence.ref.root} names no step and stays as it is{hint}"
    return Problem("unknown_word", path, message, step, "warning")


def _check_condition(when: When | None, base: str, step: str) -> Iterator[Problem]:
    if when is None:
        return
    if len(when.operators) > 1:
        message = f"a condition takes one operator, not {', '.join(when.operators)}"
        yield Problem("several_operators", f"{base}/when", message, step)
    for name in ("gt", "lt"):
        if name in when.operators and not is_number(getattr(when, name)):
            yield Problem("bad_condition", f"{base}/when/{name}", f"{name} compares with a number", step)


_STEP_INTERRUPT_KINDS = frozenset(
    {
        InterruptionKind.APPROVAL,
        InterruptionKind.INPUT_REVIEW,
        InterruptionKind.STATE_EDIT,
        InterruptionKind.TOOL_INPUT,
        InterruptionKind.LOCAL_EXECUTION,
    }
)
_FOR_EACH_KINDS = frozenset({InterruptionKind.APPROVAL, InterruptionKind.LOCAL_EXECUTION})
_APPROVABLE_BY_EXPIRY = frozenset({InterruptionKind.APPROVAL, InterruptionKind.INPUT_REVIEW})


def _check_interrupt(step: Step, base: str) -> Iterator[Problem]:
    """Yield problems of the step's interrupt: which kind goes with what (ENGINE §2, §6, §8)."""
    interrupt = step.interrupt
    if interrupt is None:
        return
    path = f"{base}/interrupt"
    if interrupt.kind not in _STEP_INTERRUPT_KINDS:
        kinds = ", ".join(sorted(_STEP_INTERRUPT_KINDS))
        yield Problem("bad_interrupt", f"{path}/kind", f"a step can ask for {kinds}", step.name)
    elif step.for_each is not None and interrupt.kind not in _FOR_EACH_KINDS:
        message = f"{interrupt.kind} does not go with forEach; approval and local-execution do"
        yield Problem("bad_interrupt", f"{path}/kind", message, step.name)
    elif interrupt.kind is InterruptionKind.TOOL_INPUT and not isinstance(step.action, ToolAction):
        yield Problem("bad_interrupt", f"{path}/kind", "tool-input needs a step that calls a tool", step.name)
    if interrupt.default_action == "approve" and interrupt.kind not in _APPROVABLE_BY_EXPIRY:
        message = f"{interrupt.kind} cannot be approved by the passing of time"
        yield Problem("bad_interrupt", f"{path}/defaultAction", message, step.name)


def _check_cycle(waits_for: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    cycle = find_cycle(waits_for)
    if cycle is not None:
        yield Problem("cycle", "/steps", f"the steps wait for each other: {' → '.join(cycle)}", cycle[0])
