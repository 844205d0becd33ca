import type { BodyCheck, DeserializeContext } from "@waybill/core";
import { decodeFailure, validationFailure } from "@waybill/core";
import type { ResolvedJsonOptions } from "./json-serializer.js";
import { syntaxFailure } from "./syntax-failure.js";
import { reviveIntegers } from "./unsafe-integers.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads one JSON value. Throws `decodeFailure` or, when the value breaks its schema, `validationFailure`. */
export function readJson(
  bytes: Uint8Array,
  context: DeserializeContext,
  options: ResolvedJsonOptions,
  check: BodyCheck | undefined,
): unknown {
  const text = decodeText(bytes, context, options);
  let value = parse(text);
  const isContainer = typeof value === "object" && value !== null;
  if (!isContainer && !context.isDeclared)
    throw decodeFailure("root-not-container", "Only an object or array is taken for undeclared JSON.");

  const isSuspicious = isContainer
    ? inspectWithin(value as object, context.maxDepth)
    : typeof value === "number" && isUnsafe(value);
  if (isSuspicious) value = reviveIntegers(text, value, options.readUnsafeIntegers);

  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}

function decodeText(bytes: Uint8Array, context: DeserializeContext, options: ResolvedJsonOptions): string {
  if (bytes.length === 0) throw decodeFailure("body-empty", "An empty body is not JSON.");
  let start = 0;
  if (context.isDeclared) {
    checkCharset(context);
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
      if (options.byteOrderMark === "refuse")
        throw decodeFailure("malformed", "The body begins with a byte order mark.");
      start = 3;
    }
  } else if (bytes[0] !== 0x7b && bytes[0] !== 0x5b) {
    throw decodeFailure("not-recognized", "Undeclared JSON begins with { or [.");
  }
  try {
    return utf8.decode(start === 0 ? bytes : bytes.subarray(start));
  } catch {
    throw decodeFailure("utf8-invalid", "The body is not valid UTF-8.");
  }
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
    // The stack ends before a very large limit does.
    if (error instanceof RangeError) throw depthExceeded(maxDepth);
    throw error;
  }
}

/**
 * Walks the containers once: depth, keys that would reach for prototypes, numbers beyond a double. Returns whether a number is
 * large enough to have been rounded. `for-in` over parsed objects is the fastest walk V8 has; recursion is bounded by the depth.
 */
function inspect(value: object, depthLeft: number, maxDepth: number): boolean {
  if (depthLeft <= 0) throw depthExceeded(maxDepth);
  let isSuspicious = false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      if (typeof item === "object") {
        if (item !== null && inspect(item, depthLeft - 1, maxDepth)) isSuspicious = true;
      } else if (typeof item === "number" && isUnsafe(item)) isSuspicious = true;
    }
    return isSuspicious;
  }
  for (const key in value) {
    const item: unknown = (value as Record<string, unknown>)[key];
    if (typeof item === "object") {
      if (item !== null) {
        if (key === "__proto__" || (key === "constructor" && Object.hasOwn(item, "prototype")))
          throw forbiddenKey(key);
        if (inspect(item, depthLeft - 1, maxDepth)) isSuspicious = true;
      } else if (key === "__proto__") throw forbiddenKey(key);
    } else if (key === "__proto__") throw forbiddenKey(key);
    else if (typeof item === "number" && isUnsafe(item)) isSuspicious = true;
  }
  return isSuspicious;
}

function depthExceeded(maxDepth: number): Error {
  return decodeFailure("depth-exceeded", `The body is nested beyond ${maxDepth} levels.`);
}

function isUnsafe(value: number): boolean {
  if (value <= Number.MAX_SAFE_INTEGER && value >= Number.MIN_SAFE_INTEGER) return false;
  if (value === Infinity || value === -Infinity)
    throw decodeFailure("value-out-of-range", "A number is beyond the range of a double.");
  return true;
}

function forbiddenKey(key: string): Error {
  return key === "__proto__"
    ? decodeFailure("key-forbidden", 'The body has a key "__proto__".')
    : decodeFailure("key-forbidden", 'The body has a key "prototype" under "constructor".');
}
