import type { WaybillError } from "@waybill/core";
import { type DecodeReason, decodeFailure } from "@waybill/core/serializer";

type Expected = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

/** Why and where a text is not JSON. */
interface SyntaxFault {
  readonly reason: DecodeReason;
  readonly text: string;
  readonly index: number;
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literal = /true|false|null/y;
const cutNumber = /-?(?:(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][+-]?)?)?/y;
const cutLiteral = /t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?/y;

/**
 * Returns the failure for a text that `JSON.parse` refused: whether it is truncated, continues after its end or is malformed, and at which
 * character. The engine's own message is not used, because it quotes the payload. Source: RFC 8259, section 2.
 */
export function syntaxFailure(text: string): WaybillError {
  const { reason, text: what, index } = locate(text);
  return decodeFailure(reason, `Not JSON at character ${index}: ${what}.`);
}

function locate(text: string): SyntaxFault {
  if (text.charCodeAt(0) === 0 || text.charCodeAt(1) === 0)
    return { reason: "malformed", text: "a NUL character, as in UTF-16 text", index: 0 };
  const openers: string[] = [];
  let expected: Expected = "value";
  let index = 0;
  for (;;) {
    while (isSpace(text.charCodeAt(index))) index++;
    if (index >= text.length) return { reason: "truncated", text: "the text ends too early", index };
    const start = index;
    const char = text.charAt(index);
    const opener = openers.at(-1);
    if (expected === "nothing")
      return { reason: "trailing-bytes", text: "the text continues after the value", index };

    if ((char === "}" && opener === "{") || (char === "]" && opener === "[")) {
      if (expected !== "comma-or-end" && expected !== (char === "}" ? "key-or-end" : "value-or-end")) break;
      openers.pop();
      index++;
    } else if (expected === "comma-or-end") {
      if (char !== ",") break;
      expected = opener === "{" ? "key" : "value";
      index++;
      continue;
    } else if (expected === "colon") {
      if (char !== ":") break;
      expected = "value";
      index++;
      continue;
    } else if (expected === "key" || expected === "key-or-end") {
      if (char !== '"') break;
      index = scanString(text, index);
      if (index >= 0) {
        expected = "colon";
        continue;
      }
    } else if (char === "{" || char === "[") {
      openers.push(char);
      expected = char === "{" ? "key-or-end" : "value-or-end";
      index++;
      continue;
    } else if (char === '"') {
      index = scanString(text, index);
    } else {
      index = Math.max(scan(number, text, start), scan(literal, text, start));
      if (index === start) {
        const end = Math.max(scan(cutNumber, text, start), scan(cutLiteral, text, start));
        if (end === text.length)
          return { reason: "truncated", text: "the text ends inside a value", index: end };
        break;
      }
    }
    if (index === cut)
      return { reason: "truncated", text: "the text ends inside a string", index: text.length };
    if (index === bad)
      return { reason: "malformed", text: "a string with a bad character or escape", index: start };
    expected = openers.length === 0 ? "nothing" : "comma-or-end";
  }
  return { reason: "malformed", text: `expected ${expected.replaceAll("-", " ")}`, index };
}

const cut = -1;
const bad = -2;

/** Returns the index after the string, or what is wrong with it. */
function scanString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x22) return index + 1;
    if (code < 0x20) return bad;
    if (code !== 0x5c) continue;
    index++;
    if (index >= text.length) return cut;
    if (text[index] === "u") {
      const digits = text.slice(index + 1, index + 5);
      if (!/^[0-9a-f]*$/i.test(digits)) return bad;
      if (digits.length < 4) return cut;
      index += 4;
    } else if (!'"\\/bfnrt'.includes(text.charAt(index))) return bad;
  }
  return cut;
}

function scan(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : start;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
