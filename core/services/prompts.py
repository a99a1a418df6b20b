"""The prompt library (AGENTS_AND_TOOLS §9)."""

from collections.abc import Iterable, Mapping
from functools import partial

from core.bus import Bus, PromptsChanged
from core.domain.ids import PromptId
from core.domain.prompt import MAX_FILLED_CHARACTERS, Prompt, fill_variables, filled_length, normalized_names
from core.errors import Refused
from core.ports.storage import Storage
from core.ports.writes import Remove
from core.services.catalogue import Catalogue
from core.services.outcome import returns_outcome


class PromptService(Catalogue[Prompt]):
    """The catalogue of prompts."""

    def __init__(self, prompts: Iterable[Prompt], storage: Storage, bus: Bus) -> None:
        self._bus = bus
        super().__init__("prompt", Prompt.model_validate, partial(Remove, Prompt), prompts, storage)

    @returns_outcome
    async def remove(self, prompt_id: PromptId) -> Prompt:
        """Remove a prompt and return it: `save` with its fields restores it. Fails with `not_found`."""
        return await self._remove(prompt_id)

    @returns_outcome
    async def fill(self, prompt_id: PromptId, values: Mapping[str, str]) -> str:
        """Return the text of a prompt with its variables filled in; values without a variable are ignored.

        Fails with `not_found`, with `missing_values` (`missing` lists all of them), and with `filled_too_long` if the
        text would exceed the limit of a message.
        """
        prompt = self.require(prompt_id)
        normalized = normalized_names(values)
        missing = [name for name in prompt.variables if name not in normalized]
        if missing:
            names = ", ".join(missing)
            raise Refused("missing_values", f"{prompt.name!r} needs a value for: {names}", missing=missing)
        if filled_length(prompt.content, normalized) > MAX_FILLED_CHARACTERS:
            message = f"with these values the text would have over {MAX_FILLED_CHARACTERS:,} characters"
            raise Refused("filled_too_long", message, limit=MAX_FILLED_CHARACTERS)
        return fill_variables(prompt.content, normalized)

    def _announce(self) -> None:
        self._bus.publish(PromptsChanged(self.current))
