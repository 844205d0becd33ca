import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";
import { type BrokerError, messageLockLost } from "../errors/broker-error.js";
import { MessageLock, storedOf } from "../messages/message-lock.js";
import type { BrokerReceivedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Identifies a locked message: the received message, its lock, or its lock token. */
export type LockedMessage = BrokerReceivedMessage | MessageLock | string;

/** The stored message of a lock. Throws `message-lock-lost` if the lock has ended or never existed. */
export function findLock(engine: Engine, store: MessageStore, target: LockedMessage | bigint): StoredMessage {
  if (typeof target === "bigint") return findLocked(store, target);
  if (typeof target === "string") return findByToken(engine, store, target);
  const lock = target instanceof MessageLock ? target : target.lock;
  const stored = lock && storedOf(lock);
  if (lock?.isHeld && stored?.store === store) return stored;
  throw lockLost(store, stored?.sequence ?? (target as BrokerReceivedMessage).sequenceNumber);
}

function lockLost({ path }: MessageStore, sequence: number | bigint): BrokerError {
  return messageLockLost(path, `the message with sequence number ${sequence}`);
}

function findLocked(store: MessageStore, sequenceNumber: bigint): StoredMessage {
  const message = store.index.find(Number(sequenceNumber));
  if (message?.isLocked) return message;
  throw lockLost(store, sequenceNumber);
}

function findByToken(engine: Engine, store: MessageStore, token: string): StoredMessage {
  const named = engine.lockTokens.parse(token);
  const message = named && store.index.find(named.sequence);
  if (message?.lock !== undefined) {
    if (message.lock.serial === named?.serial && message.lock.secret === named.secret) return message;
  }
  throw messageLockLost(store.path, "the message");
}
