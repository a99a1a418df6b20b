// Runs in the realm of the user's module, but before it: built-ins are captured now, because the module can replace
// them later. It ends in a promise of text: "+" and the output as JSON, or "-" and a report of the error as JSON.
// Text, because a promise that resolves to an object would look up its `then`.
(() => {
  "use strict";
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { getPrototypeOf, setPrototypeOf, prototype: objectPrototype } = Object;
  const { isFinite } = Number;
  const toText = String;
  const cut = Function.prototype.call.bind(String.prototype.slice);
  const opaque = [Map, Set, WeakMap, WeakSet, WeakRef, Promise, RegExp, Error, ArrayBuffer];
  const opaqueNames = opaque.map((kind) => kind.name);

  const { input, outputCharacters, maxDepth, lineCharacters, maxCauses } = globalThis.__task;
  const print = globalThis.__print;
  delete globalThis.__task;
  delete globalThis.__print;
  delete globalThis.performance; // Date is the only clock
  // Full length from the start: so that writing calls no setter that the module put on Array.prototype.
  const holders = new Array(maxDepth + 1).fill(null);
  const keys = new Array(maxDepth + 2).fill("");

  installConsole();
  return run();

  async function run() {
    let output;
    try {
      const value = readInput();
      const step = (await import("your code")).default;
      if (typeof step !== "function") return failure({ kind: "no_default_export" });
      output = await step(value);
    } catch (error) {
      return failure(thrown(error));
    }
    return output === undefined ? "+null" : toJson(output);
  }

  function readInput() {
    try {
      return parse(input);
    } catch (error) {
      if (error instanceof SyntaxError) error.message = "the input is not JSON: " + error.message;
      throw error;
    }
  }

  function toJson(output) {
    let depth = 0;
    let refusal = null;

    function visit(key, value) {
      while (depth > 0 && holders[depth - 1] !== this) depth--;
      keys[depth] = key;
      const what = whyNotJson(value, depth);
      if (what !== null) {
        refusal = { kind: "not_json", what, path: pathText(depth) };
        throw null;
      }
      if (typeof value === "object" && value !== null) holders[depth++] = value;
      return value;
    }

    try {
      const text = stringify(output, visit);
      return text.length > outputCharacters ? failure({ kind: "output_too_large" }) : "+" + text;
    } catch (error) {
      return failure(refusal ?? thrown(error));
    }
  }

  // Not only what JSON.stringify rejects, but also what it would drop silently. An undefined property is absent and
  // an undefined item is null, though: JavaScript relies on that.
  function whyNotJson(value, depth) {
    switch (typeof value) {
      case "bigint":
        return "a BigInt (use Number() or String())";
      case "function":
      case "symbol":
        return "a " + typeof value;
      case "number":
        return isFinite(value) ? null : toText(value);
      case "object":
        return value === null ? null : whyNotNested(value, depth) ?? (isArray(value) ? null : whyOpaque(value));
      default:
        return null;
    }
  }

  function whyNotNested(value, depth) {
    if (depth > maxDepth) return "more than " + maxDepth + " levels of nesting";
    for (let i = 0; i < depth; i++) if (holders[i] === value) return "a reference back to what holds it";
    return null;
  }

  function whyOpaque(value) {
    const prototype = getPrototypeOf(value);
    if (prototype === objectPrototype || prototype === null) return null;
    for (let i = 0; i < opaque.length; i++) {
      if (value instanceof opaque[i]) return withHint(opaqueNames[i]);
    }
    return isView(value) ? withHint("typed array") : null;
  }

  function withHint(name) {
    if (name === "Promise") return "a Promise (is an await missing?)";
    if (name === "Map") return "a Map (use Object.fromEntries())";
    if (name === "Set" || name === "typed array") return "a " + name + " (use Array.from())";
    return (name === "Error" || name === "ArrayBuffer" ? "an " : "a ") + name;
  }

  function pathText(depth) {
    let text = "";
    for (let i = 1; i <= depth; i++) text += (i > 1 ? "," : "") + stringify(keys[i]);
    return "[" + text + "]";
  }

  // A thrown value is untrusted: each property is read once, and used only if it is text.
  function thrown(error) {
    return plain({ kind: "threw", ...described(error, 0) });
  }

  function described(error, depth) {
    try {
      if (typeof error === "object" && error !== null) {
        const { name, message, stack, cause } = error;
        if (typeof message === "string") {
          const told = { name: text(name), message: text(message), stack: text(stack) };
          if (cause !== undefined && depth < maxCauses) told.cause = plain(described(cause, depth + 1));
          return told;
        }
      }
      return { name: "", message: "threw " + text(show(error)), stack: "" };
    } catch {
      return { name: "", message: "threw something that cannot be described", stack: "" };
    }
  }

  function text(value) {
    return typeof value === "string" ? cut(value, 0, 4000) : "";
  }

  function failure(report) {
    return "-" + stringify(plain(report));
  }

  function plain(report) {
    return setPrototypeOf(report, null); // without a prototype there is no toJSON of the module
  }

  function installConsole() {
    const console = {};
    let hasRoom = true;
    for (const name of ["log", "info", "debug", "warn", "error", "dir", "table", "trace"]) {
      const level = name === "dir" || name === "table" || name === "trace" ? "log" : name;
      console[name] = (...values) => {
        if (!hasRoom) return;
        let line = "";
        for (let i = 0; i < values.length; i++) line += (i > 0 ? " " : "") + show(values[i]);
        hasRoom = print(level, stringify(cut(line, 0, lineCharacters)));
      };
    }
    globalThis.console = console;
  }

  function show(value) {
    if (typeof value === "string") return value;
    if (typeof value === "function") return "[function]";
    if (typeof value === "bigint") return value + "n";
    if (typeof value !== "object" || value === null || value instanceof Error) return toText(value);
    try {
      if (value instanceof Map) return "Map " + show([...value]);
      if (value instanceof Set) return "Set " + show([...value]);
      return stringify(value, (_, item) => (unprintable(item) ? show(item) : item)) ?? "";
    } catch {
      return "[object]";
    }
  }

  function unprintable(item) {
    return typeof item === "bigint" || typeof item === "function";
  }
})()
