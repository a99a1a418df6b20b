"""The prompt library (AGENTS_AND_TOOLS §9), and slash commands, which name a prompt or a template in a message."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from core.domain.ids import PromptId, TemplateId
from core.domain.mcp_offers import ServerOffer
from core.domain.names import name_key
from core.domain.prompt import MAX_FILLED_CHARACTERS, Prompt, fill_variables, filled_length, normalized_names
from core.domain.slash_commands import (
    PromptInput,
    SlashCommand,
    SlashKind,
    SlashTarget,
    TemplateInput,
    UnknownCommand,
    append_rest,
    parse_slash,
    prompt_input,
    template_input,
)
from core.errors import NotFound, Refused
from core.ports import Remove, ResolvedTemplate, Storage, TemplateLibrary, TemplateResolver
from core.services.catalogue import Catalogue
from core.services.mcp_offers import OfferService
from core.services.outcome import returns_outcome, unwrap


class PromptService(Catalogue[Prompt]):
    """The catalogue of prompts."""

    def __init__(self, prompts: Iterable[Prompt], storage: Storage) -> None:
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


MAX_TEMPLATES = 10_000


@dataclass(frozen=True, slots=True)
class ReadyTemplate:
    """A template that can be started, with the input that it has so far."""

    found: ResolvedTemplate
    input: TemplateInput


class SlashService:
    """Resolves slash commands."""

    def __init__(
        self, book: TemplateLibrary, templates: TemplateResolver, prompts: PromptService, offers: OfferService
    ) -> None:
        self._book = book
        self._templates = templates
        self._prompts = prompts
        self._offers = offers

    @returns_outcome
    async def targets(self) -> list[SlashTarget]:
        """Return every template and prompt, those of running servers too, sorted by title."""
        templates = (await self._book.page(None, limit=MAX_TEMPLATES, after=None)).entries
        targets = [
            *(SlashTarget(SlashKind.TEMPLATE, entry.id, entry.title, entry.description or "") for entry in templates),
            *(SlashTarget(SlashKind.PROMPT, item.id, item.name, item.description) for item in self._prompts.current),
            *(
                SlashTarget(SlashKind.SERVER_PROMPT, offer.id, f"{offer.server_name}:{offer.key}", _about(offer))
                for offer in await self._offers.prompts()
            ),
        ]
        return sorted(targets, key=lambda target: (name_key(target.title), target.kind, target.id))

    @returns_outcome
    async def read(self, text: str) -> SlashCommand | UnknownCommand | None:
        """Return the command in a message (`read_slash`), None if there is none."""
        if not text.startswith("/"):
            return None
        targets: list[SlashTarget] = unwrap(await self.targets())
        return parse_slash(text, targets)

    @returns_outcome
    async def template(self, template_id: TemplateId, rest: str = "") -> ReadyTemplate:
        """Return a template with `rest` as its input. Fails with `not_found`, `invalid_template`, and
        `rest_has_no_place` if it takes no text.
        """
        template = await self._templates.named(template_id, None)
        inputs = template_input(template.template.input_schema, rest)
        # text after the command would be lost silently
        if rest and rest not in inputs.values.values() and not _is_default(inputs.missing_schema, rest):
            title = template.template.title
            raise Refused("rest_has_no_place", f"{title!r} takes no text: write its name alone", title=title)
        return ReadyTemplate(template, inputs)

    @returns_outcome
    async def prompt(self, prompt_id: PromptId, rest: str = "") -> PromptInput:
        """Return `rest` as the input of a prompt. Fails with `not_found`."""
        prompt = self._prompts.get(prompt_id)
        if prompt is None:
            raise NotFound("prompt", prompt_id)
        return prompt_input(prompt.variables, rest)

    @returns_outcome
    async def text(self, prompt_id: PromptId, inputs: PromptInput, values: Mapping[str, str]) -> str:
        """Return the text of a prompt with the values filled in. Fails with `not_found` and `missing_values`."""
        text = unwrap(await self._prompts.fill(prompt_id, {**values, **inputs.values}))
        return append_rest(text, inputs.appended)


def _about(offer: ServerOffer) -> str:
    """Return what a list says of a prompt of a server: its title, where that is another than its name, and more."""
    title = offer.title if offer.title != offer.key else ""
    return ". ".join(part.rstrip(".") for part in (title, offer.description) if part)


def _is_default(schema: Mapping[str, Any] | None, rest: str) -> bool:
    fields = schema["properties"].values() if schema is not None else ()
    return any(isinstance(field, Mapping) and field.get("default") == rest for field in fields)
