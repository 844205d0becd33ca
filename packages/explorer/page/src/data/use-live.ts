import { useEffect, useState } from "preact/hooks";
import { errorText, lines } from "./api.js";
import type { EntityView, LiveView, RepairJobView } from "./types.js";

/** The current counts and repairs. */
export interface Live {
  readonly entities: readonly EntityView[] | undefined;
  readonly repairs: readonly RepairJobView[];
  readonly at: string | undefined;
  readonly error: string | undefined;
}

/** How long to wait before reopening the stream, in ms. */
const retryMs = 3_000;

/** Follows the counts through a stream that stays open. */
export function useLive(): Live {
  const [live, setLive] = useState<Live>({
    entities: undefined,
    repairs: [],
    at: undefined,
    error: undefined,
  });
  useEffect(() => {
    const controller = new AbortController();
    void follow(controller.signal, setLive);
    return () => controller.abort();
  }, []);
  return live;
}

async function follow(signal: AbortSignal, onLive: (change: (before: Live) => Live) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { at, entities, repairs, error } of lines<LiveView>("live", { signal }))
        onLive(() => ({ at, entities, repairs, error }));
    } catch (error) {
      if (!signal.aborted) onLive((before) => ({ ...before, error: errorText(error) }));
    }
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
