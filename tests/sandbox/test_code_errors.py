"""How a failing code step is reported: message, position, console."""

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


def test_a_promise_that_cannot_settle_is_reported_at_once(here: Here) -> None:
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


def test_the_console_is_cut_at_64_kb_and_says_so(here: Here) -> None:
    answer = here.answer("export default () => { for (let i = 0; i < 300; i++) console.log('é'.repeat(500)) }")
    lines = answer["console"]
    assert answer["cut"]
    assert {text for _, text in lines[:-1]} == {"é" * 500}
    assert lines[-1][1] == "é" * len(lines[-1][1])
    assert 65_500 < sum(len(text.encode()) + 16 for _, text in lines) <= 65_536


def test_one_line_may_fill_the_console(here: Here) -> None:
    answer = here.answer("export default () => { console.log('x'.repeat(65520)); console.log('more') }")
    assert (answer["console"], answer["cut"]) == ([("log", "x" * 65_520)], True)
    assert not here.answer("export default () => console.log('x'.repeat(65520))")["cut"]


def test_empty_lines_come_to_an_end_too(here: Here) -> None:
    answer = here.answer("export default () => { for (let i = 0; i < 1e5; i++) console.log() }")
    assert (len(answer["console"]), answer["cut"]) == (4096, True)


def test_secrets_are_masked_in_the_console(here: Here) -> None:
    (line,) = here.answer("export default () => console.log('Authorization: Bearer abcdef123456')")["console"]
    assert "abcdef123456" not in line[1]


def test_the_console_can_be_given_anything(here: Here) -> None:
    source = """export default () => { const cycle = {}; cycle.self = cycle;
        console.log(cycle, '\\ud800'); console.log({ get a() { throw 1 } }); console.log() }"""
    assert here.answer(source)["console"] == [("log", "[object] \ufffd"), ("log", "[object]"), ("log", "")]


STACKED = """interface Row { n: number }
function fail(row: Row): never {
  throw new RangeError(`row ${row.n}`);
}
const each = (rows: Row[]) =>
  rows.map((row: Row) => fail(row));
export default function main(input: Row[]) {
  return each(input);
}
"""


def test_the_stack_has_the_functions_of_the_user_alone(here: Here) -> None:
    fault = here.fault(STACKED, [{"n": 1}])
    assert [(frame.get("function"), frame["line"]) for frame in fault["stack"]] == [
        ("fail", 3),
        (None, 6),
        ("each", 6),
        ("main", 8),
    ]
    assert (fault["line"], fault["column"]) == (fault["stack"][0]["line"], fault["stack"][0]["column"])


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("[2, 1].sort((a, b) => {\n throw new Error('x') })", [2, 1]),
        ("'a'.replace(/a/, () => {\n throw new Error('x') })", [2, 1]),
        ("JSON.parse('[1]', () => {\n throw new Error('x') })", [2, 1]),
        ("[1].forEach(() => {\n null.x })", [2, 1]),
        ("await Promise.all([1].map(async () => {\n await null;\n throw new Error('x') }))", [3]),
        ("await new Promise((ok, no) =>\n no(new Error('x')))", [2, 1]),
        ("JSON.parse('{')", [1]),
        ("class A { get a() {\n throw new Error('x') } } new A().a", [2, 2]),
        ("eval('nope')", [1]),
    ],
)
def test_errors_in_callbacks_and_promises_have_their_lines(here: Here, statement: str, lines: list[int]) -> None:
    fault = here.fault(f"export default async function main() {{ {statement} }}")
    assert [frame["line"] for frame in fault["stack"]] == lines
    assert fault["line"] == lines[0]


def test_causes_are_reported_with_their_places(here: Here) -> None:
    source = """export default () => {
  try {
    try { JSON.parse('{') }
    catch (error) { throw new TypeError('inner', { cause: error }) }
  } catch (error) {
    throw new Error('outer', { cause: error });
  }
}"""
    fault = here.fault(source)
    inner = fault["cause"]
    assert (fault["message"], fault["line"]) == ("Error: outer", 6)
    assert (inner["message"], inner["line"]) == ("TypeError: inner", 4)
    assert (inner["cause"]["message"].split(":")[0], inner["cause"]["line"]) == ("SyntaxError", 3)


@pytest.mark.parametrize(
    ("thrown", "message"),
    [
        ("'a text'", "threw a text"),
        ("null", "threw null"),
        ("{ get message() { throw 1 } }", "threw something that cannot be described"),
    ],
)
def test_any_value_may_be_a_cause(here: Here, thrown: str, message: str) -> None:
    assert here.fault(f"export default () => {{ throw new Error('x', {{ cause: {thrown} }}) }}")["cause"] == {
        "message": message
    }


def test_endless_causes_are_cut(here: Here) -> None:
    fault = here.fault("export default () => { const e = new Error('x'); e.cause = e; throw e }")
    depth = 0
    while "cause" in fault:
        fault, depth = fault["cause"], depth + 1
    assert depth == 5


def test_a_deep_stack_is_cut(here: Here) -> None:
    fault = here.fault("export default function f(n = 0) { if (n > 100) throw new Error('x'); f(n + 1) }")
    assert 1 < len(fault["stack"]) <= 20
