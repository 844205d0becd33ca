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

/** A count with its noun in singular or plural. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : several}`;
}
