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

  /** A required string. */
  text(name: string): string {
    const value = this.optionalText(name);
    if (value === undefined) throw new RequestError(400, `${name} must be a string.`);
    return value;
  }

  /** A string; undefined if it is absent or empty. */
  optionalText(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value === "string") return value;
    throw new RequestError(400, `${name} must be a string.`);
  }

  /** A list of strings; undefined if it is absent. */
  optionalTexts(name: string): readonly string[] | undefined {
    const value = this.#values.get(name);
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value as string[];
    throw new RequestError(400, `${name} must be a list of strings.`);
  }

  /** The entity or sub-queue that `entity` names. */
  address(): EntityAddress {
    return addressAt(this.text("entity"));
  }

  /** An integer within limits. */
  count(
    name: string,
    { standard, min = 1, max = Number.MAX_SAFE_INTEGER }: { standard: number; min?: number; max?: number },
  ): number {
    const value = this.#values.get(name);
    if (value === undefined || value === null || value === "") return standard;
    const number = typeof value === "number" ? value : Number(value);
    if (Number.isSafeInteger(number) && number >= min && number <= max) return number;
    throw new RequestError(400, `${name} must be an integer from ${min} to ${max}.`);
  }

  /** A number above 0; undefined if it is absent. */
  optionalRate(name: string): number | undefined {
    const value = this.#values.get(name);
    if (value === undefined || value === null || value === "") return undefined;
    const number = Number(value);
    if (Number.isFinite(number) && number > 0) return number;
    throw new RequestError(400, `${name} must be a number above 0.`);
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
    if (/^\d{1,19}$/.test(text)) return BigInt(text);
    throw new RequestError(400, `${name} must be a sequence number.`);
  }

  /** A required sequence number. */
  sequenceNumber(name: string): bigint {
    const number = this.optionalSequenceNumber(name);
    if (number === undefined) throw new RequestError(400, `${name} must be a sequence number.`);
    return number;
  }

  /** An instant; undefined if it is absent. */
  optionalInstant(name: string): Date | undefined {
    const text = this.optionalText(name);
    if (text === undefined) return undefined;
    const instant = new Date(text);
    if (!Number.isNaN(instant.getTime())) return instant;
    throw new RequestError(400, `${name} must be an instant such as 2026-11-05T12:00:00Z.`);
  }

  /** The raw value. */
  raw(name: string): unknown {
    return this.#values.get(name);
  }
}
