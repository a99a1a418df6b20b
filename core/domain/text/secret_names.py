"""Names whose values are secrets: keys of JSON, variables, headers, flags, parameters of addresses."""

import functools
import re

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_SECRET_WORDS = frozenset(
    {
        *("password", "passwords", "passwd", "pwd", "pass", "passphrase", "passphrases", "passcode", "passcodes"),
        *("secret", "secrets", "token", "tokens", "jwt", "jwts", "pat", "pats", "dsn", "bearer", "authorization"),
        *("cookie", "cookies", "credential", "credentials", "apikey", "apikeys", "authtoken", "accesstoken"),
        *("connectionstring", "connstr"),
    }
)
# At the end of a single word: PGPASSWORD, mysecretkey.
_SECRET_ENDS = ("password", "passwd", "passphrase", "apikey", "secretkey", "accesskey", "privatekey", "authtoken")
# Their numbers are counts, of tokens or of passed tests: only texts under them are secrets.
_COUNTED = frozenset({"token", "tokens", "pass"})
# What may follow the word that decides: `token_value`, `PASSWORD_2`.
_TAIL = frozenset({"value", "text", "plain", "raw", "confirm", "confirmation", "repeat", "base"})

# The word before may exclude a secret: `next_page_token` is a cursor, `eos_token` a word of a vocabulary, `low_pass` a
# filter.
_NO_SECRET = frozenset(
    {
        *("page", "next", "previous", "continuation", "sync", "cursor", "stop", "max", "num", "resume", "skip"),
        *("eos", "bos", "pad", "unk", "sep", "cls", "mask", "special", "added", "start", "end"),
        *("low", "high", "band", "first", "second", "boarding", "single", "multi"),
    }
)
_KINDS_OF_KEYS = frozenset({"api", "access", "private", "secret", "auth", "signing", "encryption", "account"})
# `key` alone is a name like any other. With a word before it a secret, but for what names a thing, a place or a button.
_HARMLESS_KEYS = frozenset(
    {
        *("a", "alt", "answer", "any", "arrow", "attribute", "batch", "blob", "bucket", "by", "cache"),
        *("candidate", "child", "column", "composite", "config", "context", "ctrl", "data", "dedup"),
        *("dedupe", "deduplication", "dict", "doc", "document", "each", "end", "enter", "entity", "escape"),
        *("evaluated", "event", "feature", "field", "file", "filter", "first", "flag", "foreign", "function"),
        *("group", "has", "hash", "hot", "idempotency", "index", "is", "issue", "item", "join", "json"),
        *("keyboard", "label", "last", "locale", "lookup", "map", "menu", "message", "meta", "metric"),
        *("modifier", "musical", "name", "natural", "next", "no", "node", "object", "on", "option", "order"),
        *("page", "parent", "partition", "per", "press", "pressed", "previous", "primary", "product"),
        *("project", "property", "public", "range", "record", "registry", "resource", "return", "routing"),
        *("row", "same", "search", "setting", "shift", "shortcut", "sort", "space", "start", "state", "step"),
        *("surrogate", "tab", "table", "tag", "template", "the", "this", "translation", "unique", "with"),
    }
)


@functools.lru_cache(maxsize=4096)
def is_secret_name(name: str) -> bool:
    """Return whether a value of this name is a secret."""
    # By words, so that `apiKey`, `API_KEY` and `x-api-key` match, but `monkey` and `keyboard` do not. The last word
    # decides.
    words = _deciding_words(name)
    if not words:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _SECRET_WORDS or last.endswith(_SECRET_ENDS):
        return before not in _NO_SECRET
    if last == "key":
        return bool(before) and before not in _HARMLESS_KEYS
    if last == "keys":
        return before in _KINDS_OF_KEYS
    return (before in ("connection", "conn") and last in ("string", "str")) or "".join(words) in _SECRET_WORDS


def hides_numbers(name: str) -> bool:
    """Return whether a number under this secret name is a secret too, rather than a count."""
    words = _deciding_words(name)
    return not words or words[-1] not in _COUNTED


def name_words(name: str) -> list[str]:
    """Return the words of a name in lower case: of `apiKey`, `API_KEY` and `x-api-key` too."""
    return [word.lower() for word in _WORDS.findall(name)]


def _deciding_words(name: str) -> list[str]:
    words = name_words(name)
    while len(words) > 1 and (words[-1] in _TAIL or words[-1].isdigit()):
        words.pop()
    return words
