"""OpenAI's chat completions, which most servers imitate (AGENTS_AND_TOOLS §2)."""

from typing import Any

from core.domain.model import ModelChoice
from core.llm.openai_compatible.assembly import Assembler
from core.llm.openai_compatible.request import request_body
from core.llm.presets import Quirks
from core.llm.provider.wire_format import OpenAiApi
from core.ports import ModelRequest


class ChatCompletions(OpenAiApi):
    """A `WireFormat`."""

    def url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.url`."""
        return f"{choice.base_url}/chat/completions"

    def body(self, request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
        """Implement `WireFormat.body`."""
        return request_body(request, choice, quirks)

    def assembler(self, choice: ModelChoice) -> Assembler:
        """Implement `WireFormat.assembler`."""
        return Assembler(choice)
