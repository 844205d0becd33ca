import { messageNotFound } from "../broker-error.js";
import type { Engine } from "../engine.js";
import type { MessageStore } from "../entities/message-store.js";
import type { ReceiveMode } from "../entities/waiter.js";
import { expireMessage } from "../lifecycle/expire-message.js";
import type { ReceivedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { handOut } from "./receive.js";

/**
 * Receives deferred messages by number, all or none. Throws `message-not-found` for a number that names no deferred message,
 * or one that is locked or of another session. A message whose time to live is over expires when it is asked for, not before.
 * Source: "Message deferral".
 */
export function receiveDeferred(
  engine: Engine,
  store: MessageStore,
  sequenceNumbers: readonly bigint[],
  mode: ReceiveMode,
  sessionId: string | undefined,
  nowMs: number,
): ReceivedMessage[] {
  const messages = new Set(
    sequenceNumbers.map((sequenceNumber) => {
      const message = store.index.find(Number(sequenceNumber));
      if (message?.state !== "deferred" || message.isLocked || message.session?.id !== sessionId) {
        throw messageNotFound(store.path, sequenceNumber, "deferred");
      }
      return message;
    }),
  );
  const expired = [...messages].filter((message) => isExpired(message, nowMs));
  const [first] = expired;
  if (first !== undefined) {
    const { sequence } = first;
    for (const message of expired) expireMessage(engine, message, nowMs);
    throw messageNotFound(store.path, BigInt(sequence), "deferred");
  }
  return Array.from(messages, (message) => handOut(engine, message, mode, nowMs));
}

function isExpired({ store, expiryMs }: StoredMessage, nowMs: number): boolean {
  return store.kind === "main" && expiryMs !== undefined && expiryMs <= nowMs;
}
