"""Speaks English or French, and changes over while the window is open."""

import logging
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal

_log = logging.getLogger(__name__)

I18N = Path(__file__).parents[2] / "i18n"


class Language(StrEnum):
    """What a person can choose; `system` is the first of the system's languages that we speak, else English."""

    SYSTEM = "system"
    ENGLISH = "en"
    FRENCH = "fr"


def spoken_language(wanted: Language, system: list[str]) -> Language:
    """`system` are language tags by preference: `fr-CA`, `en`."""
    if wanted is not Language.SYSTEM:
        return wanted
    spoken = {language.value: language for language in (Language.ENGLISH, Language.FRENCH)}
    tags = [tag.replace("_", "-").split("-")[0].lower() for tag in system]
    return next((spoken[tag] for tag in tags if tag in spoken), Language.ENGLISH)


class Translation(QObject):
    """Translates what goes through `tr()`, Qt's own words too, and sets the locale of `QLocale()`.

    On a change every widget gets a LanguageChange event (see `Adaptive`); `changed` is for who is no widget.
    """

    changed = Signal()

    def __init__(self, app: QCoreApplication, wanted: Language = Language.SYSTEM) -> None:
        super().__init__(app)
        self._app = app
        self._translators: list[QTranslator] = []
        self._language = spoken_language(wanted, QLocale.system().uiLanguages())
        self._speak()

    @property
    def language(self) -> Language:
        """The one that is spoken: English or French."""
        return self._language

    def set_language(self, wanted: Language) -> None:
        language = spoken_language(wanted, QLocale.system().uiLanguages())
        if language is not self._language:
            self._language = language
            self._speak()
            self.changed.emit()

    def retire(self) -> None:
        """Leaves the words as the code has them."""
        for translator in self._translators:
            self._app.removeTranslator(translator)
            translator.deleteLater()
        self._translators.clear()

    def _speak(self) -> None:
        QLocale.setDefault(_locale_for(self._language))
        self.retire()
        qt_words = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        self._install(f"qtbase_{self._language}", qt_words)
        self._install(f"metier_{self._language}", str(I18N))

    def _install(self, name: str, folder: str) -> None:
        translator = QTranslator(self)
        if translator.load(name, folder):
            self._app.installTranslator(translator)
            self._translators.append(translator)
        else:  # words in English are no reason not to start
            _log.warning("found no words in %s/%s.qm", folder, name)


def _locale_for(language: Language) -> QLocale:
    """The system's own, with what a person has set there, where it is of that language."""
    system = QLocale.system()
    tag = QLocale(language.value)
    return system if system.language() == tag.language() else tag
