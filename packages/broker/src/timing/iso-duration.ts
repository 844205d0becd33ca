/** .NET's `TimeSpan.MaxValue`, which means "never". */
const MAX_TEXT = "P10675199DT2H48M5.4775807S";
const MAX_MS = 922_337_203_685_477;
/** The same in Python, whose SDK loses digits of it. Like every value of more than {@link MAX_MS} it means "never", and is given back as it was. */
const PYTHON_MAX_TEXT = "P10675199DT2H48M5.477539S";
const PYTHON_MAX_MS = 922_337_203_685_477.5;

const FORM = /^(-)?P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12}(?:\.\d{1,9})?)S)?)?$/;

/** Formats an ISO 8601 duration like .NET: days, hours, minutes, seconds; its maximum for `Infinity`. */
export function toIsoDuration(ms: number): string {
  if (ms === PYTHON_MAX_MS) return PYTHON_MAX_TEXT;
  if (ms >= MAX_MS) return MAX_TEXT;
  const seconds = Math.floor(ms / 1000);
  const part = (value: number, unit: string) => (value === 0 ? "" : `${value}${unit}`);
  const fraction =
    ms % 1000 === 0
      ? ""
      : `.${String(ms % 1000)
          .padStart(3, "0")
          .replace(/0+$/, "")}`;
  const days = part(Math.floor(seconds / 86_400), "D");
  const hours = part(Math.floor(seconds / 3600) % 24, "H");
  const minutes = part(Math.floor(seconds / 60) % 60, "M");
  const rest = seconds % 60 === 0 && fraction === "" ? "" : `${seconds % 60}${fraction}S`;
  const time = `${hours}${minutes}${rest}`;
  if (days === "" && time === "") return "PT0S";
  return `P${days}${time === "" ? "" : `T${time}`}`;
}

/**
 * Parses an ISO 8601 duration without years and months, in ms: `Infinity` for .NET's maximum, slightly less for Python's, undefined for a text
 * that is none.
 */
export function parseIsoDuration(text: string): number | undefined {
  const given = text.trim();
  if (given === PYTHON_MAX_TEXT) return PYTHON_MAX_MS;
  const match = FORM.exec(given);
  if (match === null || !/\d/.test(given)) return undefined;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0"] = match;
  const ms = Math.round(
    Number(days) * 86_400_000 + Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(seconds) * 1000,
  );
  if (ms >= MAX_MS) return Number.POSITIVE_INFINITY;
  return sign === undefined ? ms : -ms;
}
