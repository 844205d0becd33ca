import { useCallback, useEffect, useReducer } from "preact/hooks";
import { errorText, lines } from "./api.js";
import type { SearchCounts, SearchEvent } from "./types.js";

type Hit = Extract<SearchEvent, { kind: "hit" }>;

/** What a search found so far, or in the end. */
export interface SearchState {
  readonly hits: readonly Hit[];
  readonly counts: SearchCounts;
  /** Where it is now. */
  readonly path: string | undefined;
  /** How it ended; undefined while it runs. */
  readonly end: "done" | "limit" | "stopped" | "failed" | undefined;
  readonly problem: string | undefined;
}

interface Running {
  readonly key: string;
  readonly controller: AbortController;
  state: SearchState;
}

const nothing: SearchState = {
  hits: [],
  counts: { scanned: 0, remembered: 0, expected: undefined },
  path: undefined,
  end: undefined,
  problem: undefined,
};

/** The last search. It goes on, and keeps its hits, while another view is open: Back shows them as they were. */
let current: Running | undefined;
let onChange: () => void = () => {};

/** The search of the page. */
export function useSearch() {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    onChange = () => redraw(undefined);
    return () => {
      onChange = () => {};
    };
  }, []);
  /** Starts the search of a query, unless it is the last one and not to be done anew. `again` reads what is remembered again. */
  const start = useCallback(
    (key: string, { isNew = false, again }: { isNew?: boolean; again?: "true" } = {}) => {
      if (current?.key === key && !isNew) return;
      current?.controller.abort();
      current = { key, controller: new AbortController(), state: nothing };
      void follow(current, again);
      onChange();
    },
    [],
  );
  const stop = useCallback(() => current?.controller.abort(), []);
  return { state: current?.state, start, stop };
}

async function follow(search: Running, again: "true" | undefined): Promise<void> {
  const { signal } = search.controller;
  const change = (changed: Partial<SearchState>) => {
    search.state = { ...search.state, ...changed };
    if (current === search) onChange();
  };
  const found: Hit[] = [];
  try {
    const query = { ...Object.fromEntries(new URLSearchParams(search.key)), again };
    for await (const event of lines<SearchEvent>("search", { query, signal })) {
      if (event.kind === "hit") {
        found.push(event);
        continue;
      }
      const { scanned, remembered, expected } = event;
      change({ hits: [...found], counts: { scanned, remembered, expected } });
      if (event.kind === "progress") change({ path: event.path });
      else change({ end: event.isComplete ? "done" : "limit" });
    }
  } catch (error) {
    if (signal.aborted) change({ end: "stopped" });
    else change({ end: "failed", problem: errorText(error) });
  }
}
