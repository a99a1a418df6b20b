"""Every form in which a secret stands in a text, each with a canary; and what only looks like one."""

import json
from typing import Any

import pytest

from core.domain.text.masking import MASK, contains_mask, masked, masked_text, secret_spans

C, P = "k9f8e7d6c5b4a3", "Gr4nite&7"
FORMS: list[tuple[str, str]] = [
    (f"host=db.example user=app password={P} dbname=shop", P),
    ("FATAL: password=Gr4nite7 refused for user app", "Gr4nite7"),
    (f'password="{P}"', P),
    (f"password='{P} x'", P + " x"),
    (f"conn(password='{P}')", P),
    (f"password: {P}", P),
    (f"password: {P}\nuser: x", P),
    ("password: hunter\n", "hunter"),
    ('password: "hun ter"', "hun ter"),
    (f"X-Api-Key: {C}", C),
    (f"Ocp-Apim-Subscription-Key: {C}", C),
    (f"authorization: token {C}", C),
    (f"Authorization: Bearer {C}", C),
    ("mysql --password Gr4nite7", "Gr4nite7"),
    (f"tool --token {C} --x", C),
    (f"tool --token={C}", C),
    (f'tool --api-key "{C} z"', C + " z"),
    (f"curl -u ann:{C} https://x", C),
    (f"curl --user 'ann:{C}' x", C),
    (f"postgres://app:{P}@db/x", P),
    ("postgres://app:p@ss@db/x", "p@ss"),
    ("redis://:pa/ss@h:1/0", "pa/ss"),
    (f"https://{C * 2}@sentry.io/1", C * 2),
    (f"Server=db;User Id=app;Password={P};Encrypt=true", P),
    (f"Server=db;Pwd={C};", C),
    (f"AccountName=a;AccountKey={C}==;EndpointSuffix=core", C + "=="),
    (f"Endpoint=sb://x/;SharedAccessKeyName=n;SharedAccessKey={C}=", C + "="),
    (f"GITHUB_PAT={C} x", C),
    (f"DB_PASS={C}", C),
    (f"PGPASSWORD={C} psql", C),
    (f"SENTRY_DSN={C}", C),
    (f"export OPENAI_KEY={C}", C),
    (f"aws_secret_access_key = {C}", C),
    (f"password = {P}\n", P),
    ('password = "hunter"', "hunter"),
    (f"<password>{P}</password>", P),
    (f"<ns:ApiKey>{C}</ns:ApiKey>", C),
    (f"CREATE USER a IDENTIFIED BY '{P}'", P),
    (f"ALTER ROLE a PASSWORD '{P}'", P),
    (json.dumps({"password": P}), P),
    (json.dumps(json.dumps({"password": C})), C),
    (json.dumps(json.dumps(json.dumps({"password": C}))), C),
    (json.dumps({"a": json.dumps({"jwt": C})}), C),
    ('{"password": 12345678}', "12345678"),
    (f"redis:6379,password={C},ssl=True", C),
    (f"https://x/?api_key={C}&b=1", C),
    (f"https://x/?token={C}#a", C),
    (f"env: {{'SMTP_PASS': '{C}'}}", C),
    (f"//packages.example/:_authToken={C}", C),
    (f"password=>'{C}'", C),
    (f'token := "{C}"', C),
    (f"-Dtoken={C}", C),
    (f"--header=X-Api-Key:{C}", C),
    (f"-H 'X-Api-Key:{C}'", C),
    (f"DB_PASSWORD_1={C}", C),
    (f"PASSWORD2={C}", C),
]
ORDINARY = [
    "def f(password: str, token: str | None = None, *, key: bytes) -> None:",
    "login(password=password, token=tok)",
    "    password=password,\n    token=token,\n",
    "x = obj.password",
    "self.token = token",
    "token: process.env.TOKEN,",
    "const { token } = props;",
    "if password == other:",
    "input_tokens=8_192, tokens=int(count)",
    "use --password to set the password",
    "--password PASSWORD  the password",
    "--token-file /etc/x",
    "tests: pass=12 fail=3",
    "tokens: 4096",
    "key: value, sort_key: name, primary_key=id",
    "password=$PASSWORD TOKEN=${TOKEN} --token $TOKEN password={password} password=%s password=****",
    "Password: required",
    "<token> <password/>",
    "docker run -u 1000:1000 image",
    "see https://example.org:8080/@scope/x@1.2 and http://ann@host/x@y",
    "Pattern: abc12345, Path=/usr/bin, compass=north1",
]


@pytest.mark.parametrize(("text", "canary"), FORMS, ids=[text[:40] for text, _ in FORMS])
def test_the_secret_of_each_form_is_hidden_alone_and_once(text: str, canary: str) -> None:
    shown = masked_text(text)
    assert canary not in shown
    assert contains_mask(shown)
    assert masked_text(shown) == shown
    spans = secret_spans(text)
    assert any(canary in text[start:end] for start, end in spans)
    for start, end in reversed(spans):
        text = text[:start] + MASK + text[end:]
    assert text == shown


@pytest.mark.parametrize(("text", "canary"), FORMS, ids=[text[:40] for text, _ in FORMS])
@pytest.mark.parametrize("around", ["{}", "an error: {} (code 5)", "first line\n{}\nlast line", "[{}]", "\u0130 {}"])
def test_a_form_is_known_within_other_text(text: str, canary: str, around: str) -> None:
    assert canary not in masked_text(around.format(text))


@pytest.mark.parametrize("text", ORDINARY)
def test_code_and_prose_about_secrets_stay(text: str) -> None:
    assert masked_text(text) == text


@pytest.mark.parametrize(
    "value",
    [
        {"jwt": C, "tokens": [C], "passwords": {"a": C}, "apiKeys": [C], "Ocp-Apim-Subscription-Key": C},
        ["run", "--token", C, "x"],
        {"args": ["-password", C], "text": json.dumps({"tokens": [C], "n": 1})},
        {"text": '{"\\u0070assword": "' + C + '"}'},
        {"text": json.dumps({"a": json.dumps({"list": [{"name": "X-Api-Key", "value": C}]})})},
        {"text": json.dumps({"env": {"DB_PASS": 99887766}}).replace("99887766", C)},
        [["X-Auth-Token", C]],
    ],
)
def test_values_are_known_by_the_names_around_them(value: Any) -> None:
    shown = masked(value)
    assert C not in json.dumps(shown)
    assert contains_mask(shown)
    assert masked(shown) == shown


@pytest.mark.parametrize(
    "value",
    [
        {"tokens": 5, "usage": {"total_tokens": 9}, "pass": 3},
        {"issueKey": "A-1", "sort_key": "x", "key": "a", "keys": ["b"]},
        ["--verbose", "x", "--token-file", "y", "--token"],
        {"text": '{"a": 1,  "b": [2]}'},
    ],
)
def test_counts_and_names_of_things_stay(value: Any) -> None:
    assert masked(value) is value
