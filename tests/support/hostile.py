"""Code that wants to stall, to crash, to get out or to lie, with what has to come of it.

Each case is the body of a module, or where it does not say `export default`, the body of its function. `ends` is the
code of the error, or several that are as good; else it gives `value`.
"""

from dataclasses import dataclass
from typing import Any

SOON_S = 0.1
AMPLE_S = 20.0

TIMEOUT, MEMORY, CODE, NOT_JSON = "timeout", "out_of_memory", "code_error", "not_json"
LARGE, SYNTAX, NOTHING = "output_too_large", "typescript_error", "no_default_export"


@dataclass(frozen=True, slots=True)
class Hostile:
    """`limit_s`: the time that the code gets."""

    name: str
    source: str
    ends: tuple[str, ...] = ()
    value: Any = None
    limit_s: float = AMPLE_S
    input_json: str = "null"


def _cases(kind: str, ends: str, limit_s: float, bodies: dict[str, str]) -> list[Hostile]:
    return [
        Hostile(f"{kind}: {name}", _module(body), tuple(ends.split()), limit_s=limit_s) for name, body in bodies.items()
    ]


def _values(kind: str, bodies: dict[str, tuple[str, Any]]) -> list[Hostile]:
    return [Hostile(f"{kind}: {name}", _module(body), value=value, limit_s=5) for name, (body, value) in bodies.items()]


def _module(body: str) -> str:
    return body if "export default" in body else f"export default async function (input) {{ {body} }}"


ENDLESS = {
    "for": "for (;;) {}",
    "while": "while (true) {}",
    "do": "do {} while (1)",
    "labels": "a: for (;;) { for (;;) continue a }",
    "while loading": "while (true) {} export default 1",
    "top level await": "for (;;) await null; export default 1",
    "catch everything": "for (;;) { try { for (;;) {} } catch {} finally {} }",
    "finally": "try { throw 1 } finally { for (;;) {} }",
    "await": "for (;;) await null",
    "promise chain": "const again = () => Promise.resolve().then(again); await again()",
    "promise that renews itself": "await new Promise(() => { (function f() { Promise.resolve().then(f) })() })",
    "for await": "for await (const x of (async function* () { for (;;) yield 1 })()) ;",
    "queueMicrotask": "const f = () => queueMicrotask(f); f(); await new Promise(() => {})",
    "generator delegation": "function* g() { for (;;) yield* [1] } for (const x of g()) ;",
    "generator that will not be left": (
        "function* g() { try { yield 1 } finally { for (;;) {} } } for (const x of g()) break"
    ),
    "iterator": "const it = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }; for (const x of it) ;",
    "destructuring": "const [, ...rest] = { *[Symbol.iterator]() { for (;;) { yield 1; rest_ = 1 } } }; var rest_",
    "getter": "return ({ get a() { for (;;) {} } }).a",
    "getter in the output": "return { get a() { for (;;) {} } }",
    "setter": "({ set a(v) { for (;;) {} } }).a = 1",
    "toJSON": "return { toJSON() { for (;;) {} } }",
    "toString": "return `${{ toString() { for (;;) {} } }}`",
    "valueOf": "return +{ valueOf() { for (;;) {} } }",
    "Symbol.toPrimitive": "return 1 + { [Symbol.toPrimitive]() { for (;;) {} } }",
    "Symbol.hasInstance": "return 1 instanceof { [Symbol.hasInstance]() { for (;;) {} } }",
    "Symbol.species": "class A extends Array { static get [Symbol.species]() { for (;;) {} } } new A(3).map((x) => x)",
    "proxy get": "return new Proxy({}, { get() { for (;;) {} } }).x",
    "proxy ownKeys in the output": "return new Proxy({}, { ownKeys() { for (;;) {} } })",
    "proxy getPrototypeOf in the output": "return { a: new Proxy({}, { getPrototypeOf() { for (;;) {} } }) }",
    "proxy apply": "return new Proxy(() => 1, { apply() { for (;;) {} } })()",
    "proxy as the function": "export default new Proxy(() => 1, { apply() { for (;;) {} } })",
    "thenable output": "return { then() { for (;;) {} } }",
    "thenable that resolves with itself": "const t = { then(ok) { ok(t) } }; return t",
    "tagged template": "const tag = () => { for (;;) {} }; tag`x${1}`",
    "class static block": "class A { static { for (;;) {} } }",
    "default argument": "((x = (() => { for (;;) {} })()) => x)()",
    "new.target": "function F() { for (;;) {} } new F()",
    "Reflect.construct": "Reflect.construct(function () { for (;;) {} }, [])",
    "eval": "eval('for (;;) {}')",
    "Function": "new Function('for (;;) {}')()",
    "AsyncFunction": "await (async () => {}).constructor('for (;;) await null')()",
    "what is printed": "for (;;) console.log({ get a() { for (;;) {} } })",
    "printing": "for (;;) console.log('x'.repeat(1e5))",
    "printing nothing": "for (;;) console.log()",
    "what is thrown": "throw { get message() { for (;;) {} } }",
    "cause of what is thrown": "throw { message: 'x', get cause() { for (;;) {} } }",
    "stack of what is thrown": "throw { message: 'x', get stack() { for (;;) {} } }",
    "an error that is prepared": "Error.prepareStackTrace = () => { for (;;) {} }; throw new Error('x')",
    "regex test": "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "regex match": "'x'.repeat(60).match(/(x+x+)+y/)",
    "regex matchAll": "[...('a'.repeat(40) + 'b').matchAll(/(a|aa)+$/g)]",
    "regex replace": "('a'.repeat(40) + 'b').replace(/^(a|a)*$/, '')",
    "regex split": "('a'.repeat(40) + '!').split(/(?:a*)*$/)",
    "regex sticky": "/(a|a|aa)+$/y.test('a'.repeat(40) + 'b')",
    "regex backreference": "/(a*)*\\1$/.test('a'.repeat(40) + 'b')",
    "a pattern that is none": "'a'.replace({ [Symbol.replace]() { for (;;) {} } }, '')",
    "replace with a function": "'a'.repeat(10).replace(/a/g, () => { for (;;) {} })",
    "sort comparator": "[3, 2, 1].sort(() => { for (;;) {} })",
    "map callback": "[1].map(() => { for (;;) {} })",
    "Array.from": "Array.from({ length: 1 }, () => { for (;;) {} })",
    "flatMap": "[1].flatMap(() => { for (;;) {} })",
    "indexOf of a false length": "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
    "Array.prototype.fill of a false length": "Array.prototype.every.call({ length: 2 ** 53 - 1 }, () => true)",
    "holes": "new Array(2 ** 32 - 1).forEach(() => 1)",
    "holes in join": "new Array(2 ** 32 - 1).indexOf(1)",
    "JSON reviver": "JSON.parse('[1]', () => { for (;;) {} })",
    "JSON replacer": "JSON.stringify([1], () => { for (;;) {} })",
    "Object.assign": "Object.assign({}, { get a() { for (;;) {} } })",
    "with the clock": "const end = Date.now() + 1e9; while (Date.now() < end) ;",
    "Date turned back": "Date.now = () => 0; for (;;) Date.now()",
    "Atomics.compareExchange": (
        "const a = new Int32Array(new SharedArrayBuffer(4)); while (Atomics.compareExchange(a, 0, 1, 0) !== 1) ;"
    ),
    "WeakRef": "let r = new WeakRef({}); for (;;) r = new WeakRef({ r: r.deref() })",
    "FinalizationRegistry": "const f = new FinalizationRegistry(() => {}); for (;;) f.register({}, 1)",
    "Symbol.asyncIterator": "for await (const x of { [Symbol.asyncIterator]: () => ({ next: async () => ({}) }) }) ;",
    "Symbol.isConcatSpreadable": "[].concat({ get [Symbol.isConcatSpreadable]() { for (;;) {} } })",
    "Object.groupBy": "Object.groupBy((function* () { for (;;) yield 1 })(), () => 1)",
}

NATIVE = {  # what the engine cannot interrupt
    "async ping-pong": (
        "const ping = async () => { await null; return pong() };"
        "const pong = async () => { await null; return ping() }; await ping()"
    ),
    "sort of a huge array": "const a = new Array(3e7); for (;;) a.sort()",
    "replaceAll and normalize": "const s = 'a'.repeat(3e5); for (;;) s.replaceAll('a', 'bb').normalize()",
}

MEMORY_BOMBS = {
    "arrays": "const a = []; for (;;) a.push(new Array(10000).fill(1))",
    "small objects": "const a = []; for (;;) a.push({})",
    "buffers": "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))",
    "typed arrays": "const a = []; for (;;) a.push(new Float64Array(1e5))",
    "a long string": "return 'x'.repeat(1e9).length",
    "string doubling, flattened": "let s = 'xy'; for (;;) { s = s + s; s.charCodeAt(3) }",
    "padEnd": "return 'x'.padEnd(1e9).length",
    "globals": "globalThis.all = []; for (;;) all.push({})",
    "map": "const m = new Map(); for (let i = 0; ; i++) m.set(i, {})",
    "closures": "let f = () => 1; const all = []; for (;;) { const g = f; f = () => g; all.push(f) }",
    "promises": "const all = []; for (;;) all.push(new Promise(() => {}))",
    "bound functions": "let f = () => 1; const all = []; for (;;) all.push(f.bind(0, new Array(1000).fill(0)))",
    "symbols": "const all = []; for (let i = 0; ; i++) all.push(Symbol('x'.repeat(1000) + i))",
    "spread": "let a = [1]; for (;;) a = [...a, ...a]",
    "concat": "let a = [1]; for (;;) a = a.concat(a)",
    "flat": "let a = [1, 1]; for (;;) a = [a, a].flat()",
    "JSON.stringify of a huge structure": "let a = 'x'.repeat(1000); for (;;) a = JSON.stringify([a, a])",
    "replaceAll": "let s = 'a'; for (;;) s = s.replaceAll('a', 'aaaaaaaa')",
    "split": "const all = []; for (;;) all.push('a'.repeat(1e5).split(''))",
    "Array.from": "const all = []; for (;;) all.push(Array.from({ length: 1e5 }))",
    "generators": "const all = []; function* g() { yield 1 } for (;;) all.push(g())",
    "a chain": "let x = 1; while (true) x = [x, x]",
}

DEEP = {
    "function": "export default function again(n) { return 1 + again(n) }",
    "two functions": "const a = () => b() + 1; const b = () => a() + 1; return a()",
    "toString": "const o = {}; o.toString = () => '' + o; return '' + o",
    "getter": "const o = { get a() { return this.a + 1 } }; return o.a",
    "proxy": "const p = new Proxy({}, { get: (t, k, self) => self[k] }); return p.x",
    "proxy chain": "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x",
    "prototype chain": "const o = { toJSON() { return JSON.stringify(o) } }; return JSON.stringify(o)",
    "eval of brackets": "return eval('['.repeat(2e5) + ']'.repeat(2e5))",
    "Function of brackets": "return Function('return ' + '('.repeat(2e5) + '1' + ')'.repeat(2e5))()",
    "JSON.stringify": "let a = []; for (let i = 0; i < 2e5; i++) a = [a]; return JSON.stringify(a)",
    "JSON.parse": "return JSON.parse('['.repeat(1e6))",
    "a regular expression": "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('x')",
    "generators": "function* g() { yield* g() } return [...g()]",
    "sort": "const f = () => [2, 1].sort(f); return f()",
    "new": "class A { constructor() { new A() } } new A()",
    "string doubling": "let s = 'x'; for (;;) s += s",
    "join of holes": "return new Array(2 ** 28).join('xxxxxxxx').length",
    "BigInt power": "return (2n ** (2n ** 31n)).toString().length",
    "BigInt shift": "return 1n << (2n ** 62n)",
}

LEAKS = {
    **{
        f"import {name}": f"return import({name!r})"
        for name in ("std", "os", "bjson", "fs", "node:fs", "file:///etc/passwd", "/etc/passwd", "./x.js", "your code2")
    },
    "import https": "return import('https://example.org/x.js')",
    "import data": "return import('data:text/javascript,1')",
    "import a symbol": "return import(Symbol('x'))",
    "import with attributes": "return import('/etc/passwd', { with: { type: 'text' } })",
    "require": "return require('fs')",
    "process": "return process.env",
    "Deno": "return Deno.readTextFileSync('/etc/passwd')",
    "fetch": "return fetch('http://127.0.0.1')",
    "XMLHttpRequest": "return new XMLHttpRequest()",
    "WebSocket": "return new WebSocket('ws://127.0.0.1')",
    "setTimeout": "return setTimeout(() => 1, 1)",
    "setInterval": "return setInterval(() => 1, 1)",
    "std": "return std.open('/etc/passwd', 'r')",
    "os": "return os.exec(['true'])",
    "loadScript": "return loadScript('/etc/passwd')",
    "scriptArgs": "return scriptArgs",
    "print": "return print('x')",
    "the host's print": "return __print('log', '1')",
    "Worker": "return new Worker('x.js')",
    "WebAssembly": "return new WebAssembly.Memory({ initial: 1 })",
    "arguments.callee": "return (function () { return arguments.callee.caller })()",
    "Atomics.wait": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    "a buffer beyond all limits": "return new ArrayBuffer(2 ** 31).byteLength",
    "a typed array beyond all limits": "return new Float64Array(2 ** 40).length",
    "a promise that never settles": "await new Promise(() => {})",
    "a thenable that never settles": "return { then() {} }",
    "a thenable that rejects": "return { then(ok, no) { no(new Error('x')) } }",
    "a getter that throws": "return { get a() { throw new Error('x') } }",
    "a toJSON that throws": "return { toJSON() { throw new Error('x') } }",
    "a proxy that throws": "return new Proxy({}, { ownKeys() { throw new Error('x') } })",
    "a revoked proxy": "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy",
    "a revoked proxy thrown": "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy",
    "throwing null": "throw null",
    "throwing a function": "throw () => 1",
    "a broken promise": "return Promise.reject()",
    "a module that throws": "throw new Error('early'); export default 1",
    "a module that awaits for ever": "await new Promise(() => {}); export default 1",
    "setters in the way of the output": (
        "Object.defineProperty(Array.prototype, 0, { set() { throw new Error('x') } }); return { a: 1 }"
    ),
    "redefining undefined": "Object.defineProperty(globalThis, 'undefined', { value: 1 })",
}

UNSPEAKABLE = {
    "a BigInt": "return 1n",
    "a BigInt inside": "return { a: [1n] }",
    "a function": "return () => 1",
    "a class": "return class {}",
    "a symbol": "return Symbol('x')",
    "NaN": "return NaN",
    "an infinity inside": "return [1, { a: -Infinity }]",
    "a cycle": "const a = {}; a.a = a; return a",
    "a cycle through an array": "const a = [[]]; a[0].push(a); return a",
    "a cycle through toJSON": "const a = { toJSON: () => ({ a }) }; return a",
    "a Map": "return new Map([[1, 2]])",
    "a Set": "return [new Set()]",
    "a WeakMap": "return new WeakMap()",
    "a promise inside": "return [Promise.resolve(1)]",
    "an Error": "return new Error('x')",
    "a RegExp": "return /x/",
    "a typed array": "return new Uint8Array(3)",
    "an ArrayBuffer": "return new ArrayBuffer(3)",
    "a date that is none": "return [{ toJSON: undefined, x: +new Date(NaN) }]",
    "too deep": "let a = []; for (let i = 0; i < 300; i++) a = [a]; return a",
    "a generator of itself by getters": "const o = { get a() { return o } }; return o",
}

_MIB = 1024 * 1024
_KEPT = {"a": ["x", 1, None], "b": {}}
_BACK = f"return {_KEPT}".replace("None", "null")

VALUES: dict[str, tuple[str, Any]] = {
    "undefined": ("return undefined", None),
    "void": ("", None),
    "undefined inside": ("return { a: undefined, b: [undefined, , 1] }", {"b": [None, None, 1]}),
    "minus zero": ("return [-0]", [0]),
    "a lone surrogate": ("return '\\ud800'", "\ud800"),
    "a lone surrogate as a key": ("return { ['\\udfff']: '\\ud83d' }", {"\udfff": "\ud83d"}),
    "a NUL": ("return 'a\\0b'", "a\0b"),
    "a date": ("return new Date(0)", "1970-01-01T00:00:00.000Z"),
    "a date that is none": ("return new Date(NaN)", None),
    "a boxed value": ("return [Object(1), Object('x'), Object(true)]", [1, "x", True]),
    "a class instance": ("class A { x = 1; #y = 2 } return new A()", {"x": 1}),
    "a null prototype": ("return Object.assign(Object.create(null), { a: 1 })", {"a": 1}),
    "a proxy of an array": ("return new Proxy([1], {})", [1]),
    "a thenable": ("return { then: (ok) => ok({ then: (ok) => ok(1) }) }", 1),
    "a symbol as a key": ("return { [Symbol('x')]: 1, a: 1 }", {"a": 1}),
    "what is not enumerable": ("return Object.defineProperty({ a: 1 }, 'b', { value: 2 })", {"a": 1}),
    "__proto__ as data": ('return JSON.parse(\'{"__proto__": {"a": 1}}\')', {"__proto__": {"a": 1}}),
    "a large exact number": ("return [2 ** 53, 1e21, 5e-324]", [2**53, 1e21, 5e-324]),
    "just within its size": (f"return 'x'.repeat({_MIB - 2})", "x" * (_MIB - 2)),
    "200 levels": ("let a = 1; for (let i = 0; i < 200; i++) a = [a]; return a.length", 1),
    "globals of the host": (
        "return ['require', 'process', 'std', 'os', 'setTimeout', 'fetch', 'performance', '__task', '__print']"
        ".filter((name) => name in globalThis)",
        [],
    ),
    "the constructor's constructor": ("return (() => 1).constructor('return typeof process')()", "undefined"),
    "globalThis by indirection": ("return typeof (0, eval)('this').std", "undefined"),
    "polluting JSON": (f"JSON.stringify = () => '\"hacked\"'; JSON.parse = () => 'hacked'; {_BACK}", _KEPT),
    "polluting JSON itself": (f"globalThis.JSON = null; {_BACK}", _KEPT),
    "polluting toJSON of strings": (f"String.prototype.toJSON = () => 'hacked'; {_BACK}", _KEPT),
    "polluting numbers": (f"Number.prototype.toJSON = () => 'hacked'; Number.isFinite = () => false; {_BACK}", _KEPT),
    "polluting promises": (
        f"Promise.prototype.then = (ok) => ok('hacked'); Promise.resolve = null; {_BACK}",
        _KEPT,
    ),
    "polluting Promise": (f"globalThis.Promise = class {{}}; {_BACK}", _KEPT),
    "polluting iteration": (
        f"Array.prototype[Symbol.iterator] = null; Array.prototype.push = null; Array.prototype.fill = null; {_BACK}",
        _KEPT,
    ),
    "polluting globals": (
        f"globalThis.Object = globalThis.Array = globalThis.String = globalThis.Map = globalThis.Error = null; {_BACK}",
        _KEPT,
    ),
    "polluting prototypes": (f"Object.prototype.polluted = 1; Array.prototype.polluted = 1; {_BACK}", _KEPT),
    "polluting with setters": (
        "Object.defineProperty(Array.prototype, 0, { set() {} });"
        f"Object.defineProperty(Object.prototype, 'kind', {{ set() {{ throw 1 }} }}); {_BACK}",
        _KEPT,
    ),
    "polluting getPrototypeOf": (f"Object.getPrototypeOf = () => Map.prototype; {_BACK}", _KEPT),
    "polluting hasInstance": (
        "Object.defineProperty(Map, Symbol.hasInstance, { value: () => true }); " + _BACK,
        _KEPT,
    ),
    "polluting Map": (f"Map.prototype.get = Map.prototype.set = () => 'hacked'; {_BACK}", _KEPT),
    "polluting calls": (f"Function.prototype.call = Function.prototype.bind = () => 'hacked'; {_BACK}", _KEPT),
    "polluting prepareStackTrace": (f"Error.prepareStackTrace = () => 'hacked'; {_BACK}", _KEPT),
    "polluting the console": (f"globalThis.console = null; {_BACK}", _KEPT),
    "freezing everything": (f"Object.freeze(Object.prototype); Object.freeze(globalThis); {_BACK}", _KEPT),
    "a module cycle": ("return (await import('your code')).default === undefined", False),
}

CASES = [
    *_cases("endless", TIMEOUT, SOON_S, ENDLESS),
    *_cases("native", TIMEOUT, SOON_S, NATIVE),
    *_cases("memory", MEMORY, AMPLE_S, MEMORY_BOMBS),
    *_cases("deep", CODE, AMPLE_S, DEEP),
    *_cases("out of reach", CODE, AMPLE_S, LEAKS),
    *_cases("no JSON", NOT_JSON, AMPLE_S, UNSPEAKABLE),
    *_values("gives", VALUES),
    Hostile("large: 1 MB and 1 byte", _module(f"return 'x'.repeat({_MIB - 1})"), (LARGE,)),
    Hostile("large: 10 MB", _module("return 'x'.repeat(1e7)"), (LARGE,)),
    Hostile("large: many items", _module("return new Array(6e5).fill(1)"), (LARGE,)),
    Hostile("large: bytes", _module(f"return 'é'.repeat({_MIB // 2})"), (LARGE,)),
    Hostile("no function: a number", "export default 5", (NOTHING,)),
    Hostile("no function: a thenable", "export default { then(ok) { ok(() => 1) } }", (NOTHING,)),
    Hostile("no function: nothing", "const a = 1", (NOTHING,)),
    Hostile("broken: an open bracket", "export default () => {", (SYNTAX,)),
    Hostile("broken: a NUL", "export default () => '\0'", (SYNTAX,)),
    Hostile("broken: half a character", "export default () => '\ud800'", (SYNTAX,)),
    Hostile("broken: brackets", f"export default () => {'[' * 100_000}{']' * 100_000}", (SYNTAX,)),
    Hostile("broken: much too long", f"export default () => 1 //{'x' * 300_000}", (SYNTAX,)),
    Hostile("broken: an import", "import fs from 'fs'; export default () => fs", (SYNTAX,)),
    Hostile("broken: a re-export", "export * from 'fs'; export default () => 1", (SYNTAX,)),
]
