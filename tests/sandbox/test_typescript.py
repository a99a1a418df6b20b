"""Types are erased, the rest stays, and what cannot be erased is refused."""

import re
from typing import Any

import pytest

from tests.sandbox.conftest import Here

ERASED: dict[str, tuple[str, Any, Any]] = {
    "interfaces and aliases": (
        "interface A { n: number }\ntype B = A & { m?: string };\nexport default (i: B): number => i.n",
        {"n": 3},
        3,
    ),
    "generics": (
        "class Box<T extends object = {}> { constructor(readonly value: T) {} }\n"
        "const open = <T extends object>(box: Box<T>): T => box.value;\n"
        "export default (i: { n: number }) => open<{ n: number }>(new Box<{ n: number }>(i)).n",
        {"n": 3},
        3,
    ),
    "enums": (
        "enum Size { S = 1, M, L = 'l' as any }\nconst enum Fixed { Five = 5 }\n"
        "export default () => [Size.M, Size[1], Size.L, Fixed.Five]",
        None,
        [2, "S", "l", 5],
    ),
    "assertions": (
        "const box = { n: 1 } as const satisfies Record<string, number>;\n"
        "export default (i: any) => box.n + (<number>i.n) + i!.more!.n!",
        {"n": 2, "more": {"n": 3}},
        6,
    ),
    "imports of types": (
        "import type { A } from './a';\nimport { type B } from 'b';\nimport { C } from 'c';\n"
        "export type D = A | B | C;\n"
        "export default (i: D) => 1",
        None,
        1,
    ),
    "optional and rest parameters": (
        "export default (i: unknown, o?: string, ...r: number[]): string | undefined => o ?? 'none'",
        None,
        "none",
    ),
    "modifiers": (
        "abstract class Base { protected abstract f(): number; constructor(private readonly n: number) {}\n"
        "  sum(): number { return this.n + this.f() } }\n"
        "class Real extends Base implements Some { declare ghost: string; static #k: number = 4;\n"
        "  static k = () => Real.#k; override f(): number { return 2 } }\ninterface Some { f(): number }\n"
        "export default () => [new Real(1).sum(), Real.k(), 'ghost' in new Real(1)]",
        None,
        [3, 4, False],
    ),
    "overloads and guards": (
        "function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any) { return a }\n"
        "function isText(x: unknown): x is string { return typeof x === 'string' }\n"
        "function sure(x: any): asserts x {}\nexport default (i: any) => [f(3), isText(i), sure(i)]",
        "t",
        [3, True, None],
    ),
    "declarations": (
        "declare global { interface Window { q: 1 } }\ndeclare const elsewhere: number;\n"
        "declare namespace N.M { namespace Inner { type T = 1 } }\nexport default () => 1",
        None,
        1,
    ),
    "types over several lines": (
        "export default (i: any):\n  { n: number } =>\n  ({ n: 1 } as {\n    n: number\n  })",
        None,
        {"n": 1},
    ),
    "template types and keyed types": (
        "type On<T extends string> = `on${Capitalize<T>}`;\n"
        "type Get<T> = { readonly [K in keyof T as `g${string & K}`]?: T[K] };\n"
        "export default (i: Get<On<'x'>>) => `v${1 as number}`",
        None,
        "v1",
    ),
    "comparisons that look like types": (
        "const a = 1, b = 2, c = 3;\nexport default () => [a < b, (a < b) > (c as any), a<b||c>a]",
        None,
        [True, False, True],
    ),
    "a line that starts with a parenthesis": (
        "let x: number = 5\n;(x as any)++\nexport default (): number => x",
        None,
        6,
    ),
}


@pytest.mark.parametrize(("source", "value", "expected"), ERASED.values(), ids=ERASED.keys())
def test_types_are_erased(here: Here, source: str, value: Any, expected: Any) -> None:
    assert here.output(source, value) == expected


def test_plain_javascript_keeps_its_meaning(here: Here) -> None:
    source = """// é 😀 as any
        class Keeps { field; static s = 1; #p = 2; get p() { return this.#p } }
        export default function (input) {
          const pattern = /<T>:x/g, text = `a${input.a < 2 ? 'x' : 'y'}: ${1}`;
          const type = 'type', namespace = { module: 1 };
          label: for (;;) { break label }
          const keeps = new Keeps();
          return [text, pattern.source, type, namespace.module, Object.keys(keeps), keeps.p, input?.b ?? 1_0]
        }"""
    assert here.output(source, {"a": 1}) == ["ax: 1", "<T>:x", "type", 1, ["field"], 2, 10]


@pytest.mark.parametrize(
    ("source", "word", "line", "column"),
    [
        ("let a = 1;\n namespace N { export const v = 4 }\nexport default () => N.v", "namespace", 2, 2),
        ("export namespace A.B { export const v = 4 }", "namespace", 1, 8),
        ("declare namespace Fine {}\nmodule M { }", "namespace", 2, 1),
        ("function d(v: any, c: any) { return v }\n@d class A {}", "decorators", 2, 1),
        ("class A {\n  @d m(): number { return 1 } }", "decorators", 2, 3),
        ("import fs from 'fs';\nexport default () => fs", "import", 1, 1),
        ("let a: number = 1; import 'fs'", "import", 1, 20),
        ("export * from 'fs'", "import", 1, 10),
    ],
)
def test_what_is_more_than_types_is_refused(here: Here, source: str, word: str, line: int, column: int) -> None:
    problem = here.problem(source)
    assert (problem["code"], problem["line"], problem["column"]) == ("typescript_error", line, column)
    assert word in problem["message"]


@pytest.mark.parametrize(
    ("source", "line", "column"),
    [
        ("export default function (input: number { return 1 }", 1, 40),
        ("interface A {\n  n: number\n}\nconst x: A = ;\n", 4, 14),
        ("let é: string = '😀', b = ;", 1, 27),
        ("let a: number = 1;\nlet a: number = 2;", 2, 15),
        ("for (const x: number of []) { }\nbreak;", 2, 6),
        ("let a: RegExp =\n  /(/", 2, 3),
        ("let a: string = 'never closed\n", 1, 17),
        ("let a = 'x\0y'", 1, 11),
    ],
)
def test_broken_code_is_found_without_running_it(here: Here, source: str, line: int, column: int) -> None:
    problem = here.problem(source)
    assert problem["code"] == "typescript_error"
    assert (problem["line"], problem["column"]) == (line, column)
    assert here.fault(source) == problem


def test_code_that_ends_too_early_is_reported_as_such(here: Here) -> None:
    problem = here.problem("function f(): void {\n  if (true) {")
    assert (problem["message"], problem["line"], problem["column"]) == ("the code ends too early", 2, 14)


def test_a_problem_is_reported_without_the_places_of_the_tools(here: Here) -> None:
    assert not re.search(r"\(\d+:\d+\)|check|sucrase", here.problem("let x: number = ;")["message"])


def test_checking_runs_nothing(here: Here) -> None:
    assert here.problem("for (;;) { } export default () => 1") == {}


def test_code_nested_too_deeply_to_be_read_is_refused(here: Here) -> None:
    assert here.problem(f"export default () => {'[' * 100_000}{']' * 100_000}")["code"] == "typescript_error"
    assert here.problem("export default (n: number) => n") == {}
