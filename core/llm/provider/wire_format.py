"""What differs between the wire formats of providers: the address, the headers, the body, and how a stream is read."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Protocol

from core.domain.model import ModelChoice
from core.llm.key_masking import Secret
from core.llm.presets import Quirks
from core.llm.sse import SseEvent
from core.ports import ModelDelta, ModelRequest


class AnswerAssembler(Protocol):
    """Assembles the events of a stream into an answer.

    `has_begun`: some of it has arrived. `is_finished`: the server has sent the reason of the end; `is_done`: nothing
    else follows.
    """

    has_begun: bool
    is_finished: bool
    is_done: bool

    def take(self, events: Iterable[SseEvent]) -> Iterator[ModelDelta]:
        """Yield the deltas of these events. Raises StepFailed `provider_error` for an error in the stream, or
        `answer_too_large`.
        """

    def take_other(self, lines: list[str]) -> Iterator[ModelDelta]:
        """Yield the deltas of a response that is not an event stream. Raises StepFailed `bad_response`."""

    def finish(self) -> Iterator[ModelDelta]:
        """Yield what is complete only at the end. Raises StepFailed `truncated` if the answer is incomplete."""


class WireFormat(Protocol):
    """The language of a provider's API. It has no state; names of tools are sent as `wire_name` makes them."""

    def url(self, choice: ModelChoice) -> str:
        """Return the address to which a request is posted."""

    def models_url(self, choice: ModelChoice) -> str:
        """Return the address of the server's list of models, which is asked for with the same headers."""

    def model_rows(self, listing: Any) -> Any:
        """Return the rows of a list of models, each `{id, context_length?}` beside other fields, or anything that is
        no list.
        """

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Return the headers of a request, with the key."""

    def body(self, request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> dict[str, Any]:
        """Build the JSON object to post."""

    def assembler(self, choice: ModelChoice) -> AnswerAssembler:
        """Create the assembler of an answer."""


class OpenAiApi:
    """What OpenAI's two APIs have in common, and all who imitate them."""

    def models_url(self, choice: ModelChoice) -> str:
        """Implement `WireFormat.models_url`."""
        return f"{choice.base_url}/models"

    def model_rows(self, listing: Any) -> Any:
        """Implement `WireFormat.model_rows`. Some servers send the bare list."""
        return listing.get("data") if isinstance(listing, dict) else listing

    def headers(self, key: Secret | None) -> Mapping[str, str]:
        """Implement `WireFormat.headers`."""
        return {} if key is None else {"Authorization": f"Bearer {key.reveal()}"}


_VERSION = re.compile(r"/v\d+[a-z0-9]*$")


def with_version(base_url: str, version: str) -> str:
    """Return the address of an API with its version, which many documents leave out."""
    return base_url if _VERSION.search(base_url) else f"{base_url}/{version}"
