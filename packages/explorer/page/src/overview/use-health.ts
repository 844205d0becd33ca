import { useEffect, useReducer, useRef } from "preact/hooks";
import { errorText, lines } from "../data/api.js";
import type { EntityView, HealthView } from "../data/types.js";
import { type Look, waitingIn } from "./rates.js";

/** What is known of an entity by peeking. */
export interface Health {
  readonly view: HealthView;
  /** The last two looks at its newest message, if both found one. */
  readonly looks: readonly [Look, Look] | undefined;
}

/** What is known of the entities so far. */
export interface Healths {
  readonly byPath: ReadonlyMap<string, Health>;
  readonly problem: string | undefined;
  /** Looks at all that were not looked at yet, also those that are out of sight. */
  lookAtAll(): void;
  lookAgain(): void;
}

/** How many entities are asked for at once. */
const pieceSize = 50;
/** How often what is in view is looked at again, in milliseconds. */
const intervalMs = 30_000;

/** Peeks into the entities that are in view: once when they come into view, then from time to time while they stay. */
export function useHealth(entities: readonly EntityView[], visible: readonly string[]): Healths {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const known = useRef<Watch | undefined>(undefined);
  known.current ??= new Watch(() => redraw(undefined));
  const watch = known.current;
  watch.entities = entities;
  const paths = visible.join("\n");
  const isListed = entities.length > 0;
  useEffect(() => {
    if (!isListed || paths === "") return;
    watch.ask(paths.split("\n"), { again: false });
    const timer = setInterval(() => watch.ask(paths.split("\n"), { again: true }), intervalMs);
    return () => clearInterval(timer);
  }, [watch, paths, isListed]);
  useEffect(() => () => watch.close(), [watch]);
  return {
    byPath: watch.healths,
    problem: watch.problem,
    lookAtAll: () =>
      watch.ask(
        watch.entities.map(({ path }) => path),
        { again: false },
      ),
    lookAgain: () => watch.ask(visible, { again: true }),
  };
}

/** Asks for one piece after the other. */
class Watch {
  readonly healths = new Map<string, Health>();
  problem: string | undefined;
  entities: readonly EntityView[] = [];
  readonly #onChange: () => void;
  readonly #wanted = new Set<string>();
  readonly #lastLooks = new Map<string, Look>();
  /** The newest message of a partitioned entity says nothing of the others, also while only its first partition has messages. */
  readonly #partitioned = new Set<string>();
  readonly #closing = new AbortController();
  #isAsking = false;
  #isDrawing = false;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  ask(paths: readonly string[], { again }: { readonly again: boolean }): void {
    for (const path of paths) if (again || !this.healths.has(path)) this.#wanted.add(path);
    void this.#work();
  }

  close(): void {
    this.#closing.abort();
  }

  async #work(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      this.problem = undefined;
      while (this.#wanted.size > 0) await this.#askFor([...this.#wanted].slice(0, pieceSize));
    } catch (error) {
      this.#wanted.clear();
      if (!this.#closing.signal.aborted) this.problem = errorText(error);
    } finally {
      this.#isAsking = false;
      this.#changed();
    }
  }

  async #askFor(paths: readonly string[]): Promise<void> {
    const asked = new Map(
      this.entities.filter(({ path }) => paths.includes(path)).map((each) => [each.path, each]),
    );
    const body = { entities: Array.from(asked.values(), (entity) => this.#requestOf(entity)) };
    for await (const view of lines<HealthView>("health", { body, signal: this.#closing.signal })) {
      this.healths.set(view.path, this.#healthOf(view, asked.get(view.path)));
      this.#changed();
    }
    for (const path of paths) this.#wanted.delete(path);
  }

  /** Draws once for all that came before the next picture. */
  #changed(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      if (!this.#closing.signal.aborted) this.#onChange();
    });
  }

  /**
   * What the counts call empty is not peeked, and where the broker counts arrivals, nobody needs the newest message. Beside scheduled messages its number
   * would be misread: they get another one when they become active.
   */
  #requestOf({ path, counts }: EntityView) {
    const last = this.#lastLooks.get(path);
    return {
      path,
      active: counts === undefined || counts.active > 0,
      deadLetters: counts === undefined || counts.deadLetter > 0,
      newest:
        counts?.arrived === undefined &&
        !this.#partitioned.has(path) &&
        (counts === undefined || (waitingIn(counts) > 0 && counts.scheduled === 0)),
      known: last === undefined ? undefined : String(last.newest),
    };
  }

  #healthOf(view: HealthView, entity: EntityView | undefined): Health {
    const { path, newest, isPartitioned, at } = view;
    if (isPartitioned) this.#partitioned.add(path);
    const before = this.#lastLooks.get(path);
    if (newest === undefined) {
      this.#lastLooks.delete(path);
      return { view, looks: undefined };
    }
    const waiting = entity?.counts && waitingIn(entity.counts);
    const look = { at: Date.parse(at), newest: BigInt(newest), waiting };
    this.#lastLooks.set(path, look);
    return { view, looks: before === undefined ? undefined : [before, look] };
  }
}
