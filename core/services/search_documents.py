"""The searchable texts of a run: messages, calls and results, step outputs. Pure.

Of a long value only the beginning is indexed: a user remembers how a result began, not its last megabyte.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.domain.ids import CallId
from core.domain.live_run import LiveCall, LiveRun
from core.domain.text.json_text import decode
from core.ports import HitKind, SearchDocument
from core.threads.pieces import Pieces

VALUE_CHARACTERS = 64 * 1024

_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([nrt])|([\"\\/]))")


def documents_of(run: LiveRun, results: Mapping[CallId, str]) -> Pieces[list[SearchDocument]]:
    """Yield between texts and return the documents of a run, for use in a thread. `results` are the calls' results as
    JSON text.
    """
    at = run.completed_at or run.created_at
    documents: list[SearchDocument] = []
    if run.prompt and run.prompt_id is not None:
        documents.append(SearchDocument(HitKind.USER, run.prompt_id, run.created_at, run.prompt))
    content = run.content
    if content:
        label = run.workflow_name if run.parent is not None else ""
        documents.append(SearchDocument(HitKind.ASSISTANT, run.message_id, at, content, label))
    for agent in run.sub_agents.values():
        text = f"{agent.prompt}\n\n{agent.text}"
        documents.append(SearchDocument(HitKind.ASSISTANT, run.message_id, agent.started_at, text, agent.name))
    for call in run.calls.values():
        text = _call_text(call, results.get(call.id))
        documents.append(SearchDocument(HitKind.TOOL, run.message_id, call.started_at, text, call.tool))
        yield
    for step in run.steps.values():
        text = text_of_value(step.output)
        # the last step's output is often the answer itself, which is indexed already
        if text and text not in content:
            documents.append(SearchDocument(HitKind.STEP, run.message_id, step.finished_at or at, text, step.name))
        yield
    return documents


def text_of_value(value: Any) -> str:
    """Return names, texts and numbers of a JSON value, a line each, up to VALUE_CHARACTERS."""
    lines: list[str] = []
    remaining = VALUE_CHARACTERS
    for line in _lines(value):
        lines.append(line[:remaining])
        remaining -= len(lines[-1]) + 1
        if remaining <= 0:
            break
    return "\n".join(lines)


def text_of_json(text: str) -> str:
    """Return `text_of_value` of JSON text; of a long text, its raw beginning."""
    if len(text) <= VALUE_CHARACTERS:
        try:
            return text_of_value(decode(text))
        except ValueError:
            return text
    return (
        _ESCAPED.sub(_unescape, text[:VALUE_CHARACTERS]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    )


def _call_text(call: LiveCall, result: str | None) -> str:
    error = call.error.get("message") if call.error is not None else None
    parts = (call.tool, text_of_value(call.arguments), call.summary, error, text_of_json(result) if result else None)
    return "\n".join(str(part) for part in parts if part)


def _lines(value: Any) -> Iterator[str]:
    """Yield the texts in document order, at any depth."""
    # a stack instead of recursion: a result may be nested deeper than Python's stack
    todo: list[Iterable[Any]] = [iter([value])]
    while todo:
        for part in todo[-1]:
            if isinstance(part, str):
                yield part
            elif isinstance(part, dict):
                todo.append(iter([text for member in part.items() for text in member]))
                break
            elif isinstance(part, list | tuple):
                todo.append(iter(part))
                break
            elif part is not None and not isinstance(part, bool):
                yield str(part)
        else:
            todo.pop()


def _unescape(escape: re.Match[str]) -> str:
    code, sign, itself = escape.groups()
    if code is not None:
        return chr(int(code, 16))
    return "\n" if sign is not None else itself
