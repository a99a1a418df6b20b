"""Pictures that the result of a tool refers to, by the hash of a stored file. Pure."""

from collections.abc import Mapping
from typing import Any

from core.domain.messages import Attachment, AttachmentKind, mime_of
from core.domain.pictures import SENT_MIMES


def pictures_in(value: Any) -> list[Attachment]:
    """Return the pictures that a tool result refers to: items of `content` with the hash of a stored file."""
    content = value.get("content") if isinstance(value, Mapping) else None
    found = []
    for number, item in enumerate(content if isinstance(content, list) else ()):
        if not isinstance(item, Mapping) or item.get("type") != "image" or item.get("mime") not in SENT_MIMES:
            continue
        digest, size, mime = item.get("hash"), item.get("bytes"), item["mime"]
        if isinstance(digest, str) and isinstance(size, int):
            name = item.get("name")
            extension = mime.partition("/")[2]
            title = name if isinstance(name, str) and mime_of(name) == mime else f"picture {number + 1}.{extension}"
            kind, width, height = AttachmentKind.PICTURE, *(item.get(side) for side in ("width", "height"))
            size_shown = {"width": width, "height": height} if type(width) is type(height) is int else {}
            found.append(Attachment(name=title, mime=mime, size=size, hash=digest, kind=kind, **size_shown))
    return found
