"""In which order rows are listed, where the keys of the database do not say it."""

from datetime import datetime

from core.domain.agent import Agent
from core.domain.interruption import Interruption
from core.domain.mcp_server import McpServer
from core.domain.prompt import Prompt
from core.domain.run import RunStatus
from core.domain.step import StepResult
from core.domain.toast import Toast
from core.domain.tool import ToolCall
from core.ports.storage import Chunk, StoredTemplate

UNFINISHED = (RunStatus.ENQUEUED, RunStatus.RUNNING, RunStatus.WAITING)


def number(value: int | None) -> int:
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
    return key.is_part, key.step, number(key.index), number(key.round)


def by_call(call: ToolCall) -> tuple[int, int, str, int, str]:
    return call.round, call.position, call.step, number(call.index), call.id


def by_asking(asked: Interruption) -> tuple[int, str]:
    return asked.seq, asked.id


def by_piece(chunk: Chunk) -> tuple[str, int, int]:
    return chunk.step, number(chunk.index), chunk.offset
