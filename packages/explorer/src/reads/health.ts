import { WaybillError } from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import { parseEntityPath } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { type EntityView, listEntities } from "./entities.js";
import { instant } from "./message-row.js";
import { readMessage, withReceiver } from "./peek.js";

/** What peeking tells of a queue or subscription. */
export interface HealthView {
  readonly path: string;
  /** When its oldest active message was enqueued; undefined if none was seen, or it could not be peeked. */
  readonly oldestAt: string | undefined;
  /** Undefined if they could not be peeked. */
  readonly deadLetters: DeadLetterHealth | undefined;
}

interface DeadLetterHealth {
  readonly peeked: number;
  /** How many of those peeked the chain reads now. */
  readonly readable: number;
  /** Whether all were peeked. */
  readonly isWhole: boolean;
  readonly oldestAt: string | undefined;
}

/** How many dead letters of an entity are read: the page of one entity reads all of them. */
const maxDeadLetters = 500;
/** How far to look for an active message behind deferred and scheduled ones. */
const maxBeforeActive = 50;

/** Peeks into every queue and subscription. Those that the counts call empty are not peeked; what a key may not peek stays unknown. */
export async function eachHealth(
  context: ExplorerContext,
  onHealth: (health: HealthView) => void,
  abortSignal: AbortSignal,
): Promise<void> {
  for (const entity of await listEntities(context, abortSignal)) {
    if (entity.kind === "topic") continue;
    onHealth(await healthOf(context, entity, abortSignal));
  }
}

async function healthOf(
  context: ExplorerContext,
  { path, counts }: EntityView,
  abortSignal: AbortSignal,
): Promise<HealthView> {
  const address = parseEntityPath(path) as EntityAddress;
  const empty = { peeked: 0, readable: 0, isWhole: true, oldestAt: undefined };
  return {
    path,
    oldestAt:
      counts?.active === 0
        ? undefined
        : await unlessRefused(() => oldestActive(context, address, abortSignal)),
    deadLetters:
      counts?.deadLetter === 0
        ? empty
        : await unlessRefused(() => deadLetterHealth(context, address, abortSignal)),
  };
}

async function oldestActive(
  context: ExplorerContext,
  address: EntityAddress,
  abortSignal: AbortSignal,
): Promise<string | undefined> {
  return await withReceiver(context, address, async (receiver) => {
    const messages = await receiver.peek({ maxMessages: maxBeforeActive, abortSignal });
    return instant(messages.find(({ state }) => state === "active")?.enqueuedTimeUtc);
  });
}

async function deadLetterHealth(
  context: ExplorerContext,
  address: EntityAddress,
  abortSignal: AbortSignal,
): Promise<DeadLetterHealth> {
  const letters = { ...address, subQueue: "deadLetter" } as const;
  return await withReceiver(context, letters, async (receiver) => {
    let [peeked, readable] = [0, 0];
    let oldest: Date | undefined;
    for await (const page of peekPages(receiver, { maxMessages: maxDeadLetters + 1, abortSignal })) {
      for (const message of page) {
        if (peeked === maxDeadLetters) return { peeked, readable, isWhole: false, oldestAt: instant(oldest) };
        const { status } = await readMessage(context, message, { abortSignal });
        peeked++;
        if (status === "decoded") readable++;
        const at = message.enqueuedTimeUtc;
        if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at;
      }
    }
    return { peeked, readable, isWhole: true, oldestAt: instant(oldest) };
  });
}

async function unlessRefused<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof WaybillError && error.code !== "aborted") return undefined;
    throw error;
  }
}
