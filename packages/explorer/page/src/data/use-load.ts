import { useCallback, useEffect, useState } from "preact/hooks";
import { errorText, get } from "./api.js";

/** The state of a request: loading, loaded or failed. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

/** Loads from the API whenever the address changes; sends no request without an address. */
export function useLoad<T>(
  path: string | undefined,
  query: Readonly<Record<string, string | number | undefined>> = {},
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, "reload">>({
    value: undefined,
    error: undefined,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify([path, query]);
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    get<T>(path, query, controller.signal).then(
      (value) => setState({ value, error: undefined, isLoading: false }),
      (error) => {
        if (!controller.signal.aborted)
          setState({ value: undefined, error: errorText(error), isLoading: false });
      },
    );
    return () => controller.abort();
  }, [key, turn]);
  return { ...state, reload: useCallback(() => setTurn((before) => before + 1), []) };
}
