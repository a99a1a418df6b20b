"""How a failing code step is told: message, place, console."""

import pytest

from tests.sandbox.conftest import Here


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("throw new TypeError('bad')", "TypeError: bad"),
        ("throw null", "threw null"),
        ("throw undefined", "threw undefined"),
        ("throw 'a text'", "threw a text"),
        ("throw { reason: 1 }", 'threw {"reason":1}'),
        ("throw { message: 'like an error' }", "like an error"),
        ("throw Symbol('s')", "threw Symbol(s)"),
        ("return Promise.reject(new Error('late'))", "Error: late"),
        ("return nope", "ReferenceError: nope is not defined"),
        ("throw new Proxy({}, { get() { throw 1 } })", "threw something that cannot be described"),
        ("throw new Error('half \\ud800 a character')", "Error: half \ufffd a character"),
    ],
)
def test_whatever_is_thrown_gives_an_error_with_its_message(here: Here, statement: str, message: str) -> None:
    fault = here.fault(f"export default () => {{ {statement} }}")
    assert (fault["code"], fault["message"]) == ("code_error", message)


def test_an_error_while_the_module_loads_is_an_error_of_the_code(here: Here) -> None:
    fault = here.fault("let x = 1;\nthrow new Error('early')")
    assert (fault["code"], fault["line"]) == ("code_error", 2)


def test_an_error_of_a_getter_in_the_output_is_an_error_of_the_code(here: Here) -> None:
    fault = here.fault("export default () => ({\n  get a() { throw new Error('inside') } })")
    assert (fault["message"], fault["line"]) == ("Error: inside", 2)


def test_a_promise_that_cannot_settle_is_told_at_once(here: Here) -> None:
    fault = here.fault("export default () => new Promise(() => {})")
    assert fault["code"] == "code_error"
    assert "can never settle" in fault["message"]


def test_endless_recursion_is_an_error_of_the_code(here: Here) -> None:
    fault = here.fault("export default function again(n) { return 1 + again(n) }")
    assert (fault["code"], fault["line"]) == ("code_error", 1)
    assert "too deeply" in fault["message"]


def test_line_and_column_are_those_of_the_typescript(here: Here) -> None:
    source = """interface Row { name: string; tags: Array<string> }
const first = (row: Row): string => row.tags[0] as string;
export default (rows: Row[], more: { deep?: boolean } = {}) => { return rows.map((row: Row) => first(row) + nope); }
"""
    fault = here.fault(source, [{"name": "x", "tags": []}])
    assert fault["line"] == 3
    assert source.splitlines()[2][fault["column"] - 1 :].startswith("nope")


def test_columns_count_as_editors_do_after_wide_characters(here: Here) -> None:
    source = "export default (input: any) => { const s = 'é😀'; return input.a.b }"
    assert here.fault(source, {})["column"] == source.index("input.a") + 1 + 1  # 😀 is two units, columns are from 1


def test_the_place_is_where_it_was_thrown_not_where_it_was_called(here: Here) -> None:
    source = (
        "function fail(why: string): never {\n  throw new Error(why);\n}\nexport default async () => {\n  fail('x') }"
    )
    assert here.fault(source)["line"] == 2


def test_the_place_inside_eval_is_where_eval_is_called(here: Here) -> None:
    assert here.fault("export default () => {\n\n  return eval('\\n\\n\\n nope') }")["line"] == 3


@pytest.mark.parametrize("stack", ["at your code:0:0", "at your code:99999999999:1", "at your code:1:0"])
def test_a_forged_stack_does_no_harm(here: Here, stack: str) -> None:
    fault = here.fault(f"export default () => {{ const e = new Error('x'); e.stack = {stack!r}; throw e }}")
    assert fault["message"] == "Error: x"


def test_the_console_comes_back_with_its_levels(here: Here) -> None:
    source = """export default (input) => {
        console.log('text', 1, true, null, undefined, 2n, input);
        console.warn([1, { a: () => 1 }]); console.error(new TypeError('bad')); console.info(new Map([[1, 2]]));
        console.debug(Symbol('s')); console.table('a table') }"""
    assert here.answer(source, {"a": 1})["console"] == [
        ("log", 'text 1 true null undefined 2n {"a":1}'),
        ("warn", '[1,{"a":"[function]"}]'),
        ("error", "TypeError: bad"),
        ("info", "Map [[1,2]]"),
        ("debug", "Symbol(s)"),
        ("log", "a table"),
    ]


def test_the_console_comes_back_from_code_that_fails(here: Here) -> None:
    answer = here.answer("export default () => { console.log('before'); throw 1 }")
    assert answer["console"] == [("log", "before")]


def test_the_console_is_cut_to_200_lines_of_500_characters(here: Here) -> None:
    answer = here.answer("export default () => { for (let i = 0; i < 300; i++) console.log('x'.repeat(600)) }")
    assert answer["console"] == [("log", "x" * 500)] * 200


def test_the_console_can_be_given_anything(here: Here) -> None:
    source = """export default () => { const cycle = {}; cycle.self = cycle;
        console.log(cycle, '\\ud800'); console.log({ get a() { throw 1 } }); console.log() }"""
    assert here.answer(source)["console"] == [("log", "[object] \ufffd"), ("log", "[object]"), ("log", "")]
