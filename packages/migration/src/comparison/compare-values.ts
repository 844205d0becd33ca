import { isPlain, isSameValue } from "./is-same-value.js";

/**
 * How two values differ: `undefined-null` – one is null where the other is undefined or absent; `missing` and `added` – a field that only the
 * one of them has; `date` – a Date against a string or number, or another instant; `bigint` – a bigint against a number or string;
 * `precision` – two numbers that differ only in the last digits; `not-finite` – NaN, an infinity or -0; `bytes` – other bytes, or bytes
 * against something else; `map` – a Map or Set against an object or array; `order` – the same entries of a Map or Set in another order;
 * `length` – lists of another length; `type` – values of other types; `value` – other strings, numbers or booleans.
 */
export type DifferenceKind =
  | "undefined-null"
  | "missing"
  | "added"
  | "date"
  | "bigint"
  | "precision"
  | "not-finite"
  | "bytes"
  | "map"
  | "order"
  | "length"
  | "type"
  | "value";

/** Called for each difference with its path, such as `/lines/[]/price`, and its kind. Items are `[]`; keys that look like data are `{}`. */
export type DifferenceListener = (path: string, kind: DifferenceKind) => void;

/** Maximum number of differences reported per comparison. */
const maxDifferences = 100;

/** Compares what readers get from an old and a new format. Reports no values, and only keys that look like field names. */
export function compareValues(before: unknown, after: unknown, onDifference: DifferenceListener): void {
  let reported = 0;
  compare(before, after, "", (path, kind) => {
    if (reported++ < maxDifferences) onDifference(path === "" ? "/" : path, kind);
  });
}

function compare(before: unknown, after: unknown, path: string, onDifference: DifferenceListener): void {
  if (isSameValue(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    compareLists(before, after, path, onDifference);
  } else if (isContainer(before) && isContainer(after) && isPlain(before) && isPlain(after)) {
    compareFields(before, after, path, onDifference);
  } else if (before instanceof Map && after instanceof Map) {
    compareMaps(before, after, path, onDifference);
  } else {
    onDifference(path, kindOf(before, after));
  }
}

function compareLists(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string,
  onDifference: DifferenceListener,
): void {
  if (before.length !== after.length) onDifference(path, "length");
  const seen = new Set<string>();
  // All items have the same path, so each kind is reported once per list.
  const reportOnce: DifferenceListener = (where, kind) => {
    const key = `${where}\n${kind}`;
    if (seen.has(key)) return;
    seen.add(key);
    onDifference(where, kind);
  };
  for (let index = 0; index < Math.min(before.length, after.length); index++) {
    compare(before[index], after[index], `${path}/[]`, reportOnce);
  }
}

function compareFields(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: string,
  onDifference: DifferenceListener,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const where = `${path}/${nameOrData(key)}`;
    const isBefore = Object.hasOwn(before, key);
    const isAfter = Object.hasOwn(after, key);
    if (isBefore && isAfter) compare(before[key], after[key], where, onDifference);
    else if (isEmpty(isBefore ? before[key] : after[key])) onDifference(where, "undefined-null");
    else onDifference(where, isBefore ? "missing" : "added");
  }
}

function compareMaps(
  before: ReadonlyMap<unknown, unknown>,
  after: ReadonlyMap<unknown, unknown>,
  path: string,
  onDifference: DifferenceListener,
): void {
  const isKeyedAlike = before.size === after.size && [...before.keys()].every((key) => after.has(key));
  if (!isKeyedAlike) {
    onDifference(path, before.size === after.size ? "value" : "length");
    return;
  }
  const isSameOrder = isSameValue([...before.keys()], [...after.keys()]);
  if (!isSameOrder) onDifference(path, "order");
  for (const [key, value] of before) compare(value, after.get(key), `${path}/{}`, onDifference);
}

function kindOf(before: unknown, after: unknown): DifferenceKind {
  const either = (is: (value: unknown) => boolean) => is(before) || is(after);
  if (isEmpty(before) && isEmpty(after)) return "undefined-null";
  if (either((value) => value instanceof Date)) return "date";
  if (either((value) => value instanceof Uint8Array)) return "bytes";
  if (either((value) => value instanceof Map || value instanceof Set))
    return kindOfCollections(before, after);
  if (either((value) => typeof value === "bigint")) return "bigint";
  if (typeof before === "number" || typeof after === "number") {
    if (either((value) => typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))) {
      return "not-finite";
    }
    if (typeof before === "number" && typeof after === "number") {
      return isClose(before, after) ? "precision" : "value";
    }
  }
  return typeof before === typeof after && !isContainer(before) && !isContainer(after) ? "value" : "type";
}

function kindOfCollections(before: unknown, after: unknown): DifferenceKind {
  if (!(before instanceof Set && after instanceof Set)) return "map";
  if (before.size !== after.size) return "length";
  return [...before].every((item) => after.has(item)) ? "order" : "value";
}

/** Whether they differ by no more than the rounding of a single-precision float, the least precise type of any format. */
function isClose(before: number, after: number): boolean {
  return Math.abs(before - after) <= Math.max(Math.abs(before), Math.abs(after)) * 2 ** -23;
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** The key if it looks like a field name, else `{}`: keys of dictionaries are data, and data is not reported. */
function nameOrData(key: string): string {
  return /^[A-Za-z_$][A-Za-z_$-]*\d{0,2}$/.test(key) && key.length <= 64 ? key : "{}";
}
