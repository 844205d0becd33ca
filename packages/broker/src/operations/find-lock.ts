import { messageLockLost } from "../broker-error.js";
import type { Engine } from "../engine.js";
import type { MessageStore } from "../entities/message-store.js";
import { lockSerialOf, ReceivedMessage, storedOf } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** What names a locked message: the message as received, or its lock token. */
export type LockedMessage = ReceivedMessage | string;

/** The stored message that a lock is on. Throws `message-lock-lost` when the lock has ended or never was. */
export function findLock(engine: Engine, store: MessageStore, target: LockedMessage): StoredMessage {
  if (target instanceof ReceivedMessage) {
    const message = storedOf(target);
    const serial = lockSerialOf(target);
    if (serial !== 0 && message.lockSerial === serial && message.store === store) return message;
    throw messageLockLost(store.path, `the message with sequence number ${message.sequence}`);
  }
  const identity = engine.lockTokens.parse(target);
  const message = identity?.storeId === store.id ? store.index.find(identity.sequence) : undefined;
  if (message === undefined || message.lockSerial !== identity?.serial) {
    throw messageLockLost(store.path, "the message");
  }
  return message;
}
