"""Slash commands: the templates and prompts that a message can name, and what it makes of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.domain.ids import PromptId, TemplateId
from core.domain.slash import (
    PromptInput,
    SlashCommand,
    SlashKind,
    TemplateInput,
    Titled,
    UnknownCommand,
    appended,
    prompt_input,
    read_slash,
    template_input,
)
from core.errors import NotFound, Refused
from core.ports.template_book import TemplateBook
from core.ports.templates import FoundTemplate, Templates
from core.services.outcome import answers, data_of
from core.services.prompts import PromptService

MOST_TEMPLATES = 10_000


@dataclass(frozen=True, slots=True)
class ReadyTemplate:
    """A template that can be started, with the input that it has so far."""

    found: FoundTemplate
    input: TemplateInput


class SlashService:
    def __init__(self, book: TemplateBook, templates: Templates, prompts: PromptService) -> None:
        self._book = book
        self._templates = templates
        self._prompts = prompts

    @answers
    async def titles(self) -> list[Titled]:
        """Every template and prompt, by title."""
        page = await self._book.listed(None, limit=MOST_TEMPLATES, after=None)
        found = [Titled(SlashKind.TEMPLATE, one.id, one.title, one.description or "") for one in page.entries]
        found += [Titled(SlashKind.PROMPT, one.id, one.name, one.description) for one in self._prompts.current]
        return sorted(found, key=lambda one: (one.title.casefold(), one.kind, one.id))

    @answers
    async def read(self, text: str) -> SlashCommand | UnknownCommand | None:
        """What a message asks for (`read_slash`)."""
        if not text.startswith("/"):
            return None
        titles: list[Titled] = data_of(await self.titles())
        return read_slash(text, titles)

    @answers
    async def template(self, template_id: TemplateId, rest: str = "") -> ReadyTemplate:
        """A template with what `rest` is for it. Fails with `not_found`, `invalid_template`, and `rest_has_no_place`
        where it takes no text."""
        found = await self._templates.named(template_id, None)
        given = template_input(found.template.input_schema, rest)
        if rest and rest not in given.given.values() and not _is_offered(given.asked, rest):
            title = found.template.title
            raise Refused("rest_has_no_place", f"{title!r} takes no text: write its name alone", title=title)
        return ReadyTemplate(found, given)

    @answers
    async def prompt(self, prompt_id: PromptId, rest: str = "") -> PromptInput:
        """What `rest` is for a prompt. Fails with `not_found`."""
        prompt = self._prompts.get(prompt_id)
        if prompt is None:
            raise NotFound("prompt", prompt_id)
        return prompt_input(prompt.variables, rest)

    @answers
    async def text(self, prompt_id: PromptId, given: PromptInput, values: Mapping[str, str]) -> str:
        """The text of a prompt, with the values that were asked for. Fails with `not_found` and `missing_values`."""
        text = data_of(await self._prompts.fill(prompt_id, {**values, **given.values}))
        return appended(text, given.appended)


def _is_offered(asked: Mapping[str, Any] | None, rest: str) -> bool:
    fields = asked["properties"].values() if asked is not None else ()
    return any(isinstance(one, Mapping) and one.get("default") == rest for one in fields)
