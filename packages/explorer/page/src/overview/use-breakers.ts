import { useEffect } from "preact/hooks";
import type { About, BreakerView } from "../data/types.js";
import { useLoad } from "../data/use-load.js";

/** How often the beacons are read again, in milliseconds. */
const intervalMs = 15_000;

/** The circuit breakers by the path of the entity in lower case, as running readers announce them; undefined if the explorer knows no beacons. */
export function useBreakers({ hasBeacons }: About) {
  const { value, error, reload } = useLoad<readonly BreakerView[]>(hasBeacons ? "breakers" : undefined);
  useEffect(() => {
    if (!hasBeacons) return;
    const timer = setInterval(reload, intervalMs);
    return () => clearInterval(timer);
  }, [hasBeacons, reload]);
  const breakers = new Map((value ?? []).map((breaker) => [breaker.path.toLowerCase(), breaker]));
  return { breakers: hasBeacons ? breakers : undefined, problem: error, reload };
}
