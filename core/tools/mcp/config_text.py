"""The text of a configuration: what copying and saving did to it, and the format that it is in (AGENTS_AND_TOOLS §7).

What a text holds is judged as it was given. Only where that cannot be read is it read once more without what a page or
a word processor added, if that has a single meaning: curly quotes, blanks that only look like blanks, fences, missing
braces at the ends, single backslashes in a path of Windows.
"""

import codecs
import html
import json
import re
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from core.domain.text.json_text import parse

MAX_LEVELS = 100
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?(?:\*/|\Z)|#[^\n]*', re.DOTALL)
_STRING_OR_LAST_COMMA = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_STRING_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_NOT_A_BREAK = re.compile(r"[^\n]")
_LEADING_COMMENTS = re.compile(r"\A(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_PART = re.compile(r"""["'“”„‟][^"'“”„‟\n]*["'“”„‟]\s*[:\uff1a]""")
_TOML = re.compile(
    r"^[ \t]*(?:\[\[?[\w.\-\"' ]+\]\]?|[\w.\-\"']+[ \t]*=[ \t]*[\"'\[{\dtf“].*)[ \t]*(?:#.*)?$", re.MULTILINE
)
_WINDOWS_PATH = re.compile(r'"[A-Za-z]:\\(?![\\/"])[^"\n]*"')
_BLANKS = re.compile(r"[\u00a0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\u00ad]")
_WIDE = str.maketrans(dict(zip("\uff1a\uff0c\uff5b\uff5d\uff3b\uff3d\uff02", ':,{}[]"', strict=True)))
"""Punctuation of full width, as CJK keyboards write it."""

_CURLY = "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2018\u2019\u201a\u201b"
_CURLY_END = re.compile(r"\s*(?:[,:\uff1a\uff0c}\]\n]|\Z)")
_FENCE = re.compile(
    r"^(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})[^\S\n]*(?P<language>[\w+.#-]*)[^\n{\[]*\n?(?P<body>.*?)"
    r"(?:^[ \t>]*(?P=fence)[`~]*|(?P=fence)|\Z)",
    re.MULTILINE | re.DOTALL,
)
_STRING_OR_WORD = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\b(?:None|True|False)\b")
_PYTHON_WORDS = {"None": "null", "True": "true", "False": "false"}
_ELLIPSIS = re.compile(r"(?:\.\.\.|\u2026)\s*,?")
_NUMBERED = re.compile(r"^[ \t]*\d+(?:[ \t]*[|:.])?(?:[ \t]|$)", re.MULTILINE)
_LABELS = frozenset(
    {"json", "jsonc", "json5", "toml", "yaml", "yml", "bash", "sh", "shell", "text", "copy", "copy code"}
)


class Format(StrEnum):
    """A format of configurations, as messages name it."""

    JSON = "JSON"
    YAML = "YAML"
    TOML = "TOML"
    COMMAND = "command line"
    LINK = "address"


class ConfigSyntaxError(ValueError):
    """A text that cannot be read in the format that it looks like. `line` and `column` begin at 1, None if unknown."""

    def __init__(self, text_format: Format, message: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.format = text_format
        self.line = line
        self.column = column


def decode_text(data: bytes) -> str:
    """Return the text of a file: UTF-8, or UTF-16 and UTF-32 with or without their mark. Raises UnicodeDecodeError."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding)
    # Without a mark: text of configurations is mostly ASCII, whose other byte is 0 in UTF-16.
    start = data[:200]
    if len(start) > 1 and start[1::2].count(0) > len(start) // 4 and 0 not in start[::2]:
        return data.decode("utf-16-le")
    if len(start) > 1 and start[::2].count(0) > len(start) // 4 and 0 not in start[1::2]:
        return data.decode("utf-16-be")
    return data.decode("utf-8")


def read_blocks(text: str) -> list[tuple[str, str]]:
    """Return the blocks of a page between fences, each with its language; lines before a block are kept empty, so that
    places stay the same. Without fences, the text itself.
    """
    blocks = []
    for match in _FENCE.finditer(text):
        body = match["body"]
        if match["indent"].strip(" \t"):  # quoted by `>`
            body = re.sub(r"^[ \t]*>+[ ]?", "", body, flags=re.MULTILINE)
        if body.strip():
            blocks.append(("\n" * text.count("\n", 0, match.start("body")) + body, match["language"].lower()))
    return blocks or [(_without_labels(text), "")]


def without_margin(text: str) -> str:
    """Blank what a page or a terminal puts before each line: the sign of a quotation, or a number."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(line.lstrip().startswith(">") for line in lines):
        return re.sub(r"^[ \t]*>", " ", text, flags=re.MULTILINE)
    if len(lines) > 1 and all(_NUMBERED.match(line) for line in lines):
        return _NUMBERED.sub(lambda number: " " * len(number[0]), text)
    return text


def _without_labels(text: str) -> str:
    """Blank the lines that a page shows around a block: its language, and the button that copies it."""
    lines = text.split("\n")
    for order in (range(len(lines)), range(len(lines) - 1, -1, -1)):
        for at in order:
            word = lines[at].strip().strip("`").lower()
            if word and word not in _LABELS:
                break
            lines[at] = ""
    text = "\n".join(lines)
    return text.strip("`") if text.startswith("`") and text.rstrip().endswith("`") else text


def looks_like_toml(text: str) -> bool:
    return _TOML.search(text) is not None


def read_data(text: str) -> Any:
    """Parse JSON, also a part without its braces, TOML or YAML. Raises ConfigSyntaxError, which names the format."""
    # Only to recognise the format: comments may stand before the value.
    start = _LEADING_COMMENTS.sub("", text)
    is_table = re.match(r"\[\[?[\w.\-\"']+\]\]?[ \t]*(?:#[^\n]*)?(?:\n|\Z)", start) is not None
    if start[:1] in ("{", "\uff5b") or (start[:1] == "[" and not is_table):
        return read_json(text)
    if _PART.match(start):
        return read_json(text, is_part=True)
    if looks_like_toml(text):
        return read_toml(text)
    return read_yaml(text)


def read_json(text: str, *, is_part: bool = False) -> Any:
    """Parse JSON, JSON5, and JSON as it is after copying. Raises ConfigSyntaxError."""
    text = html.unescape(text) if "&quot;" in text and '"' not in text else text
    paths = _WINDOWS_PATH.sub(lambda path: re.sub(r"\\(?!\\)", r"\\\\", path[0]), text)
    mended = mend_copy(paths)
    around: Callable[[str], str] = (lambda part: f"{{{part}}}") if is_part else (lambda part: part)
    for reader, candidate in (
        (read_relaxed_json, around(paths)),
        (read_relaxed_json, around(mended)),
        (_read_json5, around(mended)),
        (_read_json5, _STRING_OR_WORD.sub(lambda word: _PYTHON_WORDS.get(word[0], word[0]), around(mended))),
        (read_relaxed_json, _balanced(around(mended))),
    ):
        try:
            return reader(candidate)
        except DuplicateKey as error:
            raise ConfigSyntaxError(Format.JSON, str(error)) from None
        except ValueError:
            continue
    try:
        return read_relaxed_json(around(mend_copy(text)))
    except json.JSONDecodeError as error:
        column = error.colno - 1 if is_part and error.lineno == 1 else error.colno
        raise ConfigSyntaxError(Format.JSON, error.msg, error.lineno, max(column, 1)) from None
    except ValueError as error:
        raise ConfigSyntaxError(Format.JSON, str(error)) from None


class DuplicateKey(ValueError):
    """An object has a duplicate key: which value counts is unknown."""


def read_relaxed_json(text: str) -> Any:
    """Parse JSON with comments and trailing commas. Raises json.JSONDecodeError with the place in the original text,
    and ValueError.
    """
    # Strings match first, so that what looks like a comment or a comma inside a string is left alone.
    plain = _STRING_OR_COMMENT.sub(lambda part: part[0] if part[0].startswith('"') else _blank(part[0]), text)
    plain = _STRING_OR_LAST_COMMA.sub(lambda part: part[0] if part[0].startswith('"') else " ", plain)
    parse(plain)  # rejects NaN, numbers that are too large, and too many levels, which json.loads accepts
    return json.loads(plain, object_pairs_hook=_unique_keys)


def _blank(comment: str) -> str:
    """Return as many blanks, so that places stay the same."""
    return _NOT_A_BREAK.sub(" ", comment)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise DuplicateKey(f"{duplicate!r} is there twice")
    return fields


def _read_json5(text: str) -> Any:
    """Parse JSON5: names without quotes, single quotes. Raises ValueError."""
    import pyjson5

    try:
        return pyjson5.decode(text, MAX_LEVELS)
    except pyjson5.Json5Exception as error:
        raise ValueError(str(error)) from None


def mend_copy(text: str) -> str:
    """Return JSON with straight quotes and plain blanks outside of its texts, of the same length if no text in curly
    quotes has straight quotes in it. The texts themselves stay as they are.
    """
    parts: list[str] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if sign == '"':
            end = _STRING_OR_COMMENT.match(text, at)
            stop = end.end() if end is not None else len(text)
            parts.append(text[at:stop])
        elif sign in _CURLY:
            stop = _curly_end(text, at + 1)
            content = re.sub(r'(?<!\\)"', r"\\\"", text[at + 1 : stop - 1])
            parts.append(f'"{content}"')
        elif (left_out := _ELLIPSIS.match(text, at)) is not None:
            stop = left_out.end()
            parts.append(_blank(text[at:stop]))
        elif sign in "/#" and (comment := _STRING_OR_COMMENT.match(text, at)) is not None:
            stop = comment.end()
            parts.append(_blank(text[at:stop]))
        else:
            stop = at + 1
            parts.append(_BLANKS.sub(" ", sign).translate(_WIDE))
        at = stop
    return "".join(parts)


def _curly_end(text: str, start: int) -> int:
    """Return the end of a text in curly quotes: behind the quote that something structural follows."""
    for at in range(start, len(text)):
        if text[at] in _CURLY + '"' and text[at - 1] != "\\" and _CURLY_END.match(text, at + 1):
            return at + 1
        if text[at] == "\n":
            return at + 1
    return len(text)


def _balanced(text: str) -> str:
    """Return JSON with the braces that are missing at its end, or without the braces that are too many there: a part
    that was not copied whole.
    """
    plain = _STRING_OR_COMMENT.sub(lambda part: part[0] if part[0].startswith('"') else _blank(part[0]), text)
    pairs = {"{": "}", "[": "]"}
    open_: list[str] = []
    for match in _STRING_OR_BRACE.finditer(plain):
        sign = match[0]
        if sign in pairs:
            open_.append(pairs[sign])
        elif sign in ("}", "]"):
            if not open_ and not plain[match.start() :].strip("}],; \t\r\n"):
                return plain[: match.start()]
            if not open_ or open_.pop() != sign:
                return text
    return plain.rstrip().rstrip(",") + "".join(reversed(open_))


def read_toml(text: str) -> Any:
    """Parse TOML. Raises ConfigSyntaxError."""
    import tomllib  # late: only a paste needs it

    straight = _BLANKS.sub(" ", re.sub(f"[{_CURLY}]", '"', text))
    try:
        try:
            return tomllib.loads(text.replace("\r\n", "\n"))
        except tomllib.TOMLDecodeError:
            return tomllib.loads(straight.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at ")
        numbers = re.fullmatch(r"line (\d+), column (\d+)\)", place)
        line, column = (int(numbers[1]), int(numbers[2])) if numbers else (text.count("\n") + 1, 1)
        raise ConfigSyntaxError(Format.TOML, message, line, column) from None
    except RecursionError:
        raise ConfigSyntaxError(Format.TOML, "it is nested too deeply") from None


def read_yaml(text: str) -> Any:
    """Parse YAML of plain values. Raises ConfigSyntaxError; also for aliases, which let a small text expand to
    gigabytes.
    """
    value, failure = None, None
    tabs = re.sub(r"^[ \t]+", lambda blank: blank[0].replace("\t", "  "), _BLANKS.sub(" ", text), flags=re.MULTILINE)
    for candidate in (text, re.sub(f"[{_CURLY}]", '"', tabs)):
        try:
            value = _load_yaml(candidate)
        except ConfigSyntaxError as error:
            failure = failure or error
            continue
        if isinstance(value, dict | list) or candidate is not text:
            return value
    if failure is not None and value is None:
        raise failure
    return value


def _load_yaml(text: str) -> Any:
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.MarkedYAMLError(problem="aliases are not supported", problem_mark=mark)
            return super().compose_node(parent, index)

    try:
        documents = [each for each in yaml.load_all(text, Loader) if each is not None]  # plain values alone
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark is not None else (None, None)
        raise ConfigSyntaxError(Format.YAML, error.problem or "it is not YAML", *place) from None
    except yaml.YAMLError as error:
        raise ConfigSyntaxError(Format.YAML, str(error)) from None
    except (RecursionError, ValueError):  # ValueError: a date that there is not
        raise ConfigSyntaxError(Format.YAML, "it is nested too deeply, or a value cannot be read") from None
    return documents[0] if documents else None
