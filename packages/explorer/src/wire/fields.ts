import type { EntityAddress } from "@waybill/core/transport";
import { addressAt } from "./entity-path.js";
import { RequestError } from "./request-error.js";

/** The fields of a query or of a JSON body, with type checks. Every method throws `RequestError`. */
export class Fields {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: Iterable<readonly [string, unknown]>) {
    this.#values = new Map(values);
  }

  /** The fields of an object; throws for anything else. */
  static of(value: unknown): Fields {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new RequestError(400, "The body must be a JSON object.");
    return new Fields(Object.entries(value));
  }

  /** The same without some fields. */
  without(...names: readonly string[]): Fields {
    return new Fields([...this.#values].filter(([name]) => !names.includes(name)));
  }

  /** A required string. */
  text(name: string): string {
    return this.optionalText(name) ?? refuse(name, "a string");
  }

  /** A string; undefined if it is absent or empty. */
  optionalText(name: string): string | undefined {
    return this.#read(name, "a string", (value) => (typeof value === "string" ? value : undefined));
  }

  /** A list of strings; undefined if it is absent. */
  optionalTexts(name: string): readonly string[] | undefined {
    const value = this.#values.get(name) ?? undefined;
    const isFine = Array.isArray(value) && value.every((item) => typeof item === "string");
    return value === undefined || isFine ? value : refuse(name, "a list of strings");
  }

  /** The entity or sub-queue that `entity` names. */
  address(): EntityAddress {
    return addressAt(this.text("entity"));
  }

  /** An integer within limits. */
  count(name: string, { standard, ...limits }: { standard: number; min?: number; max?: number }): number {
    return this.optionalCount(name, limits) ?? standard;
  }

  /** An integer within limits; undefined if it is absent. */
  optionalCount(
    name: string,
    { min = 1, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number },
  ): number | undefined {
    return this.#read(name, `an integer from ${min} to ${max}`, (value) => {
      const number = Number(value);
      return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined;
    });
  }

  /** A number above 0; undefined if it is absent. */
  optionalRate(name: string): number | undefined {
    return this.#read(name, "a number above 0", (value) => {
      const number = Number(value);
      return Number.isFinite(number) && number > 0 ? number : undefined;
    });
  }

  /** Whether it is `true`. */
  flag(name: string): boolean {
    const value = this.#values.get(name);
    return value === true || value === "true" || value === "1";
  }

  /** A sequence number; undefined if it is absent. */
  optionalSequenceNumber(name: string): bigint | undefined {
    const text = this.optionalText(name);
    if (text === undefined) return undefined;
    return /^\d{1,19}$/.test(text) ? BigInt(text) : refuse(name, "a sequence number");
  }

  /** A required sequence number. */
  sequenceNumber(name: string): bigint {
    return this.optionalSequenceNumber(name) ?? refuse(name, "a sequence number");
  }

  /** An instant; undefined if it is absent. */
  optionalInstant(name: string): Date | undefined {
    const text = this.optionalText(name);
    if (text === undefined) return undefined;
    const instant = new Date(text);
    const expected = "an instant such as 2026-11-05T12:00:00Z";
    return Number.isNaN(instant.getTime()) ? refuse(name, expected) : instant;
  }

  /** A required instant. */
  instant(name: string): Date {
    return this.optionalInstant(name) ?? refuse(name, "an instant such as 2026-11-05T12:00:00Z");
  }

  /** The raw value. */
  raw(name: string): unknown {
    return this.#values.get(name);
  }

  /** The value that `convert` returns; undefined if the field is absent or empty. */
  #read<Value>(
    name: string,
    expected: string,
    convert: (value: unknown) => Value | undefined,
  ): Value | undefined {
    const value = this.#values.get(name);
    if (value === undefined || value === null || value === "") return undefined;
    return convert(value) ?? refuse(name, expected);
  }
}

function refuse(name: string, expected: string): never {
  throw new RequestError(400, `${name} must be ${expected}.`);
}
