"""Keeping a key out of everything that is kept or shown, even where a server sends it back."""

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from core.domain.text.json_text import decode, encode
from core.ports.model import CallDelta, CallRequest, ModelDelta, ReasoningDelta, TextDelta

MASK = "[key]"

_ERROR_CHARACTERS = 4
"""A shorter key is a placeholder; masking it would only garble words."""
_TEXT_CHARACTERS = 16
"""A real key is longer; placeholders of local servers, which are words, may be said."""


class Secret:
    """A key. Only `reveal` gives it; printed, it is a mask."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def __repr__(self) -> str:
        return MASK

    __str__ = __repr__

    def __reduce__(self) -> str:
        raise TypeError("a key is not written down")


class Masker:
    """Takes one key, or none, out of texts."""

    def __init__(self, secret: Secret | None) -> None:
        self._key = secret.reveal() if secret is not None else ""
        forms = {self._key, quote(self._key, safe=""), html.escape(self._key)}
        longest_first = sorted(forms, key=len, reverse=True)
        pattern = "|".join(map(re.escape, longest_first)) if len(self._key) >= _ERROR_CHARACTERS else r"(?!)"
        self._pattern = re.compile(pattern, re.IGNORECASE)

    def text(self, text: str) -> str:
        """An error's words without the key."""
        return self._pattern.sub(MASK, text)

    def values(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of an error likewise."""
        return {name: self.text(value) if isinstance(value, str) else value for name, value in parameters.items()}

    def stream(self) -> "StreamMask":
        """For one text that comes in pieces."""
        return StreamMask(self._key if len(self._key) >= _TEXT_CHARACTERS else "")


class StreamMask:
    """Takes a key out of a text that comes in pieces; what may be its beginning is held back until that is known."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._held = ""

    def take(self, piece: str) -> str:
        """What can be shown now."""
        if not self._key:
            return piece
        text = self._held + piece
        text = text.replace(self._key, MASK)
        held = self._beginning_at_end(text)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def rest(self) -> str:
        """What was held back at the end: no key, as it is not whole; if it is most of one, it is masked too."""
        held, self._held = self._held, ""
        return held if len(held) < _TEXT_CHARACTERS // 2 else MASK

    def _beginning_at_end(self, text: str) -> int:
        """How many characters at the end of the text are a beginning of the key."""
        first = self._key[0]
        start = max(0, len(text) - len(self._key) + 1)
        at = text.find(first, start)
        while at >= 0:
            if self._key.startswith(text[at:]):
                return len(text) - at
            at = text.find(first, at + 1)
        return 0


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
