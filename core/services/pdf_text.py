"""The text of PDFs, for models that take no PDF. Read in a process of its own: a PDF can take any time and memory."""

import asyncio
import io
import logging
import sys
from base64 import b64decode, b64encode
from typing import Any, NamedTuple

from core.domain.messages import FILE_BYTES, AttachmentNote
from core.errors import MetierError
from core.persistence.worker import Report
from core.persistence.worker_process import run_job

log = logging.getLogger(__name__)

MAX_PAGES = 200
LIMIT_S = 20.0
MEMORY_BYTES = 1024**3


class PdfText(NamedTuple):
    """The text, page after page, and why it is not all of it, if so."""

    text: str
    note: AttachmentNote | None


async def read_pdf(data: bytes, limit_s: float = LIMIT_S) -> PdfText:
    """Return the text of a PDF; without text, `note` is the reason. Never raises for a bad file."""
    try:
        async with asyncio.timeout(limit_s):
            encoded = b64encode(data).decode("ascii")
            result = await run_job("core.services.pdf_text:extract_text", data=encoded, max_pages=MAX_PAGES)
    except (MetierError, TimeoutError) as error:
        log.warning("the text of a PDF cannot be read: %s", error)
        return PdfText("", AttachmentNote.UNREADABLE)
    note = result["note"]
    return PdfText(result["text"], AttachmentNote(note) if note is not None else None)


async def extract_text(_report: Report, *, data: str, max_pages: int) -> dict[str, Any]:
    """Read the text of a PDF, as a job of a worker process. Returns `{text, note}`."""
    _limit_memory()
    return text_of_pages(b64decode(data), max_pages)


def text_of_pages(data: bytes, max_pages: int = MAX_PAGES) -> dict[str, Any]:
    """Return `{text, note}` of a PDF, in whatever time and memory it takes."""
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        # most encrypted files only forbid changes, and open without a password
        if reader.is_encrypted and not reader.decrypt(""):
            return {"text": "", "note": AttachmentNote.ENCRYPTED}
        return _pages(reader, max_pages)
    except Exception:  # noqa: BLE001  # pypdf raises errors of any kind for broken files
        return {"text": "", "note": AttachmentNote.UNREADABLE}


def _pages(reader: Any, max_pages: int) -> dict[str, Any]:
    texts: list[str] = []
    size = 0
    note = AttachmentNote.FIRST_PAGES if len(reader.pages) > max_pages else None
    for page in reader.pages[:max_pages]:
        text = page.extract_text().strip()
        size += len(text.encode("utf-8", "surrogatepass"))
        if size > FILE_BYTES:
            note = AttachmentNote.FIRST_PAGES
            break
        texts.append(text)
    whole = "\n\n".join(filter(None, texts)).encode("utf-8", "replace").decode()
    return {"text": whole, "note": note if whole else AttachmentNote.NO_TEXT}


def _limit_memory() -> None:
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
