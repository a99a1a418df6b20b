"""Anthropic's Messages API (AGENTS_AND_TOOLS §2)."""

from collections.abc import Mapping
from typing import Any

from core.domain.model import ModelChoice
from core.llm.anthropic_messages.assembly import MessageAssembler
from core.llm.anthropic_messages.request import request_body
from core.llm.key_masking import Secret
from core.llm.presets import Quirks
from core.llm.provider.wire_format import with_version
from core.ports import ModelRequest

VERSION = "2023-06-01"


class AnthropicMessages:
    """A `WireFormat`."""

    def url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.url`."""
        return f"{_versioned(choice.base_url)}/messages"

    def models_url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.models_url`. All models are on the first page."""
        return f"{_versioned(choice.base_url)}/models?limit=1000"

    def model_rows(self, listing: Any) -> Any:
        """Implement `WireFormat.model_rows`."""
        rows = listing.get("data") if isinstance(listing, dict) else listing
        if not isinstance(rows, list):
            return rows
        return [{"context_length": row.get("max_input_tokens"), **row} for row in rows if isinstance(row, dict)]

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Implement `WireFormat.headers`. Anthropic takes a key in its own header; of other providers some read that,
        some only a bearer.
        """
        headers = {"anthropic-version": VERSION}
        if key is None:
            return headers
        text = key.reveal()
        if not text.startswith("sk-ant-") or text.startswith("sk-ant-oat"):
            headers["Authorization"] = f"Bearer {text}"
        if not text.startswith("sk-ant-oat"):
            headers["x-api-key"] = text
        return headers

    def body(self, request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
        """Implement `WireFormat.body`."""
        return request_body(request, choice, quirks)

    def assembler(self, choice: ModelChoice) -> MessageAssembler:
        """Implement `WireFormat.assembler`."""
        return MessageAssembler(choice)


def _versioned(base_url: str) -> str:
    """Return the address with the `/v1` that other providers leave out where they document it, and without the path of
    a request that was pasted with it.
    """
    return with_version(base_url.removesuffix("/messages"), "v1")
