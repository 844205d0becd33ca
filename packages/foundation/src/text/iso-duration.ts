/** The unit of .NET's durations: 100 ns. */
const ticksPerMs = 10_000n;
const ticksPerSecond = 10_000_000n;

/** .NET's `TimeSpan.MaxValue`, which means "never". */
const maxText = "P10675199DT2H48M5.4775807S";
const maxMs = 922_337_203_685_477;
/** The same in Python, whose SDK loses digits of it. Like every value of more than {@link maxMs} it means "never", and is given back as it was. */
const pythonMaxText = "P10675199DT2H48M5.477539S";
const pythonMaxMs = 922_337_203_685_477.5;

const form = /^(-)?P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})(?:\.(\d{1,7})\d*)?S)?)?$/;

/** Formats milliseconds as an ISO 8601 duration like .NET; its maximum for `Infinity`. */
export function toIsoDuration(ms: number): string {
  if (ms === pythonMaxMs) return pythonMaxText;
  return ms >= maxMs ? maxText : ticksToIsoDuration(BigInt(Math.round(ms)) * ticksPerMs);
}

/** Formats ticks of 100 ns as an ISO 8601 duration like .NET: days, hours, minutes, seconds. */
export function ticksToIsoDuration(ticks: bigint): string {
  const magnitude = ticks < 0n ? -ticks : ticks;
  const seconds = magnitude / ticksPerSecond;
  const part = (value: bigint, unit: string) => (value === 0n ? "" : `${value}${unit}`);
  const fraction = String(magnitude % ticksPerSecond)
    .padStart(7, "0")
    .replace(/0+$/, "");
  const rest = fraction === "" ? part(seconds % 60n, "S") : `${seconds % 60n}.${fraction}S`;
  const time = `${part((seconds / 3600n) % 24n, "H")}${part((seconds / 60n) % 60n, "M")}${rest}`;
  const days = part(seconds / 86_400n, "D");
  if (days === "" && time === "") return "PT0S";
  return `${ticks < 0n ? "-" : ""}P${days}${time === "" ? "" : `T${time}`}`;
}

/**
 * Parses an ISO 8601 duration without years and months, in ms: `Infinity` for .NET's maximum, slightly less for Python's, undefined for a text
 * that is none.
 */
export function parseIsoDuration(text: string): number | undefined {
  if (text.trim() === pythonMaxText) return pythonMaxMs;
  const ticks = parseIsoTicks(text);
  if (ticks === undefined) return undefined;
  const ms = Math.round(Number(ticks) / Number(ticksPerMs));
  return ms >= maxMs ? Number.POSITIVE_INFINITY : ms;
}

/** The same in ticks of 100 ns, exactly; finer fractions are dropped. */
export function parseIsoTicks(text: string): bigint | undefined {
  const given = text.trim();
  const match = form.exec(given);
  if (match === null || !/\d/.test(given)) return undefined;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = ""] = match;
  const whole = ((BigInt(days) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const ticks = whole * ticksPerSecond + BigInt(fraction.padEnd(7, "0"));
  return sign === undefined ? ticks : -ticks;
}
