"""Schemas from elsewhere: which are usable, what violates them, and that none of them stalls anything."""

import asyncio
from typing import Any

import pytest

from core.ports import Violation
from core.sandbox.pool import WorkerPool
from core.sandbox.schemas import JsonSchemas
from tests.sandbox.test_hostile_code import nothing_stalls


@pytest.fixture
def schemas(pool: WorkerPool) -> JsonSchemas:
    return JsonSchemas(pool, limit_s=0.2)


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        True,
        False,
        {},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}, "$ref": "#/definitions/a"},
        {"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 1, "exclusiveMinimum": True},
        {"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        nested(10),
        {"x-of-ours": {"anything": 1}},
    ],
)
def test_a_schema_has_no_problem(schemas: JsonSchemas, schema: Any) -> None:
    assert schemas.problem(schema) is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (5, "must be an object"),
        (None, "must be an object"),
        ({"type": "text"}, "/type"),
        ({"properties": {"a": 5}}, "/properties/a"),
        ({"minimum": "3"}, "expected a number"),
        ({"pattern": "("}, "/pattern"),
        ({"$schema": "https://example.org/own"}, "dialect"),
        ({"$schema": 5}, "dialect"),
        ({"$ref": "https://example.org/elsewhere"}, "never fetched"),
        ({"$ref": "#/$defs/missing"}, "#/$defs/missing"),
        ({"$ref": "http://[broken"}, "http://[broken"),
        ({"default": float("nan")}, "not JSON"),
        ({"default": {1, 2}}, "not JSON"),
        ({"description": "x" * 100_000}, "100,000 characters"),
        (nested(11), "10 deep"),
        (nested(300), "nested too deeply"),
        (nested(20_000), "nested too deeply"),
    ],
)
def test_a_schema_has_a_problem(schemas: JsonSchemas, schema: Any, words: str) -> None:
    problem = schemas.problem(schema)
    assert problem is not None
    assert words in problem


@pytest.mark.parametrize(
    ("schema", "value", "path", "message"),
    [
        ({"type": "number"}, "x", "", 'expected a number, got "x"'),
        ({"type": "integer"}, True, "", "expected a whole number, got true"),
        ({"type": ["string", "null"]}, {}, "", "expected text or null, got an empty object"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, [1], "", "expected text or null, got a list of 1 item"),
        ({"enum": ["a", "b", 3]}, "c", "", 'expected one of "a", "b" or 3, got "c"'),
        ({"const": None}, 0, "", "expected null, got 0"),
        ({"required": ["a", "b", "c"]}, {"b": 1}, "", 'the properties "a" and "c" are missing'),
        ({"additionalProperties": False}, {"x": 1}, "", 'the property "x" is not expected'),
        ({"properties": {"a/b~": {"minimum": 3}}}, {"a/b~": 2}, "/a~1b~0", "expected a number of at least 3, got 2"),
        ({"items": {"maxLength": 2}}, ["ab", "abc"], "/1", 'expected text of at most 2 characters, got "abc"'),
        ({"minItems": 2}, [], "", "expected a list of at least 2 items, got an empty list"),
        ({"multipleOf": 5}, 7, "", "expected a multiple of 5, got 7"),
        (False, 1, "", "nothing is allowed here"),
        ({"not": {"type": "string"}}, "a", "", '"a" is just what must not stand here'),
        ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 5, "", "fits several forms, and must fit exactly one"),
        (
            {"anyOf": [{"required": ["a"], "type": "object"}, {"const": 4}]},
            {"b": 1},
            "",
            'fits none of 2 forms; in the nearest: the property "a" is missing',
        ),
        ({"type": "null"}, "x" * 500, "", f'expected null, got "{"x" * 59}…"'),
        ({"pattern": "^a"}, "b", "", 'expected text that matches "^a", got "b"'),
        ({"uniqueItems": True}, [1, 1], "", "expected a list without repetitions, got a list of 2 items"),
        ({"type": "text"}, 1, "", None),
        ({"$ref": "https://example.org/x"}, 1, "", None),
        (5, 1, "", None),
    ],
)
async def test_a_violation_has_a_place_and_an_expectation(
    schemas: JsonSchemas, schema: Any, value: Any, path: str, message: str | None
) -> None:
    [violation] = await schemas.violations(schema, value)
    assert violation.path == path
    if message is None:
        assert violation.message.startswith("the schema cannot be used: ")
    else:
        assert violation.message == message


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (True, {"any": "thing"}),
        ({"type": "integer"}, 1.0),
        ({"type": "string", "format": "email"}, "no address"),
        (
            {"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}}}}},
            {"next": {"next": {}}},
        ),
        ({"pattern": "^\\w+$"}, "word"),
    ],
)
async def test_a_value_fits(schemas: JsonSchemas, schema: Any, value: Any) -> None:
    assert await schemas.violations(schema, value) == []


async def test_violations_come_in_the_order_of_the_value(schemas: JsonSchemas) -> None:
    number = {"type": "number"}
    schema = {"properties": {"a": number, "b": {"items": number}, "c": number}, "required": ["z"]}
    found = await schemas.violations(schema, {"c": "", "b": ["", 1, ""], "a": ""})
    assert [violation.path for violation in found] == ["", "/c", "/b/0", "/b/2", "/a"]


async def test_at_most_twenty_violations_are_reported(schemas: JsonSchemas) -> None:
    found = await schemas.violations({"items": {"type": "null"}}, list(range(3000)))
    assert [violation.path for violation in found] == [f"/{index}" for index in range(20)]


async def test_a_schema_that_is_changed_later_is_another_schema(schemas: JsonSchemas) -> None:
    schema = {"type": "null"}
    assert await schemas.violations(schema, 1) != []
    schema["type"] = "integer"
    assert await schemas.violations(schema, 1) == []


async def test_what_is_small_and_harmless_needs_no_worker(pool: WorkerPool, schemas: JsonSchemas) -> None:
    await schemas.violations({"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"a": 1})
    assert pool.pids == []


# 2³⁰ ways through thirty definitions.
EXPLOSION = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(30)} | {"d30": True}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^(a+)+$"}, "a" * 40 + "b"),
        ({"patternProperties": {"^(a+)+$": True}}, {"a" * 40 + "b": 1}),
        ({"propertyNames": {"pattern": "^(a+)+$"}}, {"a" * 40 + "b": 1}),
        ({"uniqueItems": True}, [{"n": number} for number in range(5000)]),
        ({"$ref": "#/$defs/d0", "$defs": EXPLOSION}, 1),
    ],
    ids=["pattern", "patternProperties", "propertyNames", "uniqueItems", "references"],
)
async def test_a_check_without_an_end_is_one_violation_and_stalls_nothing(
    schemas: JsonSchemas, schema: Any, value: Any
) -> None:
    async with nothing_stalls():
        [violation] = await schemas.violations(schema, value)
    assert violation.path == ""
    assert "did not end" in violation.message


async def test_many_keywords_times_many_items_stall_nothing(schemas: JsonSchemas) -> None:
    schema = {"items": {"allOf": [{"type": "integer"}] * 150}}
    assert schemas.problem(schema) is None
    async with nothing_stalls():
        [violation] = await schemas.violations(schema, [1] * 10_000)
    assert "did not end" in violation.message


async def test_a_value_of_ten_megabytes_stalls_nothing_and_is_checked_to_its_end(pool: WorkerPool) -> None:
    rows: list[dict[str, Any]] = [{"id": number, "text": "x" * 1000} for number in range(10_000)]
    rows[-1]["id"] = "last"
    schema = {"type": "array", "items": {"properties": {"id": {"type": "integer"}}}}
    async with nothing_stalls():
        found = await JsonSchemas(pool).violations(schema, rows)
    assert found == [Violation("/9999/id", 'expected a whole number, got "last"')]


async def test_a_value_of_a_million_parts_stalls_nothing(pool: WorkerPool) -> None:
    async with nothing_stalls():
        [violation] = await JsonSchemas(pool).violations({"maxItems": 5}, [1] * 1_000_000)
    assert violation.message == "expected a list of at most 5 items, got a list of 1000000 items"


async def test_a_value_over_64_kilobytes_is_checked_in_a_worker(pool: WorkerPool, schemas: JsonSchemas) -> None:
    assert await schemas.violations({"type": "string"}, "x" * 70_000) == []
    assert len(pool.pids) == 1


async def test_a_schema_that_refers_to_itself_for_ever_is_a_violation(schemas: JsonSchemas) -> None:
    [violation] = await schemas.violations({"$ref": "#"}, 1)
    assert "nested too deeply" in violation.message


@pytest.mark.parametrize("depth", [300, 20_000])
async def test_a_value_nested_too_deeply_is_a_violation(schemas: JsonSchemas, depth: int) -> None:
    value: Any = []
    for _ in range(depth):
        value = [value]
    [violation] = await schemas.violations({"type": "array", "items": {"$ref": "#"}}, value)
    assert "nested too deeply" in violation.message


async def test_a_cancelled_check_is_cancelled(schemas: JsonSchemas) -> None:
    task = asyncio.create_task(schemas.violations({"pattern": "^(a+)+$"}, "a" * 40 + "b"))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert task.cancelled()


@pytest.mark.parametrize(
    "dialect",
    [
        "https://json-schema.org/draft-07/schema",
        "https://json-schema.org/draft-07/schema#",
        "http://json-schema.org/schema#",
        "http://json-schema.org/draft/2020-12/schema",
    ],
)
async def test_a_dialect_is_known_in_each_spelling(schemas: JsonSchemas, dialect: str) -> None:
    (violation,) = await schemas.violations({"$schema": dialect, "type": "integer"}, "x")
    assert violation.message == 'expected a whole number, got "x"'


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        (r"^[\p{L}\p{N}_ .()-]+$", "Žlutý (2)", "a/b"),
        (r"^(?<year>\d{4})-", "2031-x", "x"),
        (r"(?<=a)b", "ab", "cb"),
        (r"^[\p{L}--[a-z]]+$", "Ž", "a"),
        (r"^https\:\/\/", "https://x", "ftp://x"),
        (r"\A(?P<name>a)\Z", "a", "ab"),
        (r"^[\w-.]+$", "a-b.", "a b"),
    ],
)
async def test_a_pattern_is_read_as_ecmascript_else_as_python(
    schemas: JsonSchemas, pattern: str, fits: str, does_not: str
) -> None:
    by_name = {"patternProperties": {pattern: {"type": "integer"}}, "additionalProperties": False}
    assert await schemas.violations({"pattern": pattern}, fits) == []
    assert len(await schemas.violations({"pattern": pattern}, does_not)) == 1
    assert await schemas.violations(by_name, {fits: 1}) == []
    assert len(await schemas.violations(by_name, {does_not: 1})) == 1
