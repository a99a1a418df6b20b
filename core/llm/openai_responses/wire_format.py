"""OpenAI's responses: the API of its newer models, whose reasoning goes back with their calls (AGENTS_AND_TOOLS §2)."""

from collections.abc import Mapping
from typing import Any

from core.domain.model import ModelChoice
from core.llm.key_masking import Secret
from core.llm.openai_responses.assembly import ResponsesAssembler
from core.llm.openai_responses.request import request_body
from core.llm.presets import Quirks
from core.ports import ModelRequest


class Responses:
    """A `WireFormat`."""

    def url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.url`."""
        return f"{choice.base_url}/responses"

    def models_url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.models_url`."""
        return f"{choice.base_url}/models"

    def model_rows(self, listing: Any) -> Any:
        """Implement `WireFormat.model_rows`."""
        return listing.get("data") if isinstance(listing, dict) else listing

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Implement `WireFormat.headers`."""
        return {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}

    def body(self, request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
        """Implement `WireFormat.body`."""
        return request_body(request, choice, quirks)

    def assembler(self, choice: ModelChoice) -> ResponsesAssembler:
        """Implement `WireFormat.assembler`."""
        return ResponsesAssembler(choice)
