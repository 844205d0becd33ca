/** The replacement of an integer that a number would round. */
type OnRounded = (digits: string) => bigint;

/**
 * What `JSON.parse` rounded in a value: the digits of a number, or the rounded parts of an object or array by key or index; undefined if it rounded
 * nothing.
 */
type Rounded = string | ReadonlyMap<string | number, Rounded> | undefined;

/**
 * Replaces the integers that `JSON.parse` rounded by bigints; `rounded` is `JSON.parse(text)`, which is changed in place. An integer counts as
 * rounded if its number would print other digits; of duplicate keys the last counts, as in `JSON.parse`. One pass over the text, without a copy
 * of it. Throws what `onRounded` throws.
 */
export function withExactIntegers(text: string, rounded: unknown, onRounded: OnRounded = BigInt): unknown {
  return replaced(rounded, new Walk(text).value(), onRounded);
}

function replaced(value: unknown, rounded: Rounded, onRounded: OnRounded): unknown {
  if (rounded === undefined) return value;
  if (typeof rounded === "string") return onRounded(rounded);
  const container = value as Record<string | number, unknown>;
  for (const [key, part] of rounded) container[key] = replaced(container[key], part, onRounded);
  return container;
}

/** Replaces the bigints of a value by strings of their digits, in place. */
export function toDigits(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const item = record[key];
    if (typeof item === "bigint" || typeof item === "object") record[key] = toDigits(item);
  }
  return record;
}

/** Whether there is a bigint anywhere in a value. */
export function holdsBigInt(value: unknown): boolean {
  if (typeof value === "bigint") return true;
  // A value of another format may hold bytes.
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return false;
  if (Array.isArray(value)) return value.some(holdsBigInt);
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "bigint" || (typeof item === "object" && holdsBigInt(item))) return true;
  }
  return false;
}

/** Returns a value with its bigints as the nearest numbers; parts without bigints are shared. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value;
  let copy: unknown[] | Record<string, unknown> | undefined;
  for (const [key, item] of Object.entries(value)) {
    const replaced = withNumbers(item);
    if (replaced === item) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    (copy as Record<string, unknown>)[key] = replaced;
  }
  return copy ?? value;
}

/**
 * A walk through a valid JSON text that finds the rounded integers. They are replaced after the walk: a later duplicate of a key, at any level above,
 * may still drop them.
 */
class Walk {
  readonly #text: string;
  #index = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Skips one value of the text. */
  value(): Rounded {
    const code = this.#next();
    if (code === 0x7b) return this.#object();
    if (code === 0x5b) return this.#array();
    if (code === 0x2d || isDigit(code)) return this.#number();
    if (code === 0x22) this.#index = afterString(this.#text, this.#index);
    else this.#index += code === 0x66 ? "false".length : "null".length;
    return undefined;
  }

  #object(): Rounded {
    let parts: Map<string, Rounded> | undefined;
    this.#index++;
    while (this.#next() !== 0x7d) {
      const start = this.#index;
      const end = afterString(this.#text, start);
      this.#index = end;
      this.#next();
      this.#index++;
      const part = this.value();
      if (part !== undefined) {
        parts ??= new Map();
        parts.set(this.#key(start, end), part);
      } else if (parts !== undefined) parts.delete(this.#key(start, end));
      if (this.#next() === 0x2c) this.#index++;
    }
    this.#index++;
    return parts;
  }

  #array(): Rounded {
    let parts: Map<number, Rounded> | undefined;
    this.#index++;
    for (let at = 0; this.#next() !== 0x5d; at++) {
      const part = this.value();
      if (part !== undefined) {
        parts ??= new Map();
        parts.set(at, part);
      }
      if (this.#next() === 0x2c) this.#index++;
    }
    this.#index++;
    return parts;
  }

  #number(): Rounded {
    const start = this.#index;
    const text = this.#text;
    let end = start + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    const isInteger = !isFraction(text.charCodeAt(end));
    while (isNumberPart(text.charCodeAt(end))) end++;
    this.#index = end;
    if (!isInteger || end - start <= 15) return undefined;
    const digits = text.slice(start, end);
    return String(Number(digits)) === digits ? undefined : digits;
  }

  #key(start: number, end: number): string {
    const quoted = this.#text.slice(start, end);
    return quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  }

  #next(): number {
    let code = this.#text.charCodeAt(this.#index);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09)
      code = this.#text.charCodeAt(++this.#index);
    return code;
  }
}

function afterString(text: string, start: number): number {
  let index = start + 1;
  for (let code = text.charCodeAt(index); code !== 0x22; code = text.charCodeAt(++index))
    if (code === 0x5c) index++;
  return index + 1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A point or an `e`. */
function isFraction(code: number): boolean {
  return code === 0x2e || (code | 0x20) === 0x65;
}

function isNumberPart(code: number): boolean {
  return isDigit(code) || isFraction(code) || code === 0x2b || code === 0x2d;
}
