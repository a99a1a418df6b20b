"""Gemini's own API, in which its thoughts and their signatures keep their places (AGENTS_AND_TOOLS §2)."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from core.domain.model import ModelChoice
from core.llm.gemini.assembly import GeminiAssembler
from core.llm.gemini.request import request_body
from core.llm.key_masking import Secret
from core.llm.presets import Quirks
from core.llm.provider.failures import model_error
from core.llm.provider.wire_format import with_version
from core.ports import ModelRequest


class Gemini:
    """A `WireFormat`."""

    def url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.url`. Raises StepFailed `provider_error` without a model, which is part of it."""
        if choice.model is None:
            raise model_error("provider_error", "choose a model: Gemini has no default model")
        model = quote(choice.model, safe="/@")
        path = model if "/" in model else f"models/{model}"
        return f"{_base(choice)}/{path}:streamGenerateContent?alt=sse"

    def models_url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.models_url`. All models are on the first page."""
        return f"{_base(choice)}/models?pageSize=1000"

    def model_rows(self, listing: Any) -> Any:
        """Implement `WireFormat.model_rows`, without the models that make no texts."""
        rows = listing.get("models") if isinstance(listing, dict) else None
        if not isinstance(rows, list):
            return None
        return [
            {"id": row["name"].removeprefix("models/"), "context_length": row.get("inputTokenLimit")}
            for row in rows
            if isinstance(row, dict)
            and isinstance(row.get("name"), str)
            and "generateContent" in (row.get("supportedGenerationMethods") or ("generateContent",))
        ]

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Implement `WireFormat.headers`. The key is not in the address, which is logged on its way."""
        return {} if key is None else {"x-goog-api-key": key.reveal()}

    def body(self, request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
        """Implement `WireFormat.body`."""
        return request_body(request, choice, quirks)

    def assembler(self, choice: ModelChoice) -> GeminiAssembler:
        """Implement `WireFormat.assembler`."""
        return GeminiAssembler(choice)


def _base(choice: ModelChoice) -> str:
    """Return the address of the API. Google's libraries, and so many gateways, name it without its version."""
    return with_version(choice.base_url, "v1beta")
