"""Prompts and resources of MCP servers in the composer (AGENTS_AND_TOOLS §7).

What they need is asked for in a form; what comes of them is put into the draft.
"""

from collections.abc import Mapping

from core.domain.ids import OfferId, WorkflowId
from core.domain.mcp_offers import ServerOffer
from core.domain.slash_commands import SlashCommand, SlashKind, SlashTarget
from core.services.outcome import Failed, Ok
from desktop.operations import unwrap
from desktop.window.base.context import Controller, WindowContext
from desktop.window.input.attachment_controller import AttachmentController
from desktop.window.input.input_forms import FormRequest

OFFER_KINDS = (SlashKind.SERVER_PROMPT, SlashKind.RESOURCE)


class ServerOffers(Controller):
    """Makes the forms of prompts and of templates of resources, and carries out what is filled in."""

    def __init__(self, context: WindowContext, attachments: AttachmentController) -> None:
        super().__init__(context)
        self._attachments = attachments

    async def request(self, command: SlashCommand, origin: WorkflowId | None, text: str | None) -> FormRequest:
        """Return the request for the arguments that the command does not give. Raises the failure of the server."""
        inputs, schema = unwrap(await self._core.offers.input_of(OfferId(command.target.id), command.rest))
        return FormRequest(origin, command, text, schema, prompt=inputs)

    async def fill(self, request: FormRequest, values: Mapping[str, str]) -> Ok[str] | Failed:
        """Return the text for the composer, and attach what belongs to it."""
        assert request.prompt is not None
        offer_id = OfferId(request.command.target.id)
        if request.command.target.kind is SlashKind.RESOURCE:
            address = await self._core.offers.expand(offer_id, values)
            if isinstance(address, Failed):
                return address
            attached = await self._core.attachments.read(address.data)
            if isinstance(attached, Failed):  # such as a value that the server does not know: shown in the form
                return attached
            self._attachments.attach([address.data])
            return Ok("")
        outcome = await self._core.offers.prompt_text(offer_id, request.prompt, values)
        if isinstance(outcome, Failed):
            return outcome
        prompt = outcome.data
        self._attachments.attach_contents(prompt.files, prompt.resources, self._remarks(prompt.left_out))
        return Ok(prompt.text)

    def _remarks(self, left_out: tuple[str, ...]) -> list[str]:
        text = self.tr("The prompt has content that cannot be put into a message: {kinds}")
        return [text.format(kinds=", ".join(sorted(set(left_out))))] if left_out else []


def template_command(offer: ServerOffer) -> SlashCommand:
    """Return the command that asks for the variables of a template of resources."""
    return SlashCommand(SlashTarget(SlashKind.RESOURCE, offer.id, offer.title, offer.description), "")
