import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Resolves so many milliseconds later; at once for a time that is over. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));
}

/** Looks again and again until it holds, or the time is over. Resolves with whether it holds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = Number.POSITIVE_INFINITY,
  everyMs = 20,
): Promise<boolean> {
  for (const endsAt = performance.now() + timeoutMs; performance.now() < endsAt; await pause(everyMs)) {
    if (await holds()) return true;
  }
  return await holds();
}

/** A folder below the system's temporary one, which is removed in the end, whatever happens. */
export function openScratch(name: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), `waybill-${name}-`));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
