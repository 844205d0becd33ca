import { useEffect, useState } from "preact/hooks";
import { errorText, get } from "./api.js";
import type { MessagePage, MessageRow } from "./types.js";

/** The dead letters of a queue as far as they were read. */
export interface Letters {
  readonly rows: readonly MessageRow[];
  /** Undefined while they are read; false if there are more than `limit`. */
  readonly isWhole: boolean | undefined;
  readonly problem: string | undefined;
}

/** Reads the oldest dead letters of a queue, up to a limit; again whenever `turn` changes. */
export function useLetters(path: string | undefined, turn: number, limit: number): Letters {
  const [letters, setLetters] = useState<Letters>({ rows: [], isWhole: undefined, problem: undefined });
  useEffect(() => {
    if (path === undefined) return;
    const controller = new AbortController();
    setLetters({ rows: [], isWhole: undefined, problem: undefined });
    void readLetters(path, limit, controller.signal, setLetters);
    return () => controller.abort();
  }, [path, turn, limit]);
  return letters;
}

async function readLetters(
  entity: string,
  limit: number,
  signal: AbortSignal,
  onLetters: (letters: Letters) => void,
): Promise<void> {
  const rows: MessageRow[] = [];
  try {
    for (let from: string | undefined; ; ) {
      const page: MessagePage = await get("messages", { entity, from, max: 250 }, signal);
      rows.push(...page.rows);
      from = page.next;
      const isWhole = from === undefined ? true : rows.length >= limit ? false : undefined;
      onLetters({ rows: [...rows], isWhole, problem: undefined });
      if (isWhole !== undefined) return;
    }
  } catch (error) {
    if (!signal.aborted) onLetters({ rows, isWhole: false, problem: errorText(error) });
  }
}
