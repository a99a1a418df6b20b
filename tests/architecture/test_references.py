"""References in docstrings and comments, such as `(ENGINE §10)`, lead to sections of the shipped documents."""

import ast
import io
import re
import tokenize

from tests.support.project import ROOT, modules

DOCUMENTS = {path.stem: path.read_text("utf-8") for path in (ROOT / "resources" / "docs").glob("*.md")}
SECTIONS = {name: set(re.findall(r"^## (\d+)\.", text, re.MULTILINE)) for name, text in DOCUMENTS.items()}
# a document, then its sections: `ENGINE §2, §6 and §8`, `ENGINE §4–6`, `AGENTS_AND_TOOLS §4 to §6`
SECTION = r"§(\d+)(?:(?:–| to §)(\d+))?"
REFERENCE = re.compile(rf"\b([A-Z][A-Z_]+)(?:\.md)?((?:,?\s+(?:and\s+)?{SECTION})+)")


def texts() -> list[tuple[str, str]]:
    """The docstrings and comments of the product, each with its file."""
    found = []
    for path in modules("core", "desktop"):
        name, source = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
        expressions = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
        constants = (node.value for node in expressions if isinstance(node, ast.Constant))
        found += [(name, value) for value in constants if isinstance(value, str)]
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        found += [(name, token.string) for token in tokens if token.type == tokenize.COMMENT]
    return found


def broken(text: str) -> list[str]:
    """The references of a text that lead nowhere, and section signs of no document; other standards have their own."""
    wrong = []
    for match in REFERENCE.finditer(text):
        name = match[1]
        for first, last in re.findall(SECTION, match[2]):
            numbers = range(int(first), int(last or first) + 1)
            wrong += [f"{name} §{number}" for number in numbers if str(number) not in SECTIONS.get(name, ())]
    return wrong + re.findall(r"§\d*", re.sub(r"\b(?:RFC |UAX #)\d+ §", "", REFERENCE.sub("", text)))


def test_every_reference_leads_to_a_section_of_a_shipped_document() -> None:
    found = texts()
    assert sum(bool(REFERENCE.search(text)) for _, text in found) > 100
    assert [(name, wrong) for name, text in found for wrong in broken(text)] == []


def test_references_within_the_documents_lead_to_sections_too() -> None:
    for name, text in DOCUMENTS.items():
        own = {f"§{number}" for number in SECTIONS[name]}
        assert [wrong for wrong in broken(text) if wrong not in own] == [], name


def test_the_documents_link_only_to_files_of_the_project() -> None:
    folder = ROOT / "resources" / "docs"
    links = {target for text in DOCUMENTS.values() for target in re.findall(r"\]\((?!https?:)([^)#]+)", text)}
    assert [target for target in sorted(links) if not (folder / target).exists()] == []


def test_the_map_of_the_folders_names_each_of_them() -> None:
    tree = DOCUMENTS["ARCHITECTURE"].partition("## 2.")[0]
    folders = {path.parent for path in modules("core", "desktop") if path.name != "__init__.py"}
    assert [str(folder) for folder in sorted(folders) if f"{folder.name}/" not in tree] == []


def test_a_reference_to_a_missing_section_or_document_is_found() -> None:
    assert broken("as ENGINE §2, §6 and §8 have it") == []
    assert broken("(ENGINE §4–6, AGENTS_AND_TOOLS §4 to §6)") == []
    assert broken("(ENGINE §99)") == ["ENGINE §99"]
    assert broken("(NOTES §1)") == ["NOTES §1"]
    assert broken("see §3") == ["§3"]
