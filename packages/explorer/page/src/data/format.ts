const counts = new Intl.NumberFormat("en");

/** A count with separated thousands. */
export function countText(count: number): string {
  return counts.format(count);
}

/** A size in bytes, for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

/** An instant in UTC, without `T` and milliseconds. */
export function timeText(instant: string | undefined): string {
  return instant === undefined ? "–" : instant.replace("T", " ").replace(/\.\d+Z$/, "Z");
}

const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

/** How long ago an instant was, or in how long it will be, in its largest unit. */
export function agoText(instant: string, now: number): string {
  const seconds = Math.round((new Date(instant).getTime() - now) / 1_000);
  const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  return seconds === 0 ? "now" : relative.format(Math.trunc(seconds / length), unit);
}

/** A count with its noun in singular or plural. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : several}`;
}
