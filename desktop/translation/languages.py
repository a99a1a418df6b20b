"""English or French, switched while the window is open."""

import logging
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QObject, QTranslator, Signal

_log = logging.getLogger(__name__)

I18N = Path(__file__).parents[2] / "i18n"


class Language(StrEnum):
    """The user's choice; `system` is the first supported language of the system's list, else English."""

    SYSTEM = "system"
    ENGLISH = "en"
    FRENCH = "fr"


def spoken_language(choice: Language, system: list[str]) -> Language:
    """Return the language to use. `system` holds language tags by preference: `fr-CA`, `en`."""
    if choice is not Language.SYSTEM:
        return choice
    spoken = {language.value: language for language in (Language.ENGLISH, Language.FRENCH)}
    tags = [tag.replace("_", "-").split("-")[0].lower() for tag in system]
    return next((spoken[tag] for tag in tags if tag in spoken), Language.ENGLISH)


class Translation(QObject):
    """Translates strings passed to `tr()`, Qt's own included, and sets the default QLocale.

    On a change each widget receives a LanguageChange event (see `Adaptive`); `changed` is for objects that are no
    widgets.
    """

    changed = Signal()

    def __init__(self, app: QCoreApplication, choice: Language = Language.SYSTEM) -> None:
        super().__init__(app)
        self._app = app
        self._translators: list[QTranslator] = []
        self._language = spoken_language(choice, QLocale.system().uiLanguages())
        self._speak()

    @property
    def language(self) -> Language:
        """The language in use: English or French."""
        return self._language

    def set_language(self, choice: Language) -> None:
        language = spoken_language(choice, QLocale.system().uiLanguages())
        if language is not self._language:
            self._language = language
            self._speak()
            self.changed.emit()

    def retire(self) -> None:
        """Remove the translators; strings appear as in the source."""
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
    """Return the system's locale, with the user's regional settings, if it is of that language."""
    system = QLocale.system()
    tag = QLocale(language.value)
    return system if system.language() == tag.language() else tag
