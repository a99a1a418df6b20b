"""Masking of secrets in stored and displayed values: arguments, results and errors (AGENTS_AND_TOOLS §3).

MASK replaces values under known names (`password`, `api_key`, `Authorization`, `Cookie`, …) and texts that look like
tokens. A value that contains MASK cannot be used again without the original secret.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

MASK = "[secret-not-kept]"

_ALONE = frozenset(
    {
        *("password", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "token", "authorization"),
        *("cookie", "cookies", "credential", "credentials", "bearer", "apikey", "authtoken", "accesstoken"),
    }
)
_KINDS_OF_KEYS = frozenset({"api", "access", "private", "secret", "auth", "signing", "encryption", "account"})
_NO_SECRET = frozenset({"page", "next", "previous", "continuation", "sync", "cursor", "stop", "max", "num"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

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

# A name and a secret: `"name": "secret"`, `?name=secret`, `NAME=secret`. Masking runs over every result, up to
# megabytes, so each search starts from a rare delimiter or word, and a name is examined only if it has one of these
# endings.
_DELIMITER = re.compile(r"""(\\?["'])\s{0,3}[:=]\s{0,3}\1|=""")
_ENDINGS = (
    *("password", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "token", "bearer", "key", "sig"),
    *("credential", "credentials", "authorization", "cookie", "cookies", "signature", "auth", "apikey"),
)
_NAME_BACKWARDS = re.compile(r"[\w.-]{1,64}")
# Up to the closing quote; without one, in a text that was cut, up to the next blank.
_QUOTED = {
    '"': re.compile(r'(?:[^"\\]|\\.)++(?=")|[^\s"]+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\]|\\.)++(?=')|[^\s']+", re.DOTALL),
    '\\"': re.compile(r'(?:[^"\\]|\\[^"])++(?=\\")|[^\s"]+'),
    "\\'": re.compile(r"(?:[^'\\]|\\[^'])++(?=\\')|[^\s']+"),
}
_IN_QUERY = re.compile(r"[^&\s\"'<>#]+")
_IN_ENVIRONMENT = re.compile(r"(?=\S{0,256}\d)[^\s\"'()\[\]{}]{8,}")

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
    ("://", re.compile(r"(://[^\s/@:\"']{0,256}:)[^\s/@\"']{1,256}(?=@)")),
)


def masked(value: Any) -> Any:
    """Mask the secrets of a JSON value. Return the same object if there are none."""
    if isinstance(value, str):
        return masked_text(value)
    if isinstance(value, Mapping):
        hides = secret_keys(value)
        return reuse_if_same(
            value, {key: mask_all(part) if hides(key) else masked(part) for key, part in value.items()}
        )
    if isinstance(value, list | tuple):
        if is_secret_pair(value):
            return reuse_if_same(value, [value[0], mask_all(value[1])])
        return reuse_if_same(value, [masked(part) for part in value])
    return value


def is_secret_pair(value: Sequence[Any]) -> bool:
    """Return whether the sequence is a header as a pair: `["Cookie", "…"]`."""
    return len(value) == 2 and isinstance(value[0], str) and is_secret_name(value[0])


def masked_text(text: str) -> str:
    """Mask the secrets of a text: a message, a header, JSON or a file."""
    return _without_secrets(text, _mask)


def secret_spans(text: str) -> list[tuple[int, int]]:
    """Return the places of the secrets of a text, in order: what `masked_text` masks."""
    filler = next(chr(point) for point in range(0xFDD0, 0x10000) if chr(point) not in text)
    hidden = _without_secrets(text, lambda secret: filler * len(secret))
    return [match.span() for match in re.finditer(f"{filler}+", hidden)] if hidden is not text else []


def without_private_keys(text: str) -> str:
    """Mask PEM private keys, which span several lines."""
    return _PRIVATE_KEY.sub(MASK, text)


def _mask(secret: str) -> str:
    return MASK


def _without_secrets(text: str, hide: Callable[[str], str]) -> str:
    """Replace each secret of the text by what `hide` returns for it."""
    if "PRIVATE KEY-----" in text:
        text = _PRIVATE_KEY.sub(lambda match: hide(match[0]), text)
    lowered = _lower(text)
    for word, pattern in _AFTER:
        if word in lowered:
            text = _without_after(text, word, pattern, hide)
    if any(ending in lowered for ending in _ENDINGS):
        text = _without_assigned(text, hide)
    if any(prefix in text for prefix in _PREFIXES):
        text = _TOKENS.sub(lambda match: hide(match[0]), text)
    return text


def contains_mask(value: Any) -> bool:
    """Return whether a secret was masked in the value."""
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            if MASK in part:
                return True
        elif isinstance(part, Mapping):
            todo.extend(part.values())
        elif isinstance(part, list | tuple):
            todo.extend(part)
    return False


def restore_secrets(edited: Any, shown: Any, raw: Any) -> Any:
    """Restore the secrets of `raw` in the user's edit of the masked value `shown`, wherever MASK is unchanged."""
    # The editor shows the masked value, and the edit must not destroy the secrets that the user could not see. A mask
    # counts as unchanged only in its original place; elsewhere it stays a mask, and the call is refused.
    if isinstance(edited, Mapping) and isinstance(shown, Mapping) and isinstance(raw, Mapping):
        return {
            key: restore_secrets(part, shown[key], raw[key]) if key in shown and key in raw else part
            for key, part in edited.items()
        }
    if isinstance(edited, list) and isinstance(shown, list) and isinstance(raw, list):
        return [
            restore_secrets(part, shown[at], raw[at]) if at < min(len(shown), len(raw)) else part
            for at, part in enumerate(edited)
        ]
    return raw if edited == shown and contains_mask(shown) else edited


@functools.lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether a value of this name is a secret."""
    # By words, so that `apiKey`, `API_KEY` and `x-api-key` match, but `monkey` and `keyboard` do not. The last word
    # decides, but the word before it may exclude a secret: `next_page_token` is a cursor.
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _ALONE:
        return before not in _NO_SECRET
    return (last == "key" and before in _KINDS_OF_KEYS) or "".join(words) in _ALONE


def secret_keys(value: Mapping[Any, Any]) -> Callable[[Any], bool]:
    """Return a predicate for the keys with secret values: by name, or `value` in `{"name": "Cookie", "value": …}`."""
    names = [value.get(name) for name in ("name", "key", "header")] if "value" in value else []
    is_secret_entry = any(isinstance(name, str) and is_secret_name(name) for name in names)
    return lambda key: (is_secret_entry and key == "value") or (isinstance(key, str) and is_secret_name(key))


def mask_all(value: Any) -> Any:
    """Mask every text and number in the value. `true`, null and "" reveal nothing and stay."""
    if isinstance(value, str):
        return MASK if value else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return MASK
    if isinstance(value, Mapping):
        return reuse_if_same(value, {key: mask_all(part) for key, part in value.items()})
    if isinstance(value, list | tuple):
        return reuse_if_same(value, [mask_all(part) for part in value])
    return value


def reuse_if_same(value: Any, copy: Any) -> Any:
    """Return `value` itself if every part of `copy` is identical to its part, else `copy`."""
    pairs = zip(copy.values(), value.values(), strict=True) if isinstance(copy, dict) else zip(copy, value, strict=True)
    return value if all(new is old for new, old in pairs) else copy


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
    lowered = _lower(text)
    pieces: list[str] = []
    end = 0
    for delimiter in _DELIMITER.finditer(text):
        start = delimiter.start()
        if start < end or not lowered.endswith(_ENDINGS, max(end, start - 16), start):
            continue
        secret = _secret_at(text, start, delimiter)
        if secret is not None:
            pieces += [text[end : delimiter.end()], hide(secret[0])]
            end = secret.end()
    return "".join([*pieces, text[end:]]) if pieces else text


def _secret_at(text: str, start: int, delimiter: re.Match[str]) -> re.Match[str] | None:
    """Find the secret behind the delimiter, if the name before it is that of a secret."""
    backwards = _NAME_BACKWARDS.match(text[max(0, start - 64) : start][::-1])
    name = backwards[0][::-1] if backwards is not None else ""
    before = text[start - len(name) - 1 : start - len(name)]
    if delimiter[1] is not None:
        return _QUOTED[delimiter[1]].match(text, delimiter.end()) if is_secret_name(name) else None
    if before and before in "?&;" and (is_secret_name(name) or name.lower() in ("sig", "signature", "auth", "key")):
        return _IN_QUERY.match(text, delimiter.end())
    is_variable = name.isupper() and is_secret_name(name)
    return _IN_ENVIRONMENT.match(text, delimiter.end()) if is_variable else None
