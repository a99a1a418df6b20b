"""A file of certificate authorities, chosen in the settings: a real server with a certificate that it signed."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop.settings.models.authorities_card import AuthoritiesCard
from desktop.settings.parts.page import PageId
from tests.gui.window.rig import an_app
from tests.gui.window.settings_rig import choose, dialog, press, settings, texts, write
from tests.support.http_server import a_server, response
from tests.support.proxies import certified

Until = Callable[..., Awaitable[None]]


async def test_a_server_with_a_certificate_of_a_company_is_trusted_with_its_file(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    async with a_server(certified(certificates, "localhost")) as server, an_app(tmp_path, qapp) as app:
        server.answers["/v1/models"] = response(b'{"data": [{"id": "m"}]}', kind="application/json")
        await settings(app, PageId.MODELS, until)
        (card,) = dialog(app).findChildren(AuthoritiesCard)
        choose(app, "Provider", "Another server")
        write(app, "Address", f"https://localhost:{server.port}/v1")
        press(app, "Test and list models")
        await until(lambda: "is not trusted, so nothing was sent" in texts(app))
        for file, words in (
            (certificates / "key.pem", "This file has no certificates in PEM form."),
            (certificates / "gone.pem", "This file cannot be read."),
            (certificates / "authority.pem", "It is used from now on."),
        ):
            card.use(str(file))
            await until(lambda words=words: words in texts(app))
        assert str(certificates / "authority.pem") in texts(app)
        press(app, "Test and list models")
        await until(lambda: "It answers, and lists 1 model." in texts(app))
        press(app, "Do not use it")
        await until(lambda: app.core.settings.current.authorities_file is None)
        press(app, "Test and list models")
        await until(lambda: "is not trusted, so nothing was sent" in texts(app))
