"""Assembles tool calls from pieces that servers identify by id, by index, by both or not at all.

A known id wins over the index. A new id is a new call, even at an index in use. "" counts as absent. A piece without
id and name belongs to the call at its index; without an index, or at one where none began, to the call begun last
(AGENTS_AND_TOOLS §10). Some servers give several calls the same id: a piece with another tool name, or with another
index and a name after a complete call, is a separate call.
"""

import json
import secrets
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.domain.text.json_text import parse
from core.domain.text.well_formed import well_formed
from core.llm.openai_compatible.nearly_json import object_of
from core.llm.openai_compatible.replay import keys_of_call, merge_call_keys
from core.llm.provider.failures import model_error
from core.ports import CallRequest

# Counted per piece in addition to its arguments, so that an endless stream of empty pieces hits the limit too.
ENTRY_CHARACTERS = 32


@dataclass(slots=True, eq=False)
class _Call:
    """A call as far as received. `whole`: its arguments arrived as an object, not as text. `keys` are keys that only
    the server knows.
    """

    id: str
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    whole: bool = False
    keys: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return well_formed("".join(self.pieces))

    @property
    def came_at_once(self) -> bool:
        """Whether its arguments were complete in their first piece."""
        return self.whole or (len(self.pieces) == 1 and self.is_complete)

    @property
    def is_complete(self) -> bool:
        """Whether its arguments are complete."""
        return object_of(self.text, parse) is not None

    def is_followed_by(self, name: str, arguments: Any) -> bool:
        """Return whether a piece with these values starts another call, although it has the id of this call."""
        begins = not isinstance(arguments, str) or arguments.lstrip().startswith("{")
        return name != self.name or (begins and self.is_complete)

    def add(self, arguments: Any) -> int:
        if arguments is None or arguments == "":
            return 0
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        if not isinstance(arguments, str) or (text.lstrip().startswith("{") and self.came_at_once):
            # Some servers send `{}` or the whole object first, and then the arguments again.
            self.pieces.clear()
            self.whole = not isinstance(arguments, str)
        self.pieces.append(text)
        return len(text)


class CallAssembler:
    """The calls of an answer, in the order of their first pieces."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int | str, _Call] = {}

    def feed(self, entries: Any, *, are_whole: bool = False) -> int:
        """Add the `tool_calls` of a piece of the answer, and return the number of characters stored.

        `are_whole`: each entry is a separate call, as in an answer that is not streamed. Invalid entries are ignored.
        """
        count = 0
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, dict):
                count += self._take(entry, is_whole=are_whole) + ENTRY_CHARACTERS
        return count

    def finished(self, *, is_cut_off: bool = False) -> list[tuple[CallRequest, Mapping[str, Any]]]:
        """Finish the calls, each with a unique id, and with the keys that only the server knows.

        Arguments that are not a JSON object are None. Raises StepFailed `bad_response` for a call without a name: what
        it was meant to be is unknown, and so is what the other calls lack. In an answer that `is_cut_off` the name may
        just not have come.
        """
        used_ids: set[str] = set()
        requests: list[tuple[CallRequest, Mapping[str, Any]]] = []
        for call in self._calls:
            if call.name:
                requests.append((_request(call, used_ids), call.keys))
                used_ids.add(call.id)
            elif call.pieces and not is_cut_off:
                message = f"the stream has a call without a tool's name, so no call was made: {call.text[:80]}"
                raise model_error("bad_response", message)
        return requests

    def _take(self, entry: dict[str, Any], *, is_whole: bool) -> int:
        function = entry.get("function")
        function = function if isinstance(function, dict) else entry
        call_id, index = _id_of(entry.get("id")), _index_of(entry.get("index"))
        name, arguments = function.get("name"), function.get("arguments")
        name = well_formed(name) if isinstance(name, str) else ""
        call = None if is_whole else self._call_of(call_id, index, name, arguments)
        if call is None:
            call = _Call(call_id)
            self._calls.append(call)
        call.name = call.name or name
        if not call.id:
            call.id = call_id
        if call_id and call_id == call.id:
            self._by_id[call_id] = call
        if index is not None:
            self._by_index[index] = call
        keys = keys_of_call(entry)
        merge_call_keys(call.keys, keys)
        return call.add(arguments) + len(name) + len(call_id) + (len(str(keys)) if keys else 0)

    def _call_of(self, call_id: str, index: int | str | None, name: str, arguments: Any) -> _Call | None:
        """Find the call that a piece belongs to; None if it starts another."""
        # OpenAI sends the id, the index and the name with the first piece of a call, and the index alone afterwards.
        # Compatible servers deviate in many ways, so the order of the checks matters (AGENTS_AND_TOOLS §10):
        # 1. A known id decides, unless the piece has a name and its index or its arguments show a new call: some
        #    servers give all calls of an answer the same id.
        # 2. Otherwise the call at the index decides, and without an index the last call; so too at an index where no
        #    call began, if the piece has neither id nor name.
        # 3. With a name on both sides, a new id or name, or arguments after a complete call, start another call.
        # 4. Without a name the piece continues the call, even under another id: some servers send the id late, and some
        #    generate an id per piece.
        if call_id and (same_id_call := self._by_id.get(call_id)) is not None:
            is_same_position = (
                self._by_index.get(index) is same_id_call if index is not None else name == same_id_call.name
            )
            has_shared_id = (
                bool(name and same_id_call.name)
                and not is_same_position
                and same_id_call.is_followed_by(name, arguments)
            )
            return None if has_shared_id else same_id_call
        last = self._calls[-1] if self._calls else None
        candidate = last if index is None or not (call_id or name) else None
        candidate = self._by_index.get(index, candidate) if index is not None else candidate
        if candidate is None:
            return None
        if name and candidate.name:
            is_another = bool(call_id) or name != candidate.name or (bool(arguments) and candidate.came_at_once)
        else:
            is_another = bool(call_id and candidate.id) and not arguments
        return None if is_another else candidate


def _id_of(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return well_formed(value) if isinstance(value, str) else ""


def _index_of(value: Any) -> int | str | None:
    return value if isinstance(value, int | str) and value != "" else None


def _request(call: _Call, used_ids: Container[str]) -> CallRequest:
    text = call.text
    arguments = object_of(text) if text.strip() else {}
    unique_id = call.id if call.id and call.id not in used_ids else f"call_{secrets.token_hex(12)}"
    return CallRequest(unique_id, call.name, arguments, text)
