"""Small pictures and PDFs."""

import io
import struct
import zlib

from pypdf import PdfReader, PdfWriter

PDF_TEXT = "The secret word is heron."


def picture(width: int = 3, height: int = 2, colour: tuple[int, int, int] = (200, 60, 40)) -> bytes:
    """A PNG of one colour. One of over a million pixels has no pixels, only a header that claims them."""
    rows = (b"\0" + bytes(colour) * width) * height if width * height <= 1_000_000 else b""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def pdf(text: str = PDF_TEXT, password: str = "", pages: int = 1) -> bytes:
    """A PDF with pages of that text."""
    content = f"BT /F1 18 Tf 30 100 Td ({text}) Tj ET".encode("ascii")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b"3 0 R " * pages, pages),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    written = bytearray(b"%PDF-1.4\n\xff\0\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    if not password:
        return bytes(written)
    writer, encrypted = PdfWriter(clone_from=PdfReader(io.BytesIO(bytes(written)))), io.BytesIO()
    writer.encrypt(password, algorithm="RC4-40")
    writer.write(encrypted)
    return encrypted.getvalue()
