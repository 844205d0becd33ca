import { decimalsOfSecond } from "./number-text.js";

/** Ticks of 100 ns between 0001-01-01 and 1970-01-01. */
const epochTicks = 621_355_968_000_000_000n;
/** The last tick of the year 9999, the end of the range of `DateTime`. */
const maxTicks = 3_155_378_975_999_999_999n;
const ticksPerMs = 10_000n;
/** Local times of the first day of year 1 may be before it in UTC; their ticks wrap around at 62 bits. */
const firstWrapped = 2n ** 62n - 864_000_000_000n;

/** A `System.DateTime` as on the wire. */
export interface DateTime {
  /** 100 ns since 0001-01-01T00:00:00; of UTC unless the kind is unspecified. */
  readonly ticks: bigint;
  readonly isUnspecified: boolean;
}

/** Splits the 64 bits of a DateTime record into ticks and kind; undefined when they are beyond the year 9999. */
export function toDateTime(bits: bigint): DateTime | undefined {
  const kind = bits >> 62n;
  const stored = bits & (2n ** 62n - 1n);
  const ticks = kind >= 2n && stored > firstWrapped ? stored - 2n ** 62n : stored;
  return ticks > maxTicks ? undefined : { ticks, isUnspecified: kind === 0n };
}

/** The 64 bits of a UTC DateTime record; undefined for an instant beyond its range. */
export function fromDate(date: Date): bigint | undefined {
  const ms = date.getTime();
  if (Number.isNaN(ms)) return undefined;
  const ticks = BigInt(ms) * ticksPerMs + epochTicks;
  return ticks < 0n || ticks > maxTicks ? undefined : ticks | (1n << 62n);
}

/** The instant, truncated to milliseconds. A time without a zone is read as UTC, so that the result is the same on every machine. */
export function toDate({ ticks }: DateTime): Date {
  const sinceEpoch = ticks - epochTicks;
  const ms = sinceEpoch / ticksPerMs;
  // Division truncates towards zero; instants before 1970 are rounded down as well.
  return new Date(Number(sinceEpoch < 0n && ms * ticksPerMs !== sinceEpoch ? ms - 1n : ms));
}

/** ISO 8601 with up to seven digits of a second, and `Z` unless the kind is unspecified. */
export function toIsoText(dateTime: DateTime): string {
  return `${wallClock(dateTime)}${dateTime.isUnspecified ? "" : "Z"}`;
}

/** ISO 8601 with the offset of a `DateTimeOffset`, whose ticks are UTC. */
export function toOffsetText({ ticks }: DateTime, offsetMinutes: number): string {
  const shifted = { ticks: ticks + BigInt(offsetMinutes) * 600_000_000n, isUnspecified: true };
  const size = Math.abs(offsetMinutes);
  const two = (value: number) => String(value).padStart(2, "0");
  const sign = offsetMinutes < 0 ? "-" : "+";
  return `${wallClock(shifted)}${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

function wallClock(dateTime: DateTime): string {
  const seconds = toDate(dateTime).toISOString().slice(0, -5);
  const fraction = ((dateTime.ticks % 10_000_000n) + 10_000_000n) % 10_000_000n;
  return seconds + decimalsOfSecond(fraction);
}

const isoForm =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,7})\d*)?(Z|([+-])(\d{2}):(\d{2}))?$/;

/** Parses an `xs:dateTime`; undefined if it is invalid. Source: XML Schema Part 2, 3.2.7. */
export function parseDateTime(text: string): DateTime | undefined {
  const match = isoForm.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", zone, sign, offsetHour, offsetMinute] =
    match;
  const wall = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const instant = new Date(`${wall}Z`);
  if (Number.isNaN(instant.getTime()) || !instant.toISOString().startsWith(wall)) return undefined;
  const offset =
    sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(offsetHour) * 60 + Number(offsetMinute));
  const ticks =
    BigInt(instant.getTime()) * ticksPerMs +
    epochTicks +
    BigInt(fraction.padEnd(7, "0")) -
    BigInt(offset) * 600_000_000n;
  return ticks > maxTicks ? undefined : { ticks, isUnspecified: zone === undefined };
}
