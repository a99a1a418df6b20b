"""The dialog: non-modal, searchable, usable by keyboard, and complete in French at every zoom."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from core.services.outcome import Ok
from desktop.settings.navigation import PageList
from desktop.settings.parts.page import Page, PageId
from desktop.settings.sources.setting_sources import Setting
from desktop.widgets import Paragraph, matches
from tests.gui.settings.rig import DATA_FOLDER, Rig

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

Until = Callable[..., Awaitable[None]]


def listed(rig: Rig) -> list[str]:
    """Return the titles of the visible pages."""
    matching = rig.dialog.findChild(PageList)
    assert isinstance(matching, PageList)
    model = matching.model()
    rows = (row for row in range(model.rowCount()) if not matching.isRowHidden(row))
    return [str(model.index(row, 0).data()) for row in rows]


def shown_texts(rig: Rig) -> list[str]:
    return [label.text() for label in rig.dialog.findChildren(QLabel) if label.isVisible()]


# Open and closed


async def test_it_is_not_modal(rig: Rig) -> None:
    assert rig.dialog.objectName() == "settings"
    assert not rig.dialog.isModal()
    assert rig.dialog.windowTitle() == "Settings"


async def test_escape_closes_it_and_it_opens_again_where_it_was(rig: Rig) -> None:
    rig.dialog.present(PageId.LIMITS)
    rig.press(Qt.Key.Key_Escape)
    assert not rig.dialog.isVisible()
    rig.dialog.present()
    assert rig.dialog.page is PageId.LIMITS
    assert rig.focused() == "Runs at once"


async def test_an_undo_is_offered_only_while_it_is_open(rig: Rig, until: Until) -> None:
    rig.click("Automatic")
    await until(rig.action)
    rig.press(Qt.Key.Key_Escape)
    rig.dialog.present()
    assert rig.action() is None


@pytest.mark.parametrize(
    ("page", "control"),
    [
        (PageId.VALIDATION, "Selective"),
        (PageId.LIMITS, "Runs at once"),
        (PageId.APPEARANCE, "Light"),
        (PageId.DATA, "Open folder"),
    ],
)
async def test_a_page_opens_with_focus_in_its_first_control(rig: Rig, page: PageId, control: str) -> None:
    rig.dialog.present(page)
    assert rig.focused() == control


async def test_the_arrows_in_the_list_go_through_the_pages_and_tab_enters_one(rig: Rig) -> None:
    rig.control("Pages").setFocus(Qt.FocusReason.TabFocusReason)
    pages = []
    for _ in range(4):
        rig.press(Qt.Key.Key_Down)
        pages.append(rig.dialog.page)
    assert pages == [PageId.LIMITS, PageId.PROMPTS, PageId.MEMORY, PageId.NOTIFICATIONS]
    rig.press(Qt.Key.Key_Down)
    rig.press(Qt.Key.Key_Tab)
    assert rig.focused() == "Light"


async def test_tab_follows_the_visual_order(rig: Rig) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    rig.control("Search settings").setFocus(Qt.FocusReason.TabFocusReason)
    order = []
    for _ in range(8):
        order.append(rig.focused())
        rig.press(Qt.Key.Key_Tab)
    assert order == [
        "Search settings",
        "Pages",
        "Light",
        "English",
        "Text size",
        "Reduce motion",
        "Enter",
        "Search settings",
    ]


CONTROLS = QAbstractButton | QAbstractSpinBox | QLineEdit | QPlainTextEdit


async def test_every_control_has_a_name(rig: Rig) -> None:
    for page in PageId:
        rig.dialog.present(page)
        controls = [
            widget for widget in rig.dialog.findChildren(QWidget) if widget.isVisible() and isinstance(widget, CONTROLS)
        ]
        nameless = [
            control
            for control in controls
            if control.focusPolicy() & Qt.FocusPolicy.TabFocus
            and not isinstance(control.parent(), QAbstractSpinBox | QLineEdit)
            and not control.accessibleName()
        ]
        assert nameless == []


# Search


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ("zoom", ["Appearance and language"]),
        ("text size", ["Appearance and language", "Keys"]),
        ("MOTION", ["Appearance and language"]),
        ("francais", ["Appearance and language"]),
        ("risks", ["Validation"]),
        ("at once", ["Validation", "Limits", "Data"]),
        ("lucide", ["About"]),
        ("mcpservers", ["MCP servers"]),
        (
            "",
            [
                "Models",
                "Agents",
                "MCP servers",
                "Folders",
                "Validation",
                "Limits",
                "Prompts",
                "Memory",
                "Notifications",
                "Appearance and language",
                "Keys",
                "Data",
                "About",
            ],
        ),
    ],
)
async def test_a_search_lists_the_pages_that_match(rig: Rig, words: str, pages: list[str]) -> None:
    rig.search(words)
    assert listed(rig) == pages


async def test_a_search_shows_the_first_matching_page_with_the_matching_settings(rig: Rig) -> None:
    rig.search("disk")
    assert rig.dialog.page is PageId.LIMITS
    assert "Write interval" in shown_texts(rig)
    assert "Runs at once" not in shown_texts(rig)
    assert rig.focused() == "Search settings"
    rig.press(Qt.Key.Key_Return)
    assert rig.focused() == "Write interval"


async def test_a_word_of_a_title_that_names_a_setting_finds_the_setting(rig: Rig) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    rig.search("language")
    assert "Language" in shown_texts(rig)
    assert "Text size" not in shown_texts(rig)


async def test_a_search_by_the_title_of_a_page_shows_all_of_it(rig: Rig) -> None:
    rig.search("limits")
    assert {"Runs at once", "Write interval"} <= set(shown_texts(rig))


async def test_a_search_without_results_offers_all_again(rig: Rig) -> None:
    rig.search("spaceship")
    assert listed(rig) == []
    assert "No setting found" in shown_texts(rig)
    rig.click("Show all")
    assert len(listed(rig)) == len(PageId)
    assert "Spending limit of a run" in shown_texts(rig)  # of the last page that had the letters so far


async def test_ctrl_f_leads_to_the_search(rig: Rig) -> None:
    rig.press(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert rig.focused() == "Search settings"


async def test_another_language_ends_the_search(rig: Rig) -> None:
    rig.search("language")
    rig.window.set(Setting.LANGUAGE, "fr")
    QApplication.processEvents()
    assert listed(rig) == [
        "Modèles",
        "Agents",
        "Serveurs MCP",
        "Dossiers",
        "Validation",
        "Limites",
        "Prompts",
        "Mémoire",
        "Notifications",
        "Apparence et langue",
        "Raccourcis clavier",
        "Données",
        "À propos",
    ]


def test_a_search_ignores_case_accents_and_order() -> None:
    assert matches("REDUIRE animations", "Réduire les animations")
    assert matches("animations réduire", "Réduire les animations")
    assert matches("  ", "anything")
    assert not matches("reduire sons", "Réduire les animations")


# About, and the data


async def test_about_shows_the_version(rig: Rig) -> None:
    rig.dialog.present(PageId.ABOUT)
    assert "Metier 0.1.0" in shown_texts(rig)


async def test_the_data_page_copies_the_path_of_the_folder(rig: Rig) -> None:
    rig.dialog.present(PageId.DATA)
    assert str(DATA_FOLDER) in shown_texts(rig)
    rig.control("Copy path").setFocus()
    rig.press(Qt.Key.Key_Space)
    assert QGuiApplication.clipboard().text() == str(DATA_FOLDER)
    assert rig.focused() == "Copied"
    rig.dialog.present(PageId.LIMITS)
    rig.dialog.present(PageId.DATA)
    assert rig.control("Copy path").isVisible()


@pytest.mark.parametrize(
    ("work", "words"),
    [
        ("Metier", "Apache License"),
        ("Inter", "SIL Open Font License"),
        ("JetBrains Mono", "SIL Open Font License"),
        ("Lucide", "ISC License"),
        ("Sucrase", "MIT"),
    ],
)
async def test_each_licence_can_be_read_in_full(rig: Rig, work: str, words: str) -> None:
    rig.dialog.present(PageId.ABOUT)
    rig.control(f"Read the licence of {work}").setFocus()
    rig.press(Qt.Key.Key_Space)
    text = rig.control(f"Licence of {work}")
    assert isinstance(text, QPlainTextEdit)
    assert words in text.toPlainText()
    assert rig.focused() == f"Hide the licence of {work}"
    rig.press(Qt.Key.Key_Space)
    assert not text.isVisible()


# Room


@pytest.mark.parametrize("zoom", [1.0, 1.5])
@pytest.mark.parametrize("page", PageId)
async def test_french_fits_at_800_by_600(rig: Rig, page: PageId, zoom: float) -> None:
    rig.window.set(Setting.LANGUAGE, "fr")
    rig.window.set(Setting.ZOOM, zoom)
    rig.dialog.resize(800, 600)
    rig.dialog.present(page)
    QApplication.processEvents()
    if page is PageId.AGENTS:
        rig.click("Nouvel agent")
    if page is PageId.SERVERS:
        long = "/home/ada/a-folder-with-a-long-name/" * 4
        await rig.servers.save(name="M" * 40, command=long, args=[long, "-y"], env={"TOKEN": "t"})
        failing = await rig.servers.save(name="missing", command="no-such-command", confirmed=True)
        assert isinstance(failing, Ok)
        await rig.servers.test(failing.data.server.id)
        rig.click("Nouveau serveur")
        rig.click("Ajouter une variable")
    for _ in range(20):  # fields turn their control below, pages grow, scroll bars come; servers are looked for
        await asyncio.sleep(0.02)
        QApplication.processEvents()
    assert rig.dialog.size().toTuple() == (800, 600)
    shown = next(each for each in rig.dialog.findChildren(Page) if each.isVisible())
    assert shown.horizontalScrollBar().maximum() == 0
    assert [text_of(each) for each in rig.dialog.findChildren(QWidget) if each.isVisible() and is_cut(each)] == []


def text_of(widget: QWidget) -> str:
    return widget.text() if isinstance(widget, QLabel | QPushButton) else str(widget)


def is_cut(widget: QWidget) -> bool:
    if isinstance(widget, Paragraph):
        return widget.height() < widget.heightForWidth(widget.width())
    if isinstance(widget, QLabel | QPushButton):
        text = widget.fontMetrics().size(Qt.TextFlag.TextSingleLine, widget.text())
        return widget.width() < text.width() or widget.height() < text.height()
    if isinstance(widget, PageList):
        return widget.sizeHintForColumn(0) > widget.viewport().width()
    return isinstance(widget, QAbstractSpinBox) and widget.width() < widget.minimumSizeHint().width()


async def test_a_page_is_created_when_it_is_shown_and_the_others_when_idle(rig: Rig, until: Until) -> None:
    rig.dialog.present(PageId.APPEARANCE)
    await until(lambda: len(rig.dialog.findChildren(Page)) == len(PageId))
    assert rig.dialog.page is PageId.APPEARANCE
    assert rig.focused() == "Light"
