// What Metier needs of sucrase: types erased, lines kept, and where every token went.
// build.sh bundles it into sucrase.js. The parts of sucrase are joined as its own index.js joins them.

import { HelperManager } from "sucrase/dist/esm/HelperManager.js";
import NameManager from "sucrase/dist/esm/NameManager.js";
import TokenProcessor from "sucrase/dist/esm/TokenProcessor.js";
import identifyShadowedGlobals from "sucrase/dist/esm/identifyShadowedGlobals.js";
import { parse } from "sucrase/dist/esm/parser/index.js";
import { ContextualKeyword as word } from "sucrase/dist/esm/parser/tokenizer/keywords.js";
import { TokenType as tt } from "sucrase/dist/esm/parser/tokenizer/types.js";
import RootTransformer from "sucrase/dist/esm/transformers/RootTransformer.js";
import getTSImportedNames from "sucrase/dist/esm/util/getTSImportedNames.js";

/**
 * `{code, generated, original}`: JavaScript with the lines of `source`, and for each token its offset in the code and
 * in the source; or `{problem, offset}`: why it cannot be read, and where in the source (null if nobody knows).
 * Offsets count UTF-16 units.
 */
export function transform(source) {
  try {
    const file = parse(source, false, true, false);
    refuseWhatIsMoreThanTypes(file.tokens);
    refuseBrokenPatterns(file.tokens, source);
    const { code, mappings } = erase(source, file);
    const kept = file.tokens.keys().filter((index) => mappings[index] !== undefined).toArray();
    const generated = kept.map((index) => mappings[index]);
    const original = kept.map((index) => file.tokens[index].start);
    refuseImports(code, generated, original);
    return { code, generated, original };
  } catch (error) {
    return { problem: String(error.message).replace(/ \(\d+:\d+\)$/, ""), offset: error.pos ?? null };
  }
}

function erase(source, { tokens, scopes }) {
  const nameManager = new NameManager(source, tokens);
  const helperManager = new HelperManager(nameManager);
  const tokenProcessor = new TokenProcessor(source, tokens, false, true, helperManager);
  identifyShadowedGlobals(tokenProcessor, scopes, getTSImportedNames(tokenProcessor));
  const context = { tokenProcessor, scopes, nameManager, helperManager, importProcessor: null };
  const transforms = ["typescript"];
  return new RootTransformer(context, transforms, false, { transforms, disableESTransforms: true }).transform();
}

function refuse(message, pos) {
  throw Object.assign(new SyntaxError(message), { pos });
}

// Sucrase drops a namespace with all its code and leaves decorators as they are: neither would be what was meant.
function refuseWhatIsMoreThanTypes(tokens) {
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token.type === tt.at) refuse("decorators are not supported in a code step", token.start);
    if (!token.isType) continue;
    if (token.contextualKeyword === word._declare) i = endOfDeclaredBlock(tokens, i);
    else if (opensNamespace(tokens, i)) refuse("namespace is not supported in a code step: use an object", token.start);
  }
}

function opensNamespace(tokens, i) {
  const keyword = tokens[i].contextualKeyword;
  if (keyword !== word._namespace && keyword !== word._module) return false;
  const [name, next] = [tokens[i + 1], tokens[i + 2]];
  return name.type === tt.name && (next.type === tt.braceL || next.type === tt.dot);
}

// `declare namespace A.B { … }`, `declare module "x" { … }` and `declare global { … }` hold types only.
function endOfDeclaredBlock(tokens, declare) {
  const keyword = tokens[declare + 1].contextualKeyword;
  if (![word._namespace, word._module, word._global].includes(keyword)) return declare;
  let i = declare + 1;
  while (tokens[i].isType && tokens[i].type !== tt.braceL) i++;
  if (tokens[i].type !== tt.braceL) return declare;
  for (let depth = 0; i < tokens.length; i++) {
    if (tokens[i].type === tt.braceL) depth++;
    else if (tokens[i].type === tt.braceR && --depth === 0) return i;
  }
  return tokens.length;
}

// The engine finds these too, but does not say where.
function refuseBrokenPatterns(tokens, source) {
  for (const { type, start, end } of tokens) {
    if (type !== tt.regexp) continue;
    const literal = source.slice(start, end);
    const slash = literal.lastIndexOf("/");
    try {
      new RegExp(literal.slice(1, slash), literal.slice(slash + 1));
    } catch (error) {
      refuse(`invalid regular expression: ${error.message}`, start);
    }
  }
}

// Looked for in the result, where imports of types are gone.
function refuseImports(code, generated, original) {
  const { tokens } = parse(code, false, false, false);
  tokens.forEach((token, i) => {
    if (isImport(token, tokens[i + 1]) || isReexport(tokens[i - 1], token, tokens[i + 1])) {
      const origin = original[generated.findLastIndex((at) => at <= token.start)];
      refuse("a code step cannot import anything", origin ?? null);
    }
  });
}

const isImport = (token, next) => token.type === tt._import && next.type !== tt.parenL && next.type !== tt.dot;

const isReexport = (previous, token, next) =>
  token.contextualKeyword === word._from &&
  next.type === tt.string &&
  [tt.braceR, tt.star, tt.name].includes(previous?.type);
