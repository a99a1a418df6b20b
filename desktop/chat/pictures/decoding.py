"""Decoding pictures, and making of them what providers take. In a thread: Qt releases the interpreter meanwhile.

`QImageReader` reads only what is given to it as data: a picture cannot make it open another file.
"""

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QColor, QImage, QImageReader, QImageWriter, QPainter

from core.domain.messages import PICTURE_BYTES, PICTURE_SIDE, AttachmentNote
from core.domain.pictures import SENT_MIMES, PictureHeader
from core.ports.pictures import PreparedPicture

MAX_MEGABYTES = 512
"""Of a decoded picture; Qt refuses larger ones."""
_QUALITIES = (92, 82, 70)
_PNG, _JPEG = "image/png", "image/jpeg"


def decode_picture(data: bytes, box: QSize | None = None) -> QImage:
    """Return the first frame, upright, scaled down into the box; a null image if it cannot be decoded."""
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer)
    reader.setAllocationLimit(MAX_MEGABYTES)
    reader.setDecideFormatFromContent(True)
    size = reader.size()
    is_drawing = bytes(reader.format().data()) in (b"svg", b"svgz")
    if box is not None and size.isValid() and (size.width() > box.width() or size.height() > box.height()):
        turned = reader.transformation().value & 4  # width and height change places
        reader.setScaledSize(size.scaled(box.transposed() if turned else box, Qt.AspectRatioMode.KeepAspectRatio))
    reader.setAutoTransform(True)
    image = QImage() if is_drawing else reader.read()
    del reader  # before the buffer, which it would read when it is destroyed
    return image


def prepare_picture(data: bytes, header: PictureHeader) -> PreparedPicture | None:
    """Return the picture as it is sent: as it is, if every provider takes it, else its first frame, upright, scaled
    down, as PNG or JPEG. None if it cannot be decoded (`PicturePreparer`).
    """
    is_large = max(header.width, header.height) > PICTURE_SIDE
    image = decode_picture(data, QSize(PICTURE_SIDE, PICTURE_SIDE))
    if image.isNull() or not header.is_whole:
        return None
    is_fine = header.mime in SENT_MIMES and not header.is_animated and header.orientation == 1
    if is_fine and not is_large and len(data) <= PICTURE_BYTES:
        return PreparedPicture(data, header.mime, image.width(), image.height())
    is_scaled = is_large or len(data) > PICTURE_BYTES
    note = (
        AttachmentNote.FIRST_FRAME
        if header.is_animated
        else AttachmentNote.SCALED
        if is_scaled and header.mime in SENT_MIMES
        else None
    )
    # photographs stay JPEGs: as PNGs they would have five times the size
    encoded = _encoded(image, is_photograph=header.mime == _JPEG)
    if encoded is None:
        return None
    return PreparedPicture(*encoded, image.width(), image.height(), note)


def png_of(image: QImage) -> bytes:
    """Return a pasted picture as a PNG; empty if it has none."""
    return _written(image, b"PNG")


def _encoded(image: QImage, *, is_photograph: bool) -> tuple[bytes, str] | None:
    """Return the data and the type of the smallest loss that fits into what is sent."""
    if not is_photograph and 0 < len(png := _written(image, b"PNG")) <= PICTURE_BYTES:
        return png, _PNG
    opaque = image
    if image.hasAlphaChannel():
        opaque = QImage(image.size(), QImage.Format.Format_RGB32)
        opaque.fill(QColor("white"))
        painter = QPainter(opaque)
        painter.drawImage(0, 0, image)
        painter.end()
    for quality in _QUALITIES:
        if 0 < len(jpeg := _written(opaque, b"JPEG", quality)) <= PICTURE_BYTES:
            return jpeg, _JPEG
    return None


def _written(image: QImage, kind: bytes, quality: int = -1) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(kind))
    writer.setQuality(quality)
    is_written = writer.write(image)
    del writer  # before the buffer
    return bytes(buffer.data().data()) if is_written else b""
