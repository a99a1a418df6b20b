"""Decoded pictures, bounded: loaded and decoded off the loop, in the size in which they are shown."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage

from desktop.aio import Spawn
from desktop.chat.pictures.decoding import decode_picture

MAX_BYTES = 64_000_000
"""Of decoded pictures: about forty that fill the column on a sharp screen."""
MAX_FAILED = 500

Load = Callable[[str], Awaitable[bytes | None]]
"""Returns the data of the picture with this hash; None if it is not there."""

_Key = tuple[str, int, int]


class PictureCache(QObject):
    """Serves pictures by hash. What is missing is loaded, after which `loaded` is emitted."""

    loaded = Signal(str)
    """The picture with this hash can be shown, or it is known that it cannot."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._spawn: Spawn | None = None
        self._load: Load | None = None
        self._images: OrderedDict[_Key, QImage] = OrderedDict()
        self._bytes = 0
        self._failed: OrderedDict[str, None] = OrderedDict()
        self._loading: set[_Key] = set()

    def connect_source(self, spawn: Spawn, load: Load) -> None:
        """Set where pictures come from."""
        self._spawn, self._load = spawn, load

    @property
    def decoded_bytes(self) -> int:
        return self._bytes

    def get(self, digest: str, box: QSize) -> QImage | None:
        """Return the picture, scaled down into a box of physical pixels; None while it is loaded, or if it failed."""
        key = (digest, box.width(), box.height())
        image = self._images.get(key)
        if image is not None:
            self._images.move_to_end(key)
        elif digest not in self._failed and key not in self._loading and self._spawn is not None:
            self._loading.add(key)
            self._spawn(self._fetch(key), "load a picture")
        return image

    def has_failed(self, digest: str) -> bool:
        """Return whether the picture is not there, or cannot be decoded."""
        return digest in self._failed

    async def _fetch(self, key: _Key) -> None:
        digest, *size = key
        try:
            data = await self._load(digest) if self._load is not None else None
            image = await asyncio.to_thread(decode_picture, data, QSize(*size)) if data else QImage()
        finally:
            self._loading.discard(key)
        if image.isNull():
            self._failed[digest] = None
            if len(self._failed) > MAX_FAILED:
                self._failed.popitem(last=False)
        else:
            self._images[key] = image
            self._bytes += image.sizeInBytes()
            while self._bytes > MAX_BYTES and len(self._images) > 1:
                self._bytes -= self._images.popitem(last=False)[1].sizeInBytes()
        self.loaded.emit(digest)
