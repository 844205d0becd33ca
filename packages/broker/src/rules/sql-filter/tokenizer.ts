import { type RulePart, RuleSyntaxError } from "../evaluation/rule-error.js";

/** Maximum length of a filter or action, in UTF-16 units (Service Bus quotas). */
const maxExpressionLength = 1024;

/** A token of rule text. `position` counts UTF-16 units from 0; keywords are in upper case in `text`. */
export type SqlToken = { readonly position: number; readonly text: string } & (
  | { readonly kind: "identifier" | "delimited" | "keyword" | "parameter" | "symbol" | "string" | "end" }
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "double"; readonly value: number }
);

const keywords = ["NOT", "AND", "OR", "IS", "NULL", "IN", "LIKE", "ESCAPE", "EXISTS", "TRUE", "FALSE"];
const keywordsOf: Readonly<Record<RulePart, ReadonlySet<string>>> = {
  filter: new Set(keywords),
  action: new Set([...keywords, "SET", "REMOVE"]),
};

const space = /\s+/y;
const word = /\p{L}[_\p{L}\p{Nd}]*/uy;
const parameter = /@[_\p{L}\p{Nd}]+/uy;
const number = /(?:[0-9]+(\.[0-9]*)?|(\.[0-9]+))([eE][+-]?[0-9]+)?/y;
const symbol = /<>|!=|<=|>=|[=<>+\-*/%(),.;]/y;
const wordCharacter = /[_\p{L}\p{Nd}]/uy;

/**
 * Splits rule text into tokens, the last one of kind `end`. Throws `RuleSyntaxError` for text over 1024 characters, an unclosed quotation,
 * a number out of range and invalid characters.
 */
export function tokenize(text: string, part: RulePart): readonly SqlToken[] {
  if (text.length > maxExpressionLength) {
    const limit = `at most ${maxExpressionLength} characters`;
    throw new RuleSyntaxError(part, maxExpressionLength, limit, `a text of ${text.length}`);
  }
  const tokens: SqlToken[] = [];
  let position = skip(space, text, 0);
  while (position < text.length) {
    const [token, end] = readToken(text, position, part);
    tokens.push(token);
    position = skip(space, text, end);
  }
  tokens.push({ kind: "end", position, text: "" });
  return tokens;
}

function readToken(text: string, position: number, part: RulePart): readonly [token: SqlToken, end: number] {
  const first = text[position];
  if (first === "'") return readQuoted("string", "'", text, position, part);
  if (first === '"') return readQuoted("delimited", '"', text, position, part);
  if (first === "[") return readQuoted("delimited", "]", text, position, part);
  const wordEnd = skip(word, text, position);
  if (wordEnd > position) return [wordToken(text.slice(position, wordEnd), position, part), wordEnd];
  const numberEnd = skip(number, text, position);
  if (numberEnd > position) return [numberToken(text, position, numberEnd, part), numberEnd];
  const parameterEnd = skip(parameter, text, position);
  if (parameterEnd > position) {
    return [{ kind: "parameter", position, text: text.slice(position + 1, parameterEnd) }, parameterEnd];
  }
  const symbolEnd = skip(symbol, text, position);
  if (symbolEnd > position) {
    const found = text.slice(position, symbolEnd);
    return [{ kind: "symbol", position, text: found === "!=" ? "<>" : found }, symbolEnd];
  }
  const found = quote(codePoint(text, position));
  throw new RuleSyntaxError(part, position, "a name, a constant or an operator", found);
}

/** Reads text up to its closing character; a doubled closing character is an escaped one. */
function readQuoted(
  kind: "string" | "delimited",
  close: string,
  text: string,
  position: number,
  part: RulePart,
): readonly [token: SqlToken, end: number] {
  let content = "";
  let from = position + 1;
  for (;;) {
    const at = text.indexOf(close, from);
    if (at < 0) throw new RuleSyntaxError(part, text.length, `a closing ${close}`, "the end");
    content += text.slice(from, at);
    if (text[at + 1] !== close) {
      if (kind === "delimited" && content === "") {
        throw new RuleSyntaxError(part, position, "a property name", "an empty one");
      }
      return [{ kind, position, text: content }, at + 1];
    }
    content += close;
    from = at + 2;
  }
}

function wordToken(text: string, position: number, part: RulePart): SqlToken {
  const upper = text.toUpperCase();
  const isKeyword = keywordsOf[part].has(upper);
  return isKeyword ? { kind: "keyword", position, text: upper } : { kind: "identifier", position, text };
}

function numberToken(text: string, position: number, end: number, part: RulePart): SqlToken {
  const digits = text.slice(position, end);
  if (skip(wordCharacter, text, end) > end) {
    throw new RuleSyntaxError(part, end, "the end of the number", quote(codePoint(text, end)));
  }
  if (/^[0-9]+$/.test(digits)) return { kind: "integer", position, text: digits, value: BigInt(digits) };
  const value = Number(digits);
  if (!Number.isFinite(value)) throw new RuleSyntaxError(part, position, "a double", `the number ${digits}`);
  return { kind: "double", position, text: digits, value };
}

function skip(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : position;
}

function codePoint(text: string, position: number): string {
  return String.fromCodePoint(text.codePointAt(position) ?? 0);
}

/** Quotes a piece of rule text for an error message, truncated. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
