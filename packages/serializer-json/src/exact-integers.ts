/** The replacement of an integer that a number would round; `undefined` for an exact one. */
type OnRounded = (digits: string) => bigint;

/**
 * Replaces the integers that `JSON.parse` rounded by bigints; `rounded` is `JSON.parse(text)`, which is changed in place. An integer counts as
 * rounded if its number would print other digits. Walks the text together with its value, without a copy of either. Throws what `onRounded`
 * throws.
 */
export function withExactIntegers(text: string, rounded: unknown, onRounded: OnRounded = BigInt): unknown {
  return new Walk(text, onRounded).value(rounded);
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
 * A walk through a valid JSON text and its value. Of duplicate keys the value has only the last, while the text has all: a replacement by an
 * earlier one is corrected when the last is reached.
 */
class Walk {
  readonly #text: string;
  readonly #onRounded: OnRounded;
  #index = 0;

  constructor(text: string, onRounded: OnRounded) {
    this.#text = text;
    this.#onRounded = onRounded;
  }

  /** Skips one value of the text; returns its replacement, given the current value. */
  value(current: unknown): unknown {
    const code = this.#next();
    if (typeof current === "bigint") return this.#value(this.#parsedAgain(), code);
    return this.#value(current, code);
  }

  #value(current: unknown, code: number): unknown {
    if (code === 0x7b) return this.#object(current);
    if (code === 0x5b) return this.#array(current);
    if (code === 0x22) this.#index = afterString(this.#text, this.#index);
    else if (code === 0x2d || isDigit(code)) return this.#number(current);
    else this.#index += code === 0x66 ? "false".length : "null".length;
    return current;
  }

  #object(current: unknown): unknown {
    const target = isRecord(current) ? current : undefined;
    this.#index++;
    while (this.#next() !== 0x7d) {
      const key = this.#key();
      const own = target !== undefined && Object.hasOwn(target, key) ? target[key] : undefined;
      this.#next();
      this.#index++;
      const item = this.value(own);
      if (target !== undefined && item !== own) target[key] = item;
      if (this.#next() === 0x2c) this.#index++;
    }
    this.#index++;
    return current;
  }

  #array(current: unknown): unknown {
    const target: unknown[] = Array.isArray(current) ? current : [];
    this.#index++;
    for (let at = 0; this.#next() !== 0x5d; at++) {
      const own = target[at];
      const item = this.value(own);
      if (item !== own) target[at] = item;
      if (this.#next() === 0x2c) this.#index++;
    }
    this.#index++;
    return current;
  }

  #number(current: unknown): unknown {
    const start = this.#index;
    const text = this.#text;
    let end = start + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    const isInteger = !isFraction(text.charCodeAt(end));
    while (isNumberPart(text.charCodeAt(end))) end++;
    this.#index = end;
    if (!isInteger || end - start <= 15 || typeof current !== "number") return current;
    const digits = text.slice(start, end);
    return String(current) === digits || Number(digits) !== current ? current : this.#onRounded(digits);
  }

  #key(): string {
    const start = this.#index;
    this.#index = afterString(this.#text, start);
    const key = this.#text.slice(start + 1, this.#index - 1);
    return key.includes("\\") ? (JSON.parse(`"${key}"`) as string) : key;
  }

  /** The value before an earlier duplicate of its key replaced it. */
  #parsedAgain(): unknown {
    const start = this.#index;
    this.#value(undefined, this.#text.charCodeAt(start));
    const value: unknown = JSON.parse(this.#text.slice(start, this.#index));
    this.#index = start;
    return value;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
