"""The pieces of an answer without the key, should the server send it back."""

from collections.abc import Iterator

from core.domain.json_text import decode, encode
from core.llm.masking import Masker
from core.ports.model import CallDelta, CallRequest, ModelDelta, ReasoningDelta, TextDelta


class MaskedDeltas:
    """One answer. Texts that come in pieces may be held back for a piece or two."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._text = masker.stream()
        self._thoughts = masker.stream()

    def take(self, delta: ModelDelta) -> ModelDelta | None:
        """The delta as it may be kept and shown; None: not yet."""
        match delta:
            case TextDelta(text):
                shown = self._text.take(text)
                return TextDelta(shown) if shown else None
            case ReasoningDelta(text):
                shown = self._thoughts.take(text)
                return ReasoningDelta(shown) if shown else None
            case CallDelta(call):
                return CallDelta(self._call(call))
            case _:
                return delta

    def rest(self) -> Iterator[ModelDelta]:
        """What was held back."""
        if rest := self._thoughts.rest():
            yield ReasoningDelta(rest)
        if rest := self._text.rest():
            yield TextDelta(rest)

    def _call(self, call: CallRequest) -> CallRequest:
        text, arguments = self._masker.text(call.arguments_text), call.arguments
        if arguments is not None:
            read = encode(dict(arguments))  # the text may write the same characters in other ways
            if (shown := self._masker.text(read)) != read:
                text, arguments = shown, decode(shown)
        return CallRequest(self._masker.text(call.id), self._masker.text(call.tool), arguments, text)
