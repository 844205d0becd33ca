import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";
import { type BrokerReceivedMessage, dateOf, peekedMessage } from "../messages/received-message.js";
import { describeEntity, type EntityDescription } from "./describe-entity.js";
import { storesOf } from "./purge.js";

/** Everything in a broker at one moment, for assertions and displays. */
export interface BrokerSnapshot {
  /** By the broker's clock. */
  readonly at: Date;
  readonly entities: readonly EntityDescription[];
  /** Those that have messages or sessions. */
  readonly stores: readonly StoreSnapshot[];
}

/** The content of one queue, subscription or sub-queue. */
export interface StoreSnapshot {
  readonly path: string;
  readonly messages: readonly MessageSnapshot[];
  readonly sessions: readonly SessionSnapshot[];
}

/** A message with its internal state. */
export interface MessageSnapshot {
  readonly message: BrokerReceivedMessage;
  readonly isLocked: boolean;
  /** When its lock expires; `undefined` if it is not locked. */
  readonly lockedUntil: Date | undefined;
}

/** A session with its lock. */
export interface SessionSnapshot {
  readonly sessionId: string;
  readonly messageCount: number;
  readonly hasState: boolean;
  readonly isLocked: boolean;
  /** When its lock expires; `undefined` if it is not locked. */
  readonly lockedUntil: Date | undefined;
}

/** Takes a snapshot; stores without messages and sessions are omitted. */
export function takeSnapshot(engine: Engine, nowMs: number): BrokerSnapshot {
  const entities = [...engine.entities.all()];
  return {
    at: new Date(nowMs),
    entities: entities.map(describeEntity),
    stores: entities
      .flatMap(storesOf)
      .map(snapshotOf)
      .filter(({ messages, sessions }) => messages.length + sessions.length > 0),
  };
}

function snapshotOf(store: MessageStore): StoreSnapshot {
  return {
    path: store.path,
    messages: Array.from(store.index.read(0), (message) => ({
      message: peekedMessage(message),
      isLocked: message.isLocked,
      lockedUntil: dateOf(message.isLocked ? message.lockedUntilMs : undefined),
    })),
    sessions: Array.from(store.sessions?.all() ?? [], (session) => ({
      sessionId: session.id,
      messageCount: session.messageCount,
      hasState: session.state !== undefined,
      isLocked: session.isLocked,
      lockedUntil: dateOf(session.lock && store.engine.timers.instantOf(session.lock)),
    })),
  };
}
