import { WaybillError } from "@waybill/core";
import type { EntityAddress, TransportReceiver } from "@waybill/core/transport";
import { mapInParallel } from "@waybill/foundation";
import { lastSequenceNumber, partitionOf } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { addressAt } from "../wire/entity-path.js";
import { Fields } from "../wire/fields.js";
import { RequestError } from "../wire/request-error.js";
import { instant } from "./message-row.js";
import { readMessage, withReceiver } from "./peek.js";

/** Which queue or subscription to look into, and what for. */
export interface HealthRequest {
  readonly path: string;
  /** For its oldest active message. */
  readonly active: boolean;
  /** For its dead letters. */
  readonly deadLetters: boolean;
  /** For the number of its newest message. */
  readonly newest: boolean;
  /** That number, as it was found before: the search begins there. */
  readonly known?: bigint | undefined;
}

/** What peeking tells of a queue or subscription. */
export interface HealthView {
  readonly path: string;
  /** When it was looked at. */
  readonly at: string;
  /** When its oldest active message was enqueued; undefined if none was seen, or it could not be peeked. */
  readonly oldestAt: string | undefined;
  /**
   * The sequence number of its newest message: undefined if it has none, if it is partitioned or could not be peeked, and beside scheduled ones, which
   * get another number when they become active.
   */
  readonly newest: string | undefined;
  /** Whether a message with the number of a partition was seen. */
  readonly isPartitioned: boolean;
  /** Undefined if they were not looked for, or could not be peeked. */
  readonly deadLetters: DeadLetterHealth | undefined;
  /** Why something could not be peeked, other than that the key may not, or that the entity is gone or disabled. */
  readonly problem: string | undefined;
}

interface DeadLetterHealth {
  readonly peeked: number;
  /** How many of those peeked the chain reads now. */
  readonly readable: number;
  /** Whether all were peeked. */
  readonly isWhole: boolean;
  readonly oldestAt: string | undefined;
}

/** How many entities a request may name. */
const maxEntities = 200;
/** How many of them are looked into at the same time. */
const maxAtOnce = 8;
/** How many dead letters of an entity are read: as many as one peek returns, without one. The page of one entity reads all of them. */
const maxDeadLetters = 249;
/** How far to look for an active message behind deferred and scheduled ones. */
const maxBeforeActive = 50;

/** Reads the `entities` of a request. Throws `RequestError`. */
export function healthRequests(fields: Fields): HealthRequest[] {
  const entities = fields.raw("entities");
  if (!Array.isArray(entities) || entities.length > maxEntities)
    throw new RequestError(400, `entities must be a list of at most ${maxEntities}.`);
  return entities.map((each) => {
    const entity = Fields.of(each);
    return {
      path: entity.text("path"),
      active: entity.flag("active"),
      deadLetters: entity.flag("deadLetters"),
      newest: entity.flag("newest"),
      known: entity.optionalSequenceNumber("known"),
    };
  });
}

/** Peeks into queues and subscriptions, a few at the same time. What a key may not peek stays unknown. */
export async function eachHealth(
  context: ExplorerContext,
  requests: readonly HealthRequest[],
  onHealth: (health: HealthView) => void,
  abortSignal: AbortSignal,
): Promise<void> {
  await mapInParallel(requests, maxAtOnce, async (request) =>
    onHealth(await healthOf(context, request, abortSignal)),
  );
}

async function healthOf(
  context: ExplorerContext,
  request: HealthRequest,
  abortSignal: AbortSignal,
): Promise<HealthView> {
  const { path, active, deadLetters, newest } = request;
  const address = addressAt(path);
  const at = new Date().toISOString();
  const problems: string[] = [];
  const [messages, letters] = await Promise.all([
    active || newest
      ? unlessRefused(() => activeHealth(context, address, request, abortSignal), problems)
      : undefined,
    deadLetters ? unlessRefused(() => deadLetterHealth(context, address, abortSignal), problems) : undefined,
  ]);
  const { oldestAt, newest: last } = messages ?? {};
  const isPartitioned = last !== undefined && partitionOf(last) !== 0n;
  const number = last === undefined || isPartitioned ? undefined : String(last);
  return { path, at, oldestAt, newest: number, isPartitioned, deadLetters: letters, problem: problems[0] };
}

async function activeHealth(
  context: ExplorerContext,
  address: EntityAddress,
  request: HealthRequest,
  abortSignal: AbortSignal,
) {
  return await withReceiver(context, address, async (receiver) => {
    const messages = await receiver.peek({ maxMessages: maxBeforeActive, abortSignal });
    const oldest = messages.find(({ state }) => state === "active");
    const last = messages.at(-1)?.sequenceNumber;
    const isCounted = request.newest && messages.every(({ state }) => state !== "scheduled");
    return {
      oldestAt: instant(oldest?.enqueuedTimeUtc),
      newest:
        isCounted && last !== undefined
          ? await newestNumber(receiver, last, request.known ?? last, abortSignal)
          : undefined,
    };
  });
}

/** From the last of the oldest messages, or from where the newest one was before. */
async function newestNumber(
  receiver: TransportReceiver,
  last: bigint,
  before: bigint,
  abortSignal: AbortSignal,
): Promise<bigint> {
  return await lastSequenceNumber(receiver, { known: before > last ? before : last, abortSignal });
}

async function deadLetterHealth(
  context: ExplorerContext,
  address: EntityAddress,
  abortSignal: AbortSignal,
): Promise<DeadLetterHealth> {
  const letters = { ...address, subQueue: "deadLetter" } as const;
  return await withReceiver(context, letters, async (receiver) => {
    const messages = await receiver.peek({ maxMessages: maxDeadLetters + 1, abortSignal });
    let [peeked, readable] = [0, 0];
    let oldest: Date | undefined;
    for (const message of messages.slice(0, maxDeadLetters)) {
      const { status } = await readMessage(context, message, { abortSignal });
      peeked++;
      if (status === "decoded") readable++;
      const at = message.enqueuedTimeUtc;
      if (at !== undefined && (oldest === undefined || at < oldest)) oldest = at;
    }
    return { peeked, readable, isWhole: messages.length <= maxDeadLetters, oldestAt: instant(oldest) };
  });
}

/** What a namespace may well answer: what the key may not see, what was deleted meanwhile, or switched off. */
const expected: ReadonlySet<string> = new Set(["unauthorized", "entity-not-found", "entity-disabled"]);

async function unlessRefused<Value>(
  look: () => Promise<Value>,
  problems: string[],
): Promise<Value | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof WaybillError) || error.code === "aborted") throw error;
    if (!expected.has(error.code)) problems.push(`${error.code}: ${error.text}`);
    return undefined;
  }
}
