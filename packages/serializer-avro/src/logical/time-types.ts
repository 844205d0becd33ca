import { costlyExtra } from "../wire/read-tap.js";
import { ConvertingType } from "./converting-type.js";

const dayMs = 86_400_000;

/** `date`: days since 1970-01-01, as the `Date` of midnight UTC. A `Date` with a time of day does not fit. */
export class DateType extends ConvertingType {
  readonly valueKind = "date";

  override _fromValue(days: unknown): Date {
    const date = new Date((days as number) * dayMs);
    if (Number.isNaN(date.getTime())) throw this.outOfRange();
    return date;
  }

  override _toValue(value: unknown): number | undefined {
    if (!(value instanceof Date)) return undefined;
    const days = value.getTime() / dayMs;
    return Number.isInteger(days) ? days : undefined;
  }
}

/**
 * `timestamp-millis` and `timestamp-micros`: instants, as `Date`. A `Date` has milliseconds; further digits are dropped (towards the past). Read
 * the type raw (`rawLogicalTypes`) to keep them.
 */
export class TimestampType extends ConvertingType {
  readonly valueKind = "date";
  readonly unitsPerMs = unitsPerMsOf(this);

  override _fromValue(units: unknown): Date {
    const date = new Date(floorDivide(units as number | bigint, this.unitsPerMs).quotient);
    if (Number.isNaN(date.getTime())) throw this.outOfRange();
    return date;
  }

  override _toValue(value: unknown): number | bigint | undefined {
    if (!(value instanceof Date) || Number.isNaN(value.getTime())) return undefined;
    return multiply(value.getTime(), this.unitsPerMs, 0);
  }

  /** A `Date` has no unit. */
  protected override conversionFrom(writer: ConvertingType): ((value: unknown) => unknown) | undefined {
    return writer instanceof TimestampType ? (instant) => instant : undefined;
  }
}

/**
 * `local-timestamp-millis` and `local-timestamp-micros`: a local date and time without a zone, which a `Date` cannot represent;
 * so it is text such as `2026-11-05T12:34:56.789`, with six digits for microseconds.
 */
export class LocalTimestampType extends ConvertingType {
  readonly valueKind = "string";
  readonly unitsPerMs = unitsPerMsOf(this);
  /** Text is expensive to create. */
  protected override readonly extraItems = costlyExtra;

  override _fromValue(units: unknown): string {
    const { quotient, remainder } = floorDivide(units as number | bigint, this.unitsPerMs);
    const date = new Date(quotient);
    if (Number.isNaN(date.getTime())) throw this.outOfRange();
    const text = date.toISOString().slice(0, -1);
    return this.unitsPerMs === 1 ? text : text + String(remainder).padStart(3, "0");
  }

  override _toValue(value: unknown): number | bigint | undefined {
    const pattern = /^((?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(\d{0,3})$/;
    const [, text, micros] = (typeof value === "string" && pattern.exec(value)) || [];
    if (text === undefined || (micros !== "" && (this.unitsPerMs === 1 || !/\.\d{3}$/.test(text))))
      return undefined;
    const date = new Date(`${text}Z`);
    // The parser reads 30 February as 2 March, and 24:00 as the next day.
    const [, day, hour] = /-(\d\d)T(\d\d)/.exec(text) ?? [];
    if (date.getUTCDate() !== Number(day) || date.getUTCHours() !== Number(hour)) return undefined;
    return multiply(date.getTime(), this.unitsPerMs, Number((micros ?? "").padEnd(3, "0")));
  }

  /** Microseconds are the last three digits. */
  protected override conversionFrom(writer: ConvertingType): ((value: unknown) => unknown) | undefined {
    if (!(writer instanceof LocalTimestampType)) return undefined;
    return this.unitsPerMs === 1 ? (text) => (text as string).slice(0, -3) : (text) => `${text}000`;
  }
}

function unitsPerMsOf({ _logicalTypeName: name }: ConvertingType): number {
  return name.endsWith("-millis") ? 1 : 1000;
}

function floorDivide(
  units: number | bigint,
  unitsPerMs: number,
): { readonly quotient: number; readonly remainder: number } {
  if (typeof units === "bigint") {
    const remainder = ((units % BigInt(unitsPerMs)) + BigInt(unitsPerMs)) % BigInt(unitsPerMs);
    return { quotient: Number((units - remainder) / BigInt(unitsPerMs)), remainder: Number(remainder) };
  }
  const quotient = Math.floor(units / unitsPerMs);
  return { quotient, remainder: units - quotient * unitsPerMs };
}

function multiply(ms: number, unitsPerMs: number, extra: number): number | bigint {
  const units = ms * unitsPerMs + extra;
  return Number.isSafeInteger(units) ? units : BigInt(ms) * BigInt(unitsPerMs) + BigInt(extra);
}
