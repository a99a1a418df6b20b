"""Pictures and PDFs in the window: attached, kept in drafts, sent and edited again."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.messages import AttachmentKind
from core.domain.model import ModelChoice
from core.domain.pictures import picture_header
from core.services.outcome import Ok
from desktop.chat.pictures.decoding import prepare_picture
from desktop.chat.pictures.viewer import PictureViewer
from desktop.chat.views.picture_view import PictureButton
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_composer import Until, back, chips, complaint, paste, said
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.pictures import pdf, picture
from tests.support.provider import Provider, provider, says

Key = Qt.Key


def encoded(kind: bytes, width: int = 40, height: int = 30) -> bytes:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(kind))
    assert writer.write(image)
    del writer
    return bytes(buffer.data().data())


def test_a_picture_is_made_into_what_providers_take(qapp: QApplication) -> None:
    expected = [
        (picture(30, 20), "image/png", (30, 20), None),
        (encoded(b"WEBP"), "image/webp", (40, 30), None),
        (encoded(b"JPEG", 4000, 3000), "image/jpeg", (2000, 1500), "scaled"),
        (encoded(b"TIFF"), "image/png", (40, 30), None),
    ]
    for data, mime, size, note in expected:
        header = picture_header(data)
        assert header is not None
        made = prepare_picture(data, header)
        assert made is not None
        assert (made.mime, (made.width, made.height), made.note) == (mime, size, note)
        written = picture_header(made.data)
        assert written is not None
        assert (written.mime, written.shown_size) == (mime, size)
    for broken in (picture(30, 20)[:-30], b"\x89PNG\r\n\x1a\n" + b"\0" * 40 + b"IEND"):
        header = picture_header(broken)
        assert header is not None
        assert prepare_picture(broken, header) is None


async def connect(app: App, server: Provider, name: str, *, takes_pictures: bool | None) -> None:
    model = ModelChoice(base_url=server.url, model=name, takes_pictures=takes_pictures)
    assert isinstance(await app.core.providers.add_model(model), Ok)


async def shown_and_opened(app: App, until: Until) -> None:
    """Both pictures stand side by side, and the keyboard opens, goes on and closes."""
    transcript = app.content.chat.transcript
    shown = [button for button in transcript.findChildren(PictureButton) if button.isVisible()]
    names = [button.accessibleName().rpartition(", ")[0] for button in shown]
    assert names == ["Picture: Picture 1.png, 12 × 9", "Picture: scan.bmp, 40 × 30"]
    heights = [button.height() for button in shown]
    cache = transcript.context.pictures
    await until(lambda: all(cache.get(str(button.picture and button.picture.hash), button.size()) for button in shown))
    assert [button.height() for button in shown] == heights
    shown[0].setFocus()
    QTest.keyClick(shown[0], Key.Key_Return)
    (viewer,) = app.window.findChildren(PictureViewer)
    assert viewer.windowTitle() == "Picture 1.png"
    QTest.keyClick(viewer, Key.Key_Right)
    assert viewer.windowTitle() == "scan.bmp"
    QTest.keyClick(viewer, Key.Key_Escape)
    picture = shown[1].picture
    assert picture is not None
    cache.get("0" * 64, shown[1].size())  # what is in no store
    await until(lambda: cache.has_failed("0" * 64))
    shown[1].show_picture(replace(picture, hash="0" * 64))
    assert shown[1].accessibleName().startswith("Picture that cannot be shown: scan.bmp")
    shown[1].show_picture(picture)


async def test_pictures_are_attached_kept_and_sent_and_the_note_says_what_the_model_gets(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage, bill = InMemoryStorage(), tmp_path / "bill.pdf"
    bill.write_bytes(pdf())
    (tmp_path / "scan.bmp").write_bytes(encoded(b"BMP"))
    image = QImage(12, 9, QImage.Format.Format_RGB32)
    image.fill(QColor("tomato"))
    with provider(lambda _: says("Seen.")) as server:
        async with an_app(tmp_path / "data", qapp, storage=storage) as app:
            await connect(app, server, "blind", takes_pictures=False)
            app.control(Key.Key_N)
            paste(image=image)
            app.control(Key.Key_V)
            await until(lambda: chips(app) == ["Picture 1.png"])
            note = app.content.chat.composer.file_note
            assert note.text == "blind takes no pictures: it gets only their names."
            paste(urls=[bill, tmp_path / "scan.bmp"])
            app.control(Key.Key_V)
            await until(lambda: chips(app) == ["Picture 1.png", "bill.pdf", "scan.bmp"])
            assert note.text.endswith("Of “bill.pdf”, the model gets only the text.")
            await app.content.chat.drafts.flush()
        async with an_app(tmp_path / "data", qapp, storage=storage) as app:
            app.control(Key.Key_N)
            await until(lambda: chips(app) == ["Picture 1.png", "bill.pdf", "scan.bmp"])
            await connect(app, server, "seeing", takes_pictures=True)
            assert isinstance(await app.core.settings.change(model=app.core.settings.current.models[-1]), Ok)
            note = app.content.chat.composer.file_note
            await until(lambda: note.text == "Of “bill.pdf”, the model gets only the text.")
            app.write("Look")
            app.key(Key.Key_Return)
            await until(lambda: len(app.core.stores.view.messages) == 2 and not chips(app))
            message = app.core.stores.view.messages[0]
            kinds = [about.kind for about in message.attachments]
            assert kinds == [AttachmentKind.PICTURE, AttachmentKind.PDF, AttachmentKind.PICTURE]
            await until(lambda: said(app) == ["Look"])
            await until(lambda: server.posts)
            (post,) = server.posts
            parts = post.messages[-1]["content"]
            assert [part["type"] for part in parts] == ["text", "image_url", "image_url"]
            await shown_and_opened(app, until)
            app.content.chat.focus_composer()
            await back(app, until)
            app.key(Key.Key_Up)
            await until(lambda: chips(app) == ["Picture 1.png", "bill.pdf", "scan.bmp"])
            files = app.content.chat.composer.files
            assert [file.content is not None and bool(file.content.data) for file in files] == [True] * 3
            assert complaint(app) == ""
