import { InvalidArgumentError } from "commander";

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `30s`, `10m`, `2h` or `7d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const unitMs = units[unit];
  if (unitMs === undefined)
    throw new InvalidArgumentError(`"${text}" is not a duration. Write 500ms, 30s, 10m, 2h or 7d.`);
  return Math.round(Number(amount) * unitMs);
}

/** An instant such as `2026-11-05T12:00:00Z`. */
export function parseInstant(text: string): Date {
  const instant = new Date(text);
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  // JavaScript reads 30 February as 2 March.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  if (isDay && !Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError(`"${text}" is not an instant. Write 2026-11-05T12:00:00Z.`);
}

/** An instant, or a duration from now. */
export function parseWhen(text: string): Date {
  if (!/^[\d.]+[a-z]+$/.test(text)) return parseInstant(text);
  const instant = new Date(Date.now() + parseDuration(text));
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError(`"${text}" from now is beyond the last instant.`);
}
