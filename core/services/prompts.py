"""The prompt library (AGENTS_AND_TOOLS §9)."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from core.bus import Bus, PromptsChanged
from core.domain.ids import PromptId, new_id
from core.domain.prompt import MAX_FILLED_CHARACTERS, Prompt, fill_variables, filled_length, normalized_names
from core.errors import NotFound, Refused
from core.ports.storage import Storage
from core.ports.writes import Put, Remove
from core.services.outcome import returns_outcome


class PromptService:
    """`current` holds all prompts, sorted by name."""

    def __init__(self, kept: Iterable[Prompt], storage: Storage, bus: Bus) -> None:
        self.current = _sorted_by_name(kept)
        self._storage = storage
        self._bus = bus
        self._one_at_a_time = asyncio.Lock()

    def get(self, prompt_id: PromptId | None) -> Prompt | None:
        """Return the prompt, or None if it does not exist."""
        return next((one for one in self.current if one.id == prompt_id), None)

    @returns_outcome
    async def save(self, prompt_id: PromptId | None = None, **fields: Any) -> Prompt:
        """Create a prompt, or replace all of it; fields among `name`, `content`, `description`, `category` that are not
        given have their defaults.

        Fails with `bad_input` (`field` names the field) and `name_taken`; names are compared ignoring case.
        """
        async with self._one_at_a_time:
            prompt = _validated_prompt({**fields, "id": prompt_id or new_id("prompt")})
            self._require_own_name(prompt)
            await self._storage.commit([Put(prompt)])
            self._become([*(one for one in self.current if one.id != prompt.id), prompt])
            return prompt

    @returns_outcome
    async def remove(self, prompt_id: PromptId) -> Prompt:
        """Remove a prompt and return it: `save` with its fields restores it. Fails with `not_found`."""
        async with self._one_at_a_time:
            prompt = self._required(prompt_id)
            await self._storage.commit([Remove(Prompt, prompt_id)])
            self._become(one for one in self.current if one.id != prompt_id)
            return prompt

    @returns_outcome
    async def fill(self, prompt_id: PromptId, values: Mapping[str, str]) -> str:
        """Return the text of a prompt with its variables filled in; values without a variable are ignored.

        Fails with `not_found`, with `missing_values` (`missing` lists all of them), and with `filled_too_long` if the
        text would exceed the limit of a message.
        """
        prompt = self._required(prompt_id)
        given = normalized_names(values)
        missing = [name for name in prompt.variables if name not in given]
        if missing:
            names = ", ".join(missing)
            raise Refused("missing_values", f"{prompt.name!r} needs a value for: {names}", missing=missing)
        if filled_length(prompt.content, given) > MAX_FILLED_CHARACTERS:
            message = f"with these values the text would have over {MAX_FILLED_CHARACTERS:,} characters"
            raise Refused("filled_too_long", message, limit=MAX_FILLED_CHARACTERS)
        return fill_variables(prompt.content, given)

    def _required(self, prompt_id: PromptId) -> Prompt:
        prompt = self.get(prompt_id)
        if prompt is None:
            raise NotFound("prompt", prompt_id)
        return prompt

    def _require_own_name(self, prompt: Prompt) -> None:
        """Raise Refused `name_taken` if another prompt has the name."""
        name = prompt.name.casefold()
        if any(one.name.casefold() == name for one in self.current if one.id != prompt.id):
            raise Refused("name_taken", f"there is a prompt {prompt.name!r} already", field="name")

    def _become(self, prompts: Iterable[Prompt]) -> None:
        self.current = _sorted_by_name(prompts)
        self._bus.publish(PromptsChanged(self.current))


def _sorted_by_name(prompts: Iterable[Prompt]) -> tuple[Prompt, ...]:
    return tuple(sorted(prompts, key=lambda one: (one.name.casefold(), one.id)))


def _validated_prompt(fields: dict[str, Any]) -> Prompt:
    """Return the validated prompt. Raises Refused `bad_input`."""
    try:
        return Prompt.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "prompt"
        raise Refused("bad_input", f"{name}: {first['msg'].removeprefix('Value error, ')}", field=name) from None
