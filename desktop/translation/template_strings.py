"""Texts of the shipped templates and of the demo in the current language."""

from PySide6.QtCore import QCoreApplication

from core.services.demo import DemoTexts

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


def demo_texts() -> DemoTexts:
    return DemoTexts(
        long_answer=translate("Demo", "Long answer"),
        steps=translate("Demo", "Template of seven steps"),
        question=translate("Demo", "Question to you"),
        asked=translate("Demo", "What shall I go on with?"),
        options=(
            translate("Demo", "a summary"),
            translate("Demo", "a list"),
            translate("Demo", "nothing at all"),
        ),
    )


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # the name that lupdate collects texts by
    return text


SHIPPED = frozenset(
    {
        QT_TRANSLATE_NOOP(
            "Templates",
            "Asks three agents the same question side by side and puts their answers under each other. The offline "
            "agent answers to commands such as: say 40 words",
        ),
        QT_TRANSLATE_NOOP(
            "Templates", "Counts lines, words and TODOs of every text file in a folder and writes report.md there."
        ),
        QT_TRANSLATE_NOOP(
            "Templates", "Reads two text files at the same time and writes their lines into a third, each line once."
        ),
        QT_TRANSLATE_NOOP("Templates", "Writes a note into a folder once a person has looked at it."),
    }
)

INPUTS = frozenset(
    {
        QT_TRANSLATE_NOOP("Templates", "A text file."),
        QT_TRANSLATE_NOOP("Templates", "Another text file."),
        QT_TRANSLATE_NOOP("Templates", "File to write"),
        QT_TRANSLATE_NOOP("Templates", "First file"),
        QT_TRANSLATE_NOOP("Templates", "Folder"),
        QT_TRANSLATE_NOOP("Templates", "Question"),
        QT_TRANSLATE_NOOP("Templates", "Second file"),
        QT_TRANSLATE_NOOP("Templates", "Text"),
        QT_TRANSLATE_NOOP("Templates", "The file to write; it is replaced."),
        QT_TRANSLATE_NOOP("Templates", "The folder to report on; it must be allowed."),
        QT_TRANSLATE_NOOP("Templates", "What the note says."),
        QT_TRANSLATE_NOOP("Templates", "What to ask, for example: say 40 words"),
        QT_TRANSLATE_NOOP("Templates", "Where note.md goes; it must be allowed."),
    }
)
"""Titles and descriptions of what they need."""


def about_template(description: str) -> str:
    """Return the description on one line, translated if the template is shipped."""
    text = QCoreApplication.translate("Templates", description) if description in SHIPPED else description
    return " ".join(text.split())


def input_words(text: str) -> str:
    """Return the title or description of an input, translated if the template is shipped."""
    return QCoreApplication.translate("Templates", text) if text in INPUTS else text
