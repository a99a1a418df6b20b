"""The dependency graph of a template's steps, for the planner, the validator and the graph view (ENGINE §4)."""

import graphlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from core.domain.template import AgentAction, Step
from core.engine.plan.refs import RefOccurrence, find_refs


def step_refs(step: Step) -> Iterator[RefOccurrence]:
    """Yield every ref of a step, with JSON pointers relative to the step."""
    yield from find_refs(step.input, "/input")
    if isinstance(step.action, AgentAction):
        yield from find_refs(step.action.agent.prompt, "/action/agent/prompt")
    if step.when is not None:
        yield from find_refs(step.when.ref, "/when/ref")
    if step.for_each is not None:
        yield from find_refs(step.for_each.ref, "/forEach/ref")
    if step.interrupt is not None:
        yield from find_refs(step.interrupt.model_dump(by_alias=True, exclude_unset=True), "/interrupt")


def dependencies(step: Step, names: Collection[str], refs: Iterable[RefOccurrence]) -> list[str]:
    """Return the steps among `names` that must be done before `step` starts, each once, in the order of their first
    mention.

    `refs` are the refs of the step.
    """
    named = [found.ref.root for found in refs]
    return list(dict.fromkeys(name for name in (*named, *step.depends_on) if name in names))


def dependency_map(steps: Sequence[Step]) -> dict[str, list[str]]:
    """Return the dependencies of each step by name, in template order."""
    names = {step.name for step in steps}
    return {step.name: dependencies(step, names, step_refs(step)) for step in steps}


def dependents(steps: Sequence[Step], name: str) -> set[str]:
    """Return the step and all steps that depend on it, directly or not."""
    waits_for = dependency_map(steps)
    names = {name}
    while more := {step for step, needed in waits_for.items() if step not in names and names & set(needed)}:
        names |= more
    return names


def find_cycle(waits_for: Mapping[str, Sequence[str]]) -> list[str] | None:
    """Return a cycle in the direction of the data (`a`, `b`, `a`), or None."""
    before: set[str] = set()
    for name, needed in waits_for.items():
        if not before.issuperset(needed):
            break
        before.add(name)
    else:  # each step follows what it needs, as most templates are written
        return None
    try:
        graphlib.TopologicalSorter(waits_for).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return None


def terminal_steps(waits_for: dict[str, list[str]]) -> list[str]:
    """Return the steps on which no other depends, in template order: their outputs are the run's."""
    awaited = {name for names in waits_for.values() for name in names}
    return [name for name in waits_for if name not in awaited]
