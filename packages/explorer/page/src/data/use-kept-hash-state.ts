import { useEffect, useRef } from "preact/hooks";
import type { Route } from "./route.js";
import { useHashState } from "./use-hash-state.js";

/** A setting beside all views: the addresses of all of them hold it, also those that a link without it leads to. */
export function useKeptHashState(name: string, route: Route): readonly [string, (value: string) => void] {
  const [held = "", hold] = useHashState(name);
  const kept = useRef(held);
  useEffect(() => {
    if (held !== "") kept.current = held;
    else if (kept.current !== "") hold(kept.current);
  }, [held, hold, route]);
  const set = (value: string) => {
    kept.current = value;
    hold(value);
  };
  return [held === "" ? kept.current : held, set];
}
