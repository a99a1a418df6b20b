"""Where the secrets of a text are: its known forms, of names with values and of values that look like a secret.

A secret ends where its form says so, and hides nothing behind it.
"""

import functools
import re
from collections.abc import Callable

from core.domain.text.secret_names import hides_numbers, is_secret_name

# A PEM private key, from BEGIN to END and nothing else: its lines hold base64 and the two headers of RFC 1421. Without
# an END it reaches as far as its lines are as long as those of a key, or to the end of the text. Anything else in
# between is no part of a key; a script behind a BEGIN of its own would otherwise be hidden from the user. In JSON the
# line ends are escapes.
_LINE_END = r"(?:[ \t]*(?:\r?\n|\\{1,4}[nr]))++[ \t]*+"
_PEM_HEADER = r"(?:Proc-Type|DEK-Info): [\w,.-]{1,200}"
_PEM_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----"
_BASE64 = "[A-Za-z0-9+/=]"
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?:"
    rf"(?:{_LINE_END}(?:{_PEM_HEADER}|{_BASE64}++))*+(?:{_LINE_END})?{_PEM_END}"
    rf"|(?:(?:{_LINE_END}|[ ]*+)(?:{_PEM_HEADER}|{_BASE64}{{40,}}+))*+"
    rf"(?:(?:{_LINE_END}|[ ]++){_BASE64}{{1,39}}+(?=(?:{_LINE_END}|[ ]*+)(?:{_PEM_END}|\Z)))?"
    rf"(?:(?:{_LINE_END}|[ ]*+){_PEM_END})?)"
)
_PREFIXES = (
    *(
        "sk-",
        "sk_",
        "pk_",
        "rk_",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
        "glpat-",
        "xox",
        "AKIA",
        "ASIA",
    ),
    *("AIza", "hf_", "npm_", "pypi-", "ya29.", "gsk_", "dop_v1_", "SG.", "eyJ"),
)
_TOKENS = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-(?=[\w-]{0,60}\d)[\w-]{16,}|[spr]k_(?:live|test)_\w{10,}|gh[pousr]_\w{20,}|github_pat_\w{20,}"
    r"|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{30,}|hf_\w{20,}|npm_\w{30,}"
    r"|pypi-[\w-]{30,}|ya29\.[\w-]{20,}|gsk_\w{20,}|dop_v1_\w{30,}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)

# A name and a secret: `"name": "secret"` at any depth of escapes, `?name=secret`, `NAME=secret`, `name = secret`,
# `name: secret`, `<name>secret</name>`. Masking runs over every result, up to megabytes, so a single pattern finds the
# ends of possible names with what divides them from a value, in lower case; only then the name is looked at.
_ASSIGNED = re.compile(
    r"(?:pass(?:words?|wd|phrases?|codes?)?|pwd|secrets?|tokens?|jwts?|pats?|dsn|bearer|auth(?:orization)?|cookies?"
    r"|credentials?|keys?|sig(?:nature)?|connstr|string)(?:[_-]?(?:value|text|plain|raw|confirm(?:ation)?|repeat))?"
    r"[_-]?\d{0,3}"
    r"""(\\{0,15}["']\s{0,3}(?:=>|[:=])\s{0,3}|[ \t]{0,3}:?=>?[ \t]{0,3}|:[ \t]{0,3}|>)"""
)
_NAME_BACKWARDS = re.compile(r"[\w.-]{1,64}")
_QUOTE = re.compile(r"""\\{0,15}["'`]""")
_IN_QUERY = re.compile(r"[^&\s\"'<>#]+")
_IN_TAG = re.compile(r"[^<]+(?=</)")
# Up to a blank, a quote or the separator of a connection string; a comma only before another name. A sentence's or a
# call's own signs at its end are no part of it.
_PLAIN = re.compile(r"(?:(?!,\s?[\w.-]+=)[^\s\"'`;<>])+(?<![.,)\]}:])")
# What stands there is no secret: a reference (`${TOKEN}`, `$TOKEN`, `%s`, `{token}`), an expression (`f(x)`, `a["b"]`).
_NO_VALUE = re.compile(
    r"\$[{(]|\$[A-Z_][A-Z0-9_]*(?![\w-])|%[(s]|[\[({]|[*\u2022.]+(?![\w])|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*[\[(]|//"
)
_NO_SECRET_WORDS = frozenset(
    {
        *("none", "null", "true", "false", "undefined", "nil", "yes", "no", "on", "off", "required", "optional", "any"),
        *(
            "str",
            "string",
            "bool",
            "boolean",
            "int",
            "integer",
            "number",
            "float",
            "bytes",
            "object",
            "unknown",
            "text",
        ),
        *("secretstr", "self", "this", "missing", "invalid", "wrong", "expired", "incorrect", "empty", "hidden"),
    }
)
_MIXED = re.compile(r"(?=\D*\d)(?=\d*[A-Za-z])[^_]{8}|(?=[\w-]*\d)[\w-]{16}")
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z_$.]*")
_ODD = re.compile(r"[\d!@#$%^&*+/=~?|-]")

# A flag and its secret in one text: `--token X`, `-password 'X Y'`; and `curl -u name:X`.
FLAG = re.compile(r"(-(?<![\w-]-)-?[A-Za-z][\w-]{0,40})[ \t]+")
_PLACEHOLDER = re.compile(
    r"-|[A-Z_]{3,}(?![\w-])|[a-z]{1,3}(?![\w-])|<|(?:option|flag|argument|with|from|must|should|when)\b"
)
_USER = re.compile(r"(?<![\w-])(?:-u|--user|--proxy-user)[ =\t]+[\"']?[^\s:\"'/]+:(?!\d+(?![^\s\"']))([^\s\"']+)")
_SQL = re.compile(r"(?:\bidentified by|\bpassword)\s+'([^']+)'", re.IGNORECASE)

# Secrets after a keyword, which is searched in lower case; the group is the part that stays. Each pattern demands a
# digit, a length or a scheme, since masking prose such as "the bearer of bad news" would destroy results.
_AFTER = (
    (
        "authorization",
        re.compile(
            r"(authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?)"
            r"(?:(?:bearer|basic|token|digest|apikey|negotiate)\s+[^\s\"',;]+|(?=\S{0,256}\d)[\w.~+/=-]{16,})",
            re.IGNORECASE,
        ),
    ),
    (
        "cookie",
        re.compile(
            r"(cookie[\"']?\s{0,3}:\s{0,3}[\"']?)[\w.-]+=[^\s;\"']*(?:;[ \t]?[\w.-]+=[^\s;\"']*)*", re.IGNORECASE
        ),
    ),
    ("bearer ", re.compile(r"((?<!\w)bearer\s{1,3})(?=\S{0,256}\d)[\w.~+/=-]{12,}", re.IGNORECASE)),
    ("basic ", re.compile(r"((?<!\w)basic\s{1,3})(?=\S{0,256}[\d=])[\w+/=-]{12,}", re.IGNORECASE)),
    # The user info of an address, up to its last `@`; without a password a long name with digits is a token.
    ("://", re.compile(r"(://[^\s/@:\"']{0,256}:)[^\s/\"']{1,256}(?=@)")),
    ("://", re.compile(r"(://)(?=[^\s/@:\"']{0,256}\d)[^\s/@:\"']{16,256}(?=@)")),
    # A slash stands unescaped in the passwords of databases; the paths of the web have an `@` of their own.
    ("://", re.compile(r"((?<!http)(?<!https)(?<!file)://[^\s/@:\"']{0,256}:)(?!\d+/)[^\s@\"']{1,256}(?=@)")),
)


def hide_secrets(text: str, hide: Callable[[str], str]) -> str:
    """Replace each secret of the text by what `hide` returns for it: of a message, a header, a command line, JSON or a
    file.
    """
    if "PRIVATE KEY-----" in text:
        text = hide_private_keys(text, hide)
    lowered = _lower(text)
    for word, pattern in _AFTER:
        if word in lowered:
            text = _without_after(text, word, pattern, hide)
    text = _without_assigned(text, hide)
    if "password" in lowered or "identified by" in lowered:
        text = _without_group(text, _SQL, hide)
    if " -" in text or text.startswith("-"):
        text = _without_flags(text, hide)
    if any(prefix in text for prefix in _PREFIXES):
        text = _TOKENS.sub(lambda match: hide(match[0]), text)
    return text


def hide_private_keys(text: str, hide: Callable[[str], str]) -> str:
    """Replace PEM private keys alone, which span several lines."""
    return _PRIVATE_KEY.sub(lambda match: hide(match[0]), text)


def _lower(text: str) -> str:
    """Lower the case without changing the length."""
    return text.replace("\u0130", "i").lower()


def _without_after(text: str, word: str, pattern: re.Pattern[str], hide: Callable[[str], str]) -> str:
    lowered = _lower(text)
    pieces: list[str] = []
    end, at = 0, lowered.find(word)
    while at >= 0:
        match = pattern.match(text, at)
        if match is not None:
            pieces += [text[end : match.end(1)], hide(text[match.end(1) : match.end()])]
            end = match.end()
        at = lowered.find(word, max(at + 1, end))
    return "".join([*pieces, text[end:]]) if pieces else text


def _without_assigned(text: str, hide: Callable[[str], str]) -> str:
    pieces: list[str] = []
    end = 0
    for found in _ASSIGNED.finditer(_lower(text)):
        secret = _assigned_secret(text, *found.span(1)) if found.start() >= end else None
        if secret is not None:
            first, last = secret
            pieces += [text[end:first], hide(text[first:last])]
            end = last
    return "".join([*pieces, text[end:]]) if pieces else text


def _assigned_secret(text: str, start: int, at: int) -> tuple[int, int] | None:
    """Return the place of the secret at `at`, if the name that ends at `start` is that of a secret."""
    sign = text[start:at]
    backwards = _NAME_BACKWARDS.match(text[max(0, start - 64) : start][::-1])
    name = (backwards[0][::-1] if backwards is not None else "").removeprefix("-D")
    before = text[max(0, start - len(name) - 1) : start - len(name)]
    if before and before in "?&;" and name.lower() in ("sig", "signature", "auth", "key"):
        return _span(_IN_QUERY.match(text, at))
    if not is_secret_name(name) or (sign.strip() == "=" and text[start - 1 : start] in ("!", "<", ">", ":")):
        return None
    if sign == ">":
        return _span(_IN_TAG.match(text, at)) if before in ("<", ":") else None
    if (quote := _QUOTE.match(text, at)) is not None:
        return _span(_up_to(quote[0]).match(text, quote.end()))
    if before and before in "?&":
        return _span(_IN_QUERY.match(text, at))
    return _plain_secret(text, start, at, name, sign)


def _plain_secret(text: str, start: int, at: int, name: str, sign: str) -> tuple[int, int] | None:
    """Return the place of an unquoted secret. Code and prose have such names too: `f(password=password)`, `token: str`,
    "Password: required".
    """
    found = None if _NO_VALUE.match(text, at) else _PLAIN.match(text, at)
    value = found[0] if found is not None else ""
    if not value or value.lower() in _NO_SECRET_WORDS or text[at : at + 1] == "=":
        return None
    if not hides_numbers(name) and not _MIXED.match(value):
        return None
    is_odd, is_plain = _ODD.search(value) is not None, _IDENTIFIER.fullmatch(value) is not None
    line, behind = text.rfind("\n", 0, start) + 1, text[at + len(value) : at + len(value) + 2]
    if sign[0] in "\"'\\":  # JSON: a number, or the name of a variable in a program
        return _span(found) if not is_plain else None
    if sign.strip() == ":":
        if name.lower().endswith(("cookie", "cookies")):
            return None
        is_last = behind[:1] in ("", "\n", "\r", '"', "'", "\\")
        return (
            _span(found) if len(value) >= 4 and (is_odd or (is_last and "authorization" not in name.lower())) else None
        )
    if is_plain and (sign[0] in " \t" or sign[-1] in " \t" or "(" in text[line:start] or behind == ",\n"):
        return None
    return _span(found)


def _span(found: re.Match[str] | None) -> tuple[int, int] | None:
    return found.span() if found is not None else None


@functools.lru_cache(maxsize=64)
def _up_to(quote: str) -> re.Pattern[str]:
    """Return the pattern of a value up to this closing quote; without it, in a text that was cut, to the next blank.
    In JSON within JSON a quote has backslashes before it, and only as many close the value.
    """
    sign, depth = quote[-1], len(quote) - 1
    if not depth:
        return re.compile(rf"(?:[^{sign}\\\n]|\\.)++(?={sign})|[^\s{sign}]+")
    end = rf"\\{{{depth}}}{sign}"
    return re.compile(rf"(?:[^{sign}\\\n]++|(?!{end})\\++{sign}?)++(?={end})|[^\s{sign}\\]+")


def _without_flags(text: str, hide: Callable[[str], str]) -> str:
    """Hide `--token X` and `-u name:X`."""
    pieces: list[str] = []
    end = 0
    for flag in FLAG.finditer(text):
        if flag.start() < end or not is_secret_name(flag[1]):
            continue
        at = flag.end()
        if (quote := _QUOTE.match(text, at)) is not None:
            found = _up_to(quote[0]).match(text, quote.end())
        else:
            found = None if _PLACEHOLDER.match(text, at) or _NO_VALUE.match(text, at) else _PLAIN.match(text, at)
        if found is not None and (hides_numbers(flag[1]) or not found[0].isdigit()):
            pieces += [text[end : found.start()], hide(found[0])]
            end = found.end()
    text = "".join([*pieces, text[end:]]) if pieces else text
    return _without_group(text, _USER, hide) if ":" in text else text


def _without_group(text: str, pattern: re.Pattern[str], hide: Callable[[str], str]) -> str:
    """Hide the group of each match."""
    pieces: list[str] = []
    end = 0
    for match in pattern.finditer(text):
        pieces += [text[end : match.start(1)], hide(match[1])]
        end = match.end(1)
    return "".join([*pieces, text[end:]]) if pieces else text
