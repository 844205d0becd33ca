/** The position of a leaf. */
export interface LeafPlace {
  /** As a JSON pointer: `/items/0/sku`, or `/applicationProperties/tenant` outside the body. */
  readonly path: string;
  /** Undefined for untyped messages. */
  readonly messageType: string | undefined;
  /** Undefined for untyped messages. */
  readonly messageVersion: number | undefined;
  /** The serializer that reads and writes the body. */
  readonly serializer: string;
}

/** Replaces one leaf of a body: a string, number, bigint, date or bytes. Must return the same kind of value, or the body can no longer be read. */
export type Redactor = (leaf: unknown, place: LeafPlace) => unknown;

const redactedDate = "2011-11-11T11:11:11.111Z";

/**
 * The default: letters become `a` or `A` and digits `1`, so that lengths, ids, e-mail addresses and ISO dates keep their form; digits of numbers
 * other than 0 become 1; bytes become ones, dates one fixed date. Booleans, null and the names of fields are kept.
 */
export function redactLeaf(leaf: unknown): unknown {
  switch (typeof leaf) {
    case "string":
      return leaf
        .replace(/\p{Lu}/gu, "A")
        .replace(/\p{L}/gu, (letter) => (letter === "A" ? "A" : "a"))
        .replace(/\p{N}/gu, "1");
    case "number":
      return Number(ones(String(leaf)));
    case "bigint":
      return BigInt(ones(String(leaf)));
    default:
      if (leaf instanceof Date) return new Date(redactedDate);
      return leaf instanceof Uint8Array ? new Uint8Array(leaf.length).fill(1) : leaf;
  }
}

/** A body with every leaf redacted, in new containers; `path` is where it begins. */
export function redactValue(
  value: unknown,
  redact: (leaf: unknown, path: string) => unknown,
  path = "",
): unknown {
  if (Array.isArray(value)) return value.map((item, index) => redactValue(item, redact, `${path}/${index}`));
  if (value instanceof Map) {
    return new Map(Array.from(value, ([key, item]) => [key, redactValue(item, redact, child(path, key))]));
  }
  if (value instanceof Set) {
    return new Set(Array.from(value, (item, index) => redactValue(item, redact, `${path}/${index}`)));
  }
  if (isFields(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, redactValue(item, redact, child(path, key))]),
    );
  }
  return redact(value, path);
}

/**
 * Whether a path is one of those to keep, such as `/status`; `*` matches any one step, and everything below a kept path is kept too.
 */
export function isKept(path: string, patterns: readonly string[]): boolean {
  const steps = path.split("/");
  return patterns.some((pattern) => {
    const wanted = pattern.split("/");
    return (
      wanted.length <= steps.length && wanted.every((step, index) => step === "*" || step === steps[index])
    );
  });
}

/** The structure of a body without its content: every path with the kind of its leaf; all items of a list share one path. */
export function shapeOf(value: unknown): string {
  const seen = new Set<string>();
  collect(value, "", seen);
  return [...seen].sort().join("\n");
}

function collect(value: unknown, path: string, seen: Set<string>): void {
  if (Array.isArray(value) || value instanceof Set) {
    seen.add(`${path}[]`);
    for (const item of value) collect(item, `${path}/*`, seen);
  } else if (value instanceof Map || isFields(value)) {
    seen.add(`${path}{}`);
    const entries = value instanceof Map ? value : Object.entries(value);
    for (const [key, item] of entries) collect(item, child(path, key), seen);
  } else {
    seen.add(
      `${path}:${value === null ? "null" : typeof value === "object" ? value.constructor?.name : typeof value}`,
    );
  }
}

/** Keeps zeros, so that 0.05 stays below 1, and exponents. */
function ones(digits: string): string {
  const [mantissa = "", ...exponent] = digits.split("e");
  return [mantissa.replace(/[1-9]/g, "1"), ...exponent].join("e");
}

function child(path: string, key: unknown): string {
  return `${path}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && !(value instanceof Date) && !ArrayBuffer.isView(value)
  );
}
