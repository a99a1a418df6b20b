"""Keys of rows: a text, or a list that begins with the run a row belongs to, so that its rows lie together."""

from datetime import datetime
from itertools import pairwise
from typing import Any

from core.domain.agent import Agent
from core.domain.interruption import Interruption
from core.domain.mcp_server import McpServer
from core.domain.prompt import Prompt
from core.domain.run import RunStatus, StepResult
from core.domain.toast import Toast
from core.domain.tool import ToolCall
from core.persistence.driver import BoundExcluded, BoundIncluded, Range, RecordID
from core.ports.storage import Chunk, StoredTemplate

Key = str | list[str | int]

# Keys sort texts before lists, and numbers before both: a list ends every range of keys.
_AFTER_ALL: list[Any] = []


def text_key(name: str) -> str:
    """`name` as it stands in a key or a column that is compared.

    Names of ours can be encoded as they are. One from outside may hold a lone surrogate, which the database
    cannot take: escaped, it finds nothing.
    """
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def record_id(table: str, key: Key) -> RecordID:
    return RecordID(table, key)


def key_range(table: str, *prefix: str | int) -> RecordID:
    """All rows of the table whose keys are lists that begin so."""
    return RecordID(table, Range(BoundIncluded(list(prefix)), BoundExcluded([*prefix, _AFTER_ALL])))


def table_range(table: str) -> RecordID:
    """All rows of a table whose keys are texts."""
    return RecordID(table, Range(BoundIncluded(""), BoundExcluded(_AFTER_ALL)))


def range_after(rows: RecordID, key: Key) -> RecordID:
    """Those of a range behind that key."""
    return RecordID(rows.table_name, Range(BoundExcluded(key), _bounds(rows).end))


def split_range(rows: RecordID, first_keys: list[Key]) -> list[RecordID]:
    """A range cut in pieces that begin with these keys of its rows, the first of them included."""
    end = _bounds(rows).end
    cuts = [*(BoundIncluded(key) for key in first_keys), end]
    ranges = [Range(begin, BoundExcluded(after.value)) for begin, after in pairwise(cuts)]
    return [RecordID(rows.table_name, piece) for piece in ranges]


def _bounds(rows: RecordID) -> Range:
    found = rows.id
    assert isinstance(found, Range)
    return found


UNFINISHED = (RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.WAITING)


def key_number(value: int | None) -> int:
    """An index or round as it stands in a key: -1, before all others, where there is none."""
    return -1 if value is None else value


def by_title(template: StoredTemplate) -> tuple[str, str, str]:
    return template.title.casefold(), template.title, template.id


def by_name(one: Agent | McpServer | Prompt) -> tuple[str, str, str]:
    return one.name.casefold(), one.name, one.id


def by_time(notice: Toast) -> tuple[datetime, str]:
    return notice.created_at, notice.id


def by_checkpoint(result: StepResult) -> tuple[bool, str, int, int]:
    """Whole steps first: they can be read without their parts."""
    key = result.key
    return key.is_part, key.step, key_number(key.index), key_number(key.round)


def by_call(call: ToolCall) -> tuple[int, int, str, int, str]:
    return call.round, call.position, call.step, key_number(call.index), call.id


def by_sequence(asked: Interruption) -> tuple[int, str]:
    return asked.seq, asked.id


def by_stream(chunk: Chunk) -> tuple[str, int, int]:
    return chunk.step, key_number(chunk.index), chunk.offset
