/** The maximum of .NET's TimeSpan, which means "never". */
const MAX_MS = 922_337_203_685_477;
const FORM = /^P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12}(?:\.\d{1,9})?)S)?)?$/i;

/** Reads an ISO 8601 duration without years and months, in ms; `Infinity` for .NET's maximum, undefined for invalid texts. */
export function parseIsoDuration(text: string): number | undefined {
  const match = FORM.exec(text.trim());
  if (match === null || !/\d/.test(text)) return undefined;
  const [, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
  const wholeMs = Number(days) * 86_400_000 + Number(hours) * 3_600_000 + Number(minutes) * 60_000;
  const ms = wholeMs + Math.round(Number(seconds) * 1000);
  return ms >= MAX_MS ? Number.POSITIVE_INFINITY : ms;
}

/** The reverse of {@link parseIsoDuration}. */
export function toIsoDuration(ms: number): string {
  return ms === Number.POSITIVE_INFINITY ? "P10675199DT2H48M5.4775807S" : `PT${ms / 1000}S`;
}
