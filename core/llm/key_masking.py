"""Keeps a key out of everything that is stored or displayed, even if a server echoes it."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from core.domain.text.json_text import decode, encode
from core.ports import CallDelta, CallRequest, ModelDelta, ReasoningDelta, ReplayDelta, TextDelta, TextWasReasoning

MASK = "[key]"

# A shorter key is a placeholder; masking it would only garble words.
_ERROR_CHARACTERS = 4
# Real keys are longer. Placeholder keys of local servers are ordinary words, which an answer may contain.
_TEXT_CHARACTERS = 16


class Secret:
    """A key. Only `reveal` returns it; printed, it is a mask."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the key."""
        return self._value

    def __repr__(self) -> str:
        return MASK

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be pickled")


class Masker:
    """Masks a key, or nothing, in texts."""

    def __init__(self, secret: Secret | None) -> None:
        self._key = secret.reveal() if secret is not None else ""
        forms = {self._key, quote(self._key, safe=""), html.escape(self._key)}
        longest_first = sorted(forms, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest_first)) if len(self._key) >= _ERROR_CHARACTERS else r"(?!)"
        self._pattern = re.compile(pattern, re.IGNORECASE)

    def text(self, text: str) -> str:
        """Mask the key in the message of an error."""
        return self._pattern.sub(MASK, text)

    def values(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Mask the key in the parameters of an error."""
        return {name: self.text(value) if isinstance(value, str) else value for name, value in parameters.items()}

    def stream(self) -> "StreamMask":
        """Create a mask for a streamed text."""
        return StreamMask(self._key if len(self._key) >= _TEXT_CHARACTERS else "")


class StreamMask:
    """Masks a key in a streamed text. A possible beginning of the key is held back until the next piece decides."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._held = ""

    def feed(self, piece: str) -> str:
        """Add a piece, and return what can be shown now."""
        # A key may be split over pieces. The longest end of the text that is a prefix of the key is held back, so a
        # piece is delayed only while it could still become the key, and everything before it is shown at once.
        if not self._key:
            return piece
        text = self._held + piece
        text = text.replace(self._key, MASK)
        held_length = self._prefix_length(text)
        self._held = text[len(text) - held_length :]
        return text[: len(text) - held_length]

    def whole(self, text: str) -> str:
        """Mask a whole text."""
        return self.feed(text) + self.flush()

    def flush(self) -> str:
        """Return what was held back at the end. It is not the whole key; if it is most of the key, it is masked too."""
        held, self._held = self._held, ""
        return held if len(held) < _TEXT_CHARACTERS // 2 else MASK

    def _prefix_length(self, text: str) -> int:
        """Count the characters at the end of the text that are a prefix of the key."""
        first = self._key[0]
        start = max(0, len(text) - len(self._key) + 1)
        at = text.find(first, start)
        while at >= 0:
            if self._key.startswith(text[at:]):
                return len(text) - at
            at = text.find(first, at + 1)
        return 0


class MaskedDeltas:
    """Masks the key in an answer, should the server echo it. Streamed text may be delayed by a piece or two."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._text = masker.stream()
        self._thoughts = masker.stream()

    def feed(self, delta: ModelDelta) -> ModelDelta | None:
        """Mask a delta. Return None if nothing can be shown yet."""
        match delta:
            case TextDelta(text):
                masked_text = self._text.feed(text)
                return TextDelta(masked_text) if masked_text else None
            case ReasoningDelta(text):
                masked_text = self._thoughts.feed(text)
                return ReasoningDelta(masked_text) if masked_text else None
            case TextWasReasoning(text):
                self._text = self._masker.stream()
                return TextWasReasoning(self._masker.stream().whole(text))
            case CallDelta(call):
                return CallDelta(self._call(call))
            case ReplayDelta(replay):
                written = encode(replay.value)
                return delta if self._masker.text(written) == written else None
            case _:
                return delta

    def flush(self) -> Iterator[ModelDelta]:
        """Yield what was held back."""
        if rest := self._thoughts.flush():
            yield ReasoningDelta(rest)
        if rest := self._text.flush():
            yield TextDelta(rest)

    def _call(self, call: CallRequest) -> CallRequest:
        text, arguments = self._masker.text(call.arguments_text), call.arguments
        if arguments is not None:
            # The arguments are masked in our own encoding: the model's may escape the characters of the key.
            read = encode(dict(arguments))
            if (masked_text := self._masker.text(read)) != read:
                text, arguments = masked_text, decode(masked_text)
        return CallRequest(self._masker.text(call.id), self._masker.text(call.tool), arguments, text, call.cut_off)
