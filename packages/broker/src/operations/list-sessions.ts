import type { MessageStore } from "../entities/message-store.js";
import { sessionsOf } from "./accept-session.js";

/** Which sessions to list. */
export interface ListSessionsOptions {
  /** Only sessions whose state was set after this instant; without it, those that have messages. */
  readonly updatedAfter?: Date | undefined;
  /** Default 0. */
  readonly skip?: number | undefined;
  /** Default 100. */
  readonly top?: number | undefined;
}

/** The ids of a store's sessions, in order of their ids. */
export function listSessions(store: MessageStore, options: ListSessionsOptions): string[] {
  const { updatedAfter, skip = 0, top = 100 } = options;
  const ids: string[] = [];
  for (const session of sessionsOf(store).all()) {
    const isListed =
      updatedAfter === undefined
        ? session.messageCount > 0
        : session.state !== undefined && session.updatedAtMs > updatedAfter.getTime();
    if (isListed) ids.push(session.id);
  }
  return ids.sort().slice(skip, skip + top);
}
