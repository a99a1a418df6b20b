"""Rows of the prompt library."""

from collections.abc import Iterable

from core.domain.ids import PromptId
from core.domain.prompt import Prompt
from core.persistence.codec import decode_data, decode_rows, encode_fields
from core.persistence.connection import Connection
from core.persistence.keys import by_name, record_id, text_key
from core.persistence.pages import pages_of_table
from core.persistence.statements import Row, Statement, batched_statements

PAGE = 20  # a prompt may have 50 000 characters

_PUT = "INSERT INTO prompt $given ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE"
_REMOVE = "DELETE $given RETURN NONE"


class Prompts:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, prompts: Iterable[Prompt]) -> list[Statement]:
        return batched_statements(_PUT, map(_row, prompts))

    def remove(self, prompt_ids: Iterable[PromptId]) -> list[Statement]:
        ids = [record_id("prompt", text_key(one)) for one in prompt_ids]
        return [Statement(_REMOVE, ids)] if ids else []

    async def all(self) -> list[Prompt]:
        """By name."""
        found: list[Prompt] = []
        async for page in pages_of_table(self._connection, "SELECT * FROM $range", "prompt", rows=PAGE):
            found.extend(decode_rows(page, _prompt))
        return sorted(found, key=by_name)


def _row(prompt: Prompt) -> Row:
    return {"id": text_key(prompt.id), "data": encode_fields(**prompt.model_dump(mode="json", exclude={"id"}))}


def _prompt(row: Row) -> Prompt:
    return Prompt.model_validate({**decode_data(row), "id": row["id"].id})
