"""Pictures in the results of tools: stored by hash, and described in the result."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from core.domain.messages import PICTURE_BYTES
from core.domain.pictures import picture_header
from core.ports import CallContext, KeepFile, Write
from core.ports.pictures import MAX_PIXELS, READ_BYTES, PicturePreparer, keep_as_it_is


class ResultPictures:
    """Keeps pictures for the runs whose calls returned them. With a window, `prepare` decodes and scales them."""

    def __init__(self, commit: Callable[[Sequence[Write]], Awaitable[object]]) -> None:
        self.prepare: PicturePreparer = keep_as_it_is
        self._commit = commit

    async def keep(self, context: CallContext, data: bytes, name: str | None = None) -> dict[str, Any] | None:
        """Store a picture, and return its place in the result: `{type: "image", mime, bytes, hash, width, height}`, by
        which models get it and the window shows it. None if it is no picture that can be sent.
        """
        header = picture_header(data) if len(data) <= READ_BYTES else None
        if header is None or header.width * header.height > MAX_PIXELS or not context.run_id:
            return None
        prepared = await asyncio.to_thread(self.prepare, data, header)
        if prepared is None or len(prepared.data) > PICTURE_BYTES:
            return None
        digest = hashlib.sha256(prepared.data).hexdigest()
        await self._commit([KeepFile(context.workflow_id, context.run_id, digest, prepared.data)])
        about = {"type": "image", "mime": prepared.mime, "bytes": len(prepared.data), "hash": digest}
        named = {"name": name} if name is not None else {}
        return {**about, "width": prepared.width, "height": prepared.height, **named}
