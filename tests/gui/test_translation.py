"""French is complete, well set and up to date; language and numbers change over while the app runs."""

import json
import re
import shutil
import subprocess
import sys
from datetime import date, datetime
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.attention.form import SchemaForm
from desktop.theme import Theme
from desktop.translation import I18N, INPUTS, SHIPPED, Language, Translation, formats, spoken_language
from desktop.widgets import Adaptive, Paragraph
from desktop.window.commands.command_table import MENUS, menu_title
from tests.support.project import ROOT

NBSP = "\N{NO-BREAK SPACE}"
NARROW = "\N{NARROW NO-BREAK SPACE}"


def messages(language: str) -> list[tuple[str, list[str]]]:
    """Each source text with its translations, of which a plural has several; empty where one is missing."""
    found = []
    for message in ET.parse(I18N / f"metier_{language}.ts").iter("message"):
        translation = message.find("translation")
        assert translation is not None
        texts = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
        if translation.get("type") == "unfinished":
            texts = [""]
        found.append((message.findtext("source", ""), texts))
    return found


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_text_has_a_translation(language: str) -> None:
    assert [source for source, texts in messages(language) if not all(texts)] == []


def test_the_files_hold_every_text_of_the_desktop_and_are_compiled(tmp_path: Path) -> None:
    """Else `bash .dev/translate` brings them up to date."""
    if sys.platform == "win32":
        pytest.skip("the command is a bash script")
    for file in I18N.glob("*.ts"):
        shutil.copy(file, tmp_path)
    subprocess.run(["bash", ROOT / ".dev" / "translate", tmp_path], check=True)
    names = sorted(path.name for path in I18N.iterdir())
    assert names == ["metier_en.qm", "metier_en.ts", "metier_fr.qm", "metier_fr.ts"]
    assert [name for name in names if (I18N / name).read_bytes() != (tmp_path / name).read_bytes()] == []


def test_a_translation_fills_in_the_same_values() -> None:
    def values(text: str) -> set[str]:
        return set(re.findall(r"\{\w*\}|%n|%\d", text))

    wrong = [source for source, texts in messages("fr") for text in texts if values(text) - values(source)]
    missing = [source for source, texts in messages("fr") if values(source) - values(" ".join(texts))]
    assert (wrong, missing) == ([], [])


MISSET = {
    "a straight apostrophe": r"'",
    "a straight quotation mark": r'"',
    "no narrow no-break space before a high sign": rf"[^{NARROW}\W][;!?]|[^{NARROW}][;!?](?=\s|$)",
    "no no-break space before a colon": rf"[^{NARROW}{NBSP}]:(?=\s|$)",
    "no no-break space within quotation marks": rf"«[^{NARROW}{NBSP}]|[^{NARROW}{NBSP}]»",
    "three dots": r"\.\.\.",
}


@pytest.mark.parametrize("fault", MISSET)
def test_french_is_set_as_french(fault: str) -> None:
    texts = [text for _, texts in messages("fr") for text in texts]
    assert [text for text in texts if re.search(MISSET[fault], text)] == []


def test_what_the_shipped_templates_say_of_themselves_is_translated() -> None:
    templates = [json.loads(file.read_bytes()) for file in (ROOT / "resources" / "templates").glob("*.json")]
    assert {one["description"] for one in templates} == SHIPPED
    inputs = [given for one in templates for given in one["inputSchema"]["properties"].values()]
    assert {given[key] for given in inputs for key in ("title", "description")} == INPUTS


def test_the_inputs_of_a_shipped_template_follow_the_language(
    theme: Theme, translation: Translation, qtbot: QtBot
) -> None:
    """Those of others stay as they are."""
    own = {"type": "string", "title": "Folder", "description": "Where note.md goes."}
    other = {"type": "string", "title": "Drawer", "description": "Where it goes."}
    form = SchemaForm(theme, {"type": "object", "properties": {"own": own, "other": other}})
    qtbot.addWidget(form)

    def names() -> list[str]:
        return [field.editor.accessibleName() for field in form.fields]

    assert names() == ["Folder", "Drawer"]
    translation.set_language(Language.FRENCH)
    qtbot.waitUntil(lambda: names() == ["Dossier", "Drawer"])
    about = [label.text() for label in form.findChildren(Paragraph) if label.text()]
    assert about == ["Où va note.md.", "Where it goes."]


@pytest.mark.parametrize("language", [Language.ENGLISH, Language.FRENCH])
def test_each_menu_has_a_letter_of_its_own(translation: Translation, language: Language) -> None:
    translation.set_language(language)
    letters = [QKeySequence.mnemonic(menu_title(name)).toString() for name in MENUS]
    assert all(letters)
    assert len(set(letters)) == len(MENUS)


def test_plurals_follow_the_language(translation: Translation) -> None:
    def waiting(count: int) -> str:
        return QCoreApplication.translate("SidebarModel", "%n waiting for you", None, count)

    assert waiting(2) == "2 waiting for you"
    translation.set_language(Language.FRENCH)
    assert waiting(2) == "2 demandes en attente"


def test_the_words_of_qt_are_translated_too(translation: Translation) -> None:
    translation.set_language(Language.FRENCH)
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Annuler"


class Greeting(Adaptive, QLabel):
    def retranslate(self) -> None:
        self.setText(QCoreApplication.translate("Indicator", "Running"))


def test_a_change_of_language_reaches_every_widget(translation: Translation, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    greeting = Greeting()
    greeting.retranslate()
    QVBoxLayout(window).addWidget(greeting)
    with qtbot.waitSignal(translation.changed):
        translation.set_language(Language.FRENCH)
    qtbot.waitUntil(lambda: greeting.text() == "En cours")


@pytest.mark.parametrize(
    ("wanted", "system", "spoken"),
    [
        (Language.SYSTEM, ["fr-CA", "en"], Language.FRENCH),
        (Language.SYSTEM, ["de-DE", "fr_FR"], Language.FRENCH),
        (Language.SYSTEM, ["de-DE"], Language.ENGLISH),
        (Language.SYSTEM, [], Language.ENGLISH),
        (Language.FRENCH, ["en-GB"], Language.FRENCH),
    ],
    ids=["first", "second", "neither", "unknown", "chosen"],
)
def test_the_language_is_the_chosen_one_or_the_first_that_we_speak(
    wanted: Language, system: list[str], spoken: Language
) -> None:
    assert spoken_language(wanted, system) is spoken


DURATIONS = {
    0.24: ("240 ms", "240 ms"),
    12.9: ("12 s", "12 s"),
    59.99: ("59 s", "59 s"),
    187: ("3 min", "3 min"),
    3_900: ("1 h 05", "1 h 05"),
    183_600: ("2 d 3 h", "2 j 3 h"),
}


@pytest.mark.parametrize(("seconds", "texts"), DURATIONS.items(), ids=[str(seconds) for seconds in DURATIONS])
def test_a_duration_has_two_units_at_most_and_stays_on_one_line(
    translation: Translation, seconds: float, texts: tuple[str, str]
) -> None:
    english, french = (text.replace(" ", NBSP) for text in texts)
    assert formats.duration(seconds) == english
    translation.set_language(Language.FRENCH)
    assert formats.duration(seconds) == french


def test_a_clock_that_was_set_back_makes_no_time_less_than_nothing(translation: Translation) -> None:
    assert formats.duration(-3600) == f"0{NBSP}ms"
    assert formats.ago(-3600) == "now"


def test_what_is_less_than_a_minute_ago_is_now(translation: Translation) -> None:
    assert formats.ago(59) == "now"
    assert formats.ago(61) == f"1{NBSP}min"
    translation.set_language(Language.FRENCH)
    assert formats.ago(0) == "à l’instant"


@pytest.mark.parametrize(
    ("then", "english", "french"),
    [
        (date(2026, 11, 26), "Yesterday", "Hier"),
        (date(2026, 11, 23), "Monday", "Lundi"),
        (date(2026, 11, 20), "11/20/26", "20/11/2026"),
    ],
    ids=["yesterday", "this week", "before"],
)
def test_a_day_is_named_by_its_distance(translation: Translation, then: date, english: str, french: str) -> None:
    today = date(2026, 11, 27)
    QLocale.setDefault(QLocale("en_US"))
    assert formats.day(then, today) == english
    translation.set_language(Language.FRENCH)
    QLocale.setDefault(QLocale("fr_FR"))
    assert formats.day(then, today) == french


def test_numbers_are_written_in_the_language(translation: Translation) -> None:
    QLocale.setDefault(QLocale("en_US"))
    english = [formats.number(12_480), formats.compact(950), formats.compact(48_240), formats.compact(1_240_000)]
    assert english == ["12,480", "950", "48.2k", "1.2M"]
    assert formats.percent(0.756) == "76%"
    assert formats.time_of_day(datetime(2026, 11, 27, 14, 2)).replace(NARROW, " ") == "2:02 PM"  # noqa: DTZ001
    translation.set_language(Language.FRENCH)
    QLocale.setDefault(QLocale("fr_FR"))
    assert formats.number(12_480) == f"12{NARROW}480"
    assert [formats.compact(48_240), formats.percent(0.756)] == [f"48,2{NBSP}k", f"76{NARROW}%"]
    assert formats.time_of_day(datetime(2026, 11, 27, 14, 2)) == "14:02"  # noqa: DTZ001
