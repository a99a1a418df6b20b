"""What a code step may be, its input, and its output."""

import json

import pytest

from tests.sandbox.conftest import Here


@pytest.mark.parametrize(
    "source",
    [
        "export default function (input) { return input.a + 1 }",
        "export default (input) => input.a + 1",
        "export default async ({ a }) => { await null; return a + 1 }",
        "const next = ({ a }) => a + 1; export { next as default }",
        "export default ({ a }) => ({ then: (resolve) => resolve(a + 1) })",
        "const one = await Promise.resolve(1); export default ({ a }) => a + one",
    ],
)
def test_any_callable_default_export_is_called_with_the_input(here: Here, source: str) -> None:
    assert here.output(source, {"a": 1}) == 2


@pytest.mark.parametrize("source", ["export default 5", "export const f = () => 1", "let x = 1", ""])
def test_a_module_without_a_callable_default_export_fails(here: Here, source: str) -> None:
    assert here.fault(source)["code"] == "no_default_export"


@pytest.mark.parametrize("body", ["{}", "undefined", "null", "Promise.resolve()"])
def test_nothing_becomes_null(here: Here, body: str) -> None:
    assert here.output(f"export default () => {body.replace('{}', '{ }')}") is None


def test_an_undefined_property_is_absent_and_an_undefined_item_is_null(here: Here) -> None:
    assert here.output("export default () => ({ a: undefined, b: [undefined] })") == {"b": [None]}


def test_what_has_a_to_json_is_written_by_it(here: Here) -> None:
    assert here.output("export default () => [new Date(0), new (class { toJSON() { return 7 } })()]") == [
        "1970-01-01T00:00:00.000Z",
        7,
    ]


@pytest.mark.parametrize(
    ("expression", "path", "what"),
    [
        ("1n", "", "BigInt"),
        ("() => 1", "", "function"),
        ("Symbol('x')", "", "symbol"),
        ("NaN", "", "NaN"),
        ("-Infinity", "", "-Infinity"),
        ("({ a: [1, NaN] })", "/a/1", "NaN"),
        ("({ 'a/b~c': { f() {} } })", "/a~1b~0c/f", "function"),
        ("({ a: 1, b: { c: 2n } })", "/b/c", "BigInt"),
        ("({ a: new Map() })", "/a", "Map"),
        ("[new Set()]", "/0", "Set"),
        ("({ a: Promise.resolve(1) })", "/a", "await"),
        ("({ error: new TypeError('x') })", "/error", "Error"),
        ("[/x/]", "/0", "RegExp"),
        ("[new Uint8Array(2)]", "/0", "typed array"),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(here: Here, expression: str, path: str, what: str) -> None:
    fault = here.fault(f"export default () => {{ return {expression} }}")
    assert (fault["code"], fault["path"]) == ("not_json", path)
    assert what in fault["message"]


def test_a_cycle_is_refused_where_it_closes(here: Here) -> None:
    fault = here.fault("export default () => { const a = { b: [1] }; a.b.push({ c: a }); return a }")
    assert (fault["code"], fault["path"]) == ("not_json", "/b/1/c")


def test_the_same_object_twice_is_no_cycle(here: Here) -> None:
    assert here.output("export default () => { const a = {}; return [a, { b: a }, a] }") == [{}, {"b": {}}, {}]


def test_an_output_nested_too_deeply_for_its_readers_is_refused(here: Here) -> None:
    nested = "export default (n) => { let a = []; for (let i = 1; i < n; i++) a = [a]; return a }"
    assert here.fault(nested, 250)["code"] == "not_json"
    here.output(nested, 150)


@pytest.mark.parametrize("text", ["\ud800", "a\0b", "😀 é \u2028", '"\\', "\udfff\ud800"])
def test_odd_characters_survive_the_round_trip(here: Here, text: str) -> None:
    assert here.output("export default (input) => input", {text: [text]}) == {text: [text]}


def test_an_input_with_unescaped_halves_of_characters_is_read(here: Here) -> None:
    answer = here.answer("export default (input) => input", input=json.dumps("\ud800", ensure_ascii=False))
    assert json.loads(answer["output"]) == "\ud800"


def test_an_input_that_is_not_json_is_named_as_the_culprit(here: Here) -> None:
    assert "input is not JSON" in here.fault("export default (input) => input", float("nan"))["message"]


def test_a_proto_key_is_data(here: Here) -> None:
    value = json.loads('{"__proto__": {"a": 1}}')
    assert here.output("export default (input) => [input, input.a === undefined]", value) == [value, True]


def test_an_output_over_its_limit_is_refused(here: Here) -> None:
    many = "export default (n) => 'x'.repeat(n)"
    assert here.output(many, 98, output_bytes=100) == "x" * 98
    fault = here.fault(many, 99, output_bytes=100)
    assert (fault["code"], fault["limit_bytes"]) == ("output_too_large", 100)


def test_an_output_is_measured_in_bytes(here: Here) -> None:
    assert here.fault("export default () => 'é'.repeat(60)", output_bytes=100)["code"] == "output_too_large"


def test_nothing_stays_from_one_run_to_the_next(here: Here) -> None:
    source = "export default () => { const seen = globalThis.seen ?? 0; globalThis.seen = seen + 1; return seen }"
    assert [here.output(source), here.output(source)] == [0, 0]


def test_the_only_thing_of_the_host_is_the_console(here: Here) -> None:
    foreign = ["require", "process", "fetch", "Deno", "std", "os", "setTimeout", "WebAssembly", "Worker", "performance"]
    found = here.output("export default (names) => names.filter((name) => name in globalThis)", [*foreign, "console"])
    assert found == ["console"]


def test_the_names_that_hand_over_the_input_are_gone(here: Here) -> None:
    assert here.output("export default () => [typeof __task, typeof __print]") == ["undefined", "undefined"]


@pytest.mark.parametrize(
    "module", ["std", "os", "fs", "node:fs", "file:///etc/passwd", "./x.js", "https://example.org/x.js"]
)
def test_nothing_can_be_imported_on_the_way(here: Here, module: str) -> None:
    fault = here.fault(f"export default () => import({module!r})")
    assert fault["code"] == "code_error"
    assert "cannot import" in fault["message"]


def test_a_failure_is_reported_whole_though_prototypes_are_replaced(here: Here) -> None:
    pollution = "Object.prototype.toJSON = () => 'hacked'; String.prototype.slice = () => 'hacked'"
    assert here.fault(f"{pollution}; export default () => {{ throw new Error('mine') }}")["message"] == "Error: mine"
