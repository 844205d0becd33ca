import { keyForbidden, utf8Invalid } from "@waybill/core/internal";
import type { BodyCheckResult, DeserializeContext } from "@waybill/core/serializer";
import { decodeFailure, validationFailure } from "@waybill/core/serializer";
import { checkExtent, depthExceeded, type Extent } from "./check-extent.js";
import type { JsonBodyCheck } from "./compile-json-schema.js";
import { toDigits, withExactIntegers } from "./exact-integers.js";
import type { ResolvedJsonOptions } from "./json-serializer.js";
import { syntaxFailure } from "./syntax-failure.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads one JSON value. Throws `decodeFailure` or, when the value breaks its schema, `validationFailure`. */
export function readJson(
  bytes: Uint8Array,
  context: DeserializeContext,
  options: ResolvedJsonOptions,
  check: JsonBodyCheck | undefined,
): unknown {
  checkLabel(bytes, context, options);
  const extent = checkExtent(bytes, context);
  const text = decodeText(bytes);
  const value = parse(text);
  const isContainer = typeof value === "object" && value !== null;
  if (!isContainer && !context.isDeclared)
    throw decodeFailure(
      "root-not-container",
      "Undeclared JSON is recognised only if it is an object or array.",
    );

  const isSuspicious = isContainer
    ? mustBeInspected(extent, text, context.maxDepth) && inspectWithin(value, context.maxDepth)
    : typeof value === "number" && isUnsafe(value);
  if (!isSuspicious) return check === undefined ? value : accepted(check(value, "safe"));
  return withIntegers(text, value, context.maxDepth, options, check);
}

/**
 * The validated value of a text; integers that a number would round are read according to the option. A JSON Schema gets them as integers, a function
 * gets what the application will get.
 */
export function withIntegers(
  text: string,
  parsed: unknown,
  maxDepth: number,
  { readUnsafeIntegers: policy }: ResolvedJsonOptions,
  check: JsonBodyCheck | undefined,
): unknown {
  if (policy === "number") return check === undefined ? parsed : accepted(check(parsed));
  const exact = exactWithin(text, parsed, maxDepth, policy === "refuse" ? refuseInteger : BigInt);
  if (policy !== "string") return check === undefined ? exact : accepted(check(exact));
  if (check?.isOfJson !== true)
    return check === undefined ? toDigits(exact) : accepted(check(toDigits(exact)));
  accepted(check(exact));
  return toDigits(exact);
}

function accepted(result: BodyCheckResult): unknown {
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

function refuseInteger(): never {
  throw decodeFailure("value-out-of-range", "An integer is beyond the precision of a number.");
}

function checkLabel(bytes: Uint8Array, context: DeserializeContext, options: ResolvedJsonOptions): void {
  if (bytes.length === 0) throw decodeFailure("body-empty", "An empty body is not JSON.");
  if (options.byteOrderMark === "refuse" && beginsWithByteOrderMark(bytes))
    throw decodeFailure("malformed", "The body begins with a byte order mark.");
  if (context.isDeclared) checkCharset(context);
  else if (!beginsLikeContainer(bytes))
    throw decodeFailure("not-recognized", "Undeclared JSON must begin with { or [.");
}

/** Whether the first byte after a byte order mark and white space is `{` or `[`. */
function beginsLikeContainer(bytes: Uint8Array): boolean {
  let start = beginsWithByteOrderMark(bytes) ? 3 : 0;
  while (isWhiteSpace(bytes[start])) start++;
  return bytes[start] === 0x7b || bytes[start] === 0x5b;
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(beginsWithByteOrderMark(bytes) ? bytes.subarray(3) : bytes);
  } catch {
    throw utf8Invalid();
  }
}

function beginsWithByteOrderMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/**
 * Whether a parsed body must be walked. The walk can cost as much as parsing, so a large body whose bytes were checked before is only walked if
 * the check found an unusual number, or a key that may be forbidden.
 */
function mustBeInspected(extent: Extent | undefined, text: string, maxDepth: number): boolean {
  // With a very large depth limit the walk may overflow the stack.
  if (extent === undefined || extent.hasLongNumber || maxDepth > 1_000) return true;
  return text.includes("__proto__") || text.includes('"constructor"') || text.includes("\\u");
}

/** JSON between systems is UTF-8 (RFC 8259, 8.1); ASCII is its subset. */
function checkCharset(context: DeserializeContext): void {
  const charset = context.mediaType?.parameters.get("charset");
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset))
    throw decodeFailure(
      "charset-unsupported",
      "JSON is read as UTF-8 only; the content type names another charset.",
    );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the payload, so neither it nor the error is passed on.
    throw syntaxFailure(text);
  }
}

function inspectWithin(value: object, maxDepth: number): boolean {
  try {
    return inspect(value, maxDepth, maxDepth);
  } catch (error) {
    throw overflowAsDepth(error, maxDepth);
  }
}

function exactWithin(
  text: string,
  parsed: unknown,
  maxDepth: number,
  onRounded: (digits: string) => bigint,
): unknown {
  try {
    return withExactIntegers(text, parsed, onRounded);
  } catch (error) {
    throw overflowAsDepth(error, maxDepth);
  }
}

/** With a very large depth limit the stack overflows first. */
function overflowAsDepth(error: unknown, maxDepth: number): unknown {
  return error instanceof RangeError ? depthExceeded(maxDepth) : error;
}

/**
 * Walks the containers once and checks depth, keys that could pollute prototypes, and numbers beyond a double. Returns whether a number is
 * large enough to have been rounded. `for-in` over parsed objects is the fastest walk V8 has, and faster still in a function that sees no
 * arrays; recursion is bounded by the depth.
 */
function inspect(value: object, depthLeft: number, maxDepth: number): boolean {
  if (depthLeft <= 0) throw depthExceeded(maxDepth);
  return Array.isArray(value)
    ? inspectItems(value, depthLeft, maxDepth)
    : inspectMembers(value as Record<string, unknown>, depthLeft, maxDepth);
}

function inspectItems(items: readonly unknown[], depthLeft: number, maxDepth: number): boolean {
  let isSuspicious = false;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    if (typeof item === "number") {
      if (isUnsafe(item)) isSuspicious = true;
    } else if (typeof item === "object" && item !== null && inspect(item, depthLeft - 1, maxDepth))
      isSuspicious = true;
  }
  return isSuspicious;
}

function inspectMembers(
  members: Readonly<Record<string, unknown>>,
  depthLeft: number,
  maxDepth: number,
): boolean {
  let isSuspicious = false;
  for (const key in members) {
    if (key === "__proto__") throw keyForbidden(key);
    const item = members[key];
    if (typeof item === "number") {
      if (isUnsafe(item)) isSuspicious = true;
    } else if (typeof item === "object" && item !== null) {
      if (key === "constructor" && Object.hasOwn(item, "prototype")) throw keyForbidden(key);
      if (inspect(item, depthLeft - 1, maxDepth)) isSuspicious = true;
    }
  }
  return isSuspicious;
}

function isUnsafe(value: number): boolean {
  if (value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER) return false;
  if (value === Infinity || value === -Infinity)
    throw decodeFailure("value-out-of-range", "A number is beyond the range of a double.");
  return true;
}
