"""OpenAI's responses: the API of its newer models, whose reasoning goes back with their calls (AGENTS_AND_TOOLS §2)."""

from typing import Any

from core.domain.model import ModelChoice
from core.llm.openai_responses.assembly import ResponsesAssembler
from core.llm.openai_responses.request import request_body
from core.llm.presets import Quirks
from core.llm.provider.wire_format import OpenAiApi
from core.ports import ModelRequest


class Responses(OpenAiApi):
    """A `WireFormat`."""

    def url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.url`."""
        return f"{choice.base_url}/responses"

    def body(self, request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
        """Implement `WireFormat.body`."""
        return request_body(request, choice, quirks)

    def assembler(self, choice: ModelChoice) -> ResponsesAssembler:
        """Implement `WireFormat.assembler`."""
        return ResponsesAssembler(choice)
