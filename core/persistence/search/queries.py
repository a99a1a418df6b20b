"""Queries of the index. They block and run in the reading thread."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from core.domain.ids import MessageId, WorkflowId
from core.domain.text.search import Term
from core.persistence.search.index_file import FIRST_TITLE
from core.persistence.search.texts import decompress, match_expression, snippet
from core.ports import GROUP_HITS, PAGE_GROUPS, PAGE_HITS, Hit, HitGroup, HitKind, HitPage
from core.threads.pieces import Pieces

MAX_HITS = 10_000  # the oldest of more hits are left out: counting them all takes too long

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_GROUPS = """
WITH found AS (SELECT rowid AS number FROM words WHERE words MATCH :match ORDER BY rowid DESC LIMIT :most),
hit AS (SELECT document.number, workflow FROM found CROSS JOIN document ON document.number = found.number),
grouped AS (
    SELECT workflow, count(*) AS total, max(number) >= :title AS is_title,
        max(CASE WHEN number < :title THEN number END) AS newest
    FROM hit GROUP BY workflow ORDER BY is_title DESC, newest DESC, workflow DESC LIMIT :limit OFFSET :skip
),
placed AS (
    SELECT hit.number, grouped.workflow, total, is_title, newest,
        row_number() OVER (PARTITION BY hit.workflow ORDER BY hit.number DESC) AS place
    FROM hit JOIN grouped ON grouped.workflow = hit.workflow
)
SELECT workflow.id, placed.total, document.number, kind, message, label, body.text
FROM placed JOIN workflow ON workflow.number = placed.workflow
JOIN document ON document.number = placed.number JOIN body ON body.number = placed.number
WHERE place <= :shown ORDER BY is_title DESC, newest DESC, placed.workflow DESC, placed.number DESC
"""
_IN_WORKFLOW = """
SELECT document.number, kind, message, label, body.text
FROM words CROSS JOIN document ON document.number = words.rowid JOIN body ON body.number = words.rowid
WHERE words MATCH :match AND workflow = (SELECT number FROM workflow WHERE id = :workflow)
ORDER BY words.rowid DESC LIMIT :limit OFFSET :skip
"""
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH :match LIMIT :most)"


def find_groups(reader: sqlite3.Connection, terms: Sequence[Term], skip: int) -> Pieces[HitPage]:
    """Implements `SearchIndex.find`. Yields between hits, since snippets are made in Python. Raises sqlite3.Error."""
    if not terms:
        return HitPage((), has_more=False)
    match = match_expression(terms)
    limits = {"most": MAX_HITS, "title": FIRST_TITLE, "limit": PAGE_GROUPS + 1, "skip": skip, "shown": GROUP_HITS}
    hits: dict[WorkflowId, list[Hit]] = {}
    totals: dict[WorkflowId, int] = {}
    for name, total, *rest in reader.execute(_GROUPS, {"match": match, **limits}):
        workflow_id = WorkflowId(name)
        if workflow_id not in hits and len(hits) == PAGE_GROUPS:
            return HitPage(_groups(hits, totals), has_more=True, is_cut=_is_cut(reader, match))
        totals[workflow_id] = total
        hits.setdefault(workflow_id, []).append(_decode_hit(workflow_id, rest, terms))
        yield
    return HitPage(_groups(hits, totals), has_more=False, is_cut=sum(totals.values()) >= MAX_HITS)


def find_in_workflow(
    reader: sqlite3.Connection, workflow_id: WorkflowId, terms: Sequence[Term], skip: int
) -> Pieces[tuple[Hit, ...]]:
    """Implements `SearchIndex.find_in`. Raises sqlite3.Error."""
    if not terms:
        return ()
    variables = {"match": match_expression(terms), "workflow": workflow_id, "limit": PAGE_HITS, "skip": skip}
    hits: list[Hit] = []
    for row in reader.execute(_IN_WORKFLOW, variables):
        hits.append(_decode_hit(workflow_id, row, terms))
        yield
    return tuple(hits)


def _is_cut(reader: sqlite3.Connection, match: str) -> bool:
    count: int = reader.execute(_COUNT, {"match": match, "most": MAX_HITS}).fetchone()[0]
    return count >= MAX_HITS


def _groups(hits: dict[WorkflowId, list[Hit]], totals: dict[WorkflowId, int]) -> tuple[HitGroup, ...]:
    return tuple(HitGroup(workflow_id, tuple(own_hits), totals[workflow_id]) for workflow_id, own_hits in hits.items())


def _decode_hit(workflow_id: WorkflowId, row: Sequence[object], terms: Sequence[Term]) -> Hit:
    number, kind, message, label, text = row
    assert isinstance(number, int)
    assert isinstance(text, bytes)
    shown, marks = snippet(decompress(text), terms, is_markdown=kind == HitKind.ASSISTANT)
    at = None if number >= FIRST_TITLE else _EPOCH + timedelta(microseconds=number)
    message_id = MessageId(str(message)) if message is not None else None
    return Hit(workflow_id, HitKind(str(kind)), message_id, at, str(label or ""), shown, marks)
