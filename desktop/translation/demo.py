"""What a person reads of the demo, in the language of now."""

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
