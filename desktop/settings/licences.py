"""Other people's work that ships with the app, and the terms that it comes under."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Licence:
    """`purpose` is in the language of now. `path` holds the whole text."""

    work: str
    purpose: str
    terms: str
    path: Path


def licences() -> list[Licence]:
    fonts, icons, sandbox = _ROOT / "resources" / "fonts", _ROOT / "resources" / "icons", _ROOT / "core" / "sandbox"
    return [
        Licence("Metier", translate("Licences", "This app"), "Apache 2.0", _ROOT / "LICENSE"),
        Licence("Inter", translate("Licences", "Font of texts"), "SIL OFL 1.1", fonts / "Inter-LICENSE.txt"),
        Licence(
            "JetBrains Mono", translate("Licences", "Font of code"), "SIL OFL 1.1", fonts / "JetBrainsMono-LICENSE.txt"
        ),
        Licence("Lucide", translate("Licences", "Icons"), "ISC", icons / "lucide" / "LICENSE"),
        Licence(
            "Sucrase", translate("Licences", "TypeScript in code steps"), "MIT", sandbox / "vendor" / "sucrase.LICENSE"
        ),
    ]
