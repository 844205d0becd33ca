import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";
import type { ReceiveMode } from "../entities/waiter.js";
import { messageNotFound, refusal } from "../errors/broker-error.js";
import { expireMessage } from "../lifecycle/expire-message.js";
import type { BrokerReceivedMessage } from "../messages/received-message.js";
import type { StoredMessage } from "../messages/stored-message.js";
import { handOut } from "./receive.js";

/** Limits of one call. */
export interface ReceiveDeferredOptions {
  /** Maximum size of all messages together, in bytes; default: none. */
  readonly maxSizeInBytes?: number | undefined;
}

/**
 * Receives deferred messages by sequence number, all or none. Throws `message-not-found` for a number without a deferred message, or one
 * that is locked or of another session. A deferred message expires only when it is requested. Source: "Message deferral".
 */
export function receiveDeferred(
  engine: Engine,
  store: MessageStore,
  sequenceNumbers: readonly bigint[],
  mode: ReceiveMode,
  sessionId: string | undefined,
  { maxSizeInBytes = Number.POSITIVE_INFINITY }: ReceiveDeferredOptions,
  nowMs: number,
): BrokerReceivedMessage[] {
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
  checkSize(store, messages, maxSizeInBytes);
  return Array.from(messages, (message) => handOut(engine, message, mode, nowMs));
}

function checkSize({ path }: MessageStore, messages: Iterable<StoredMessage>, limit: number): void {
  let bytes = 0;
  let isShut = false;
  for (const { content, session } of messages) {
    bytes += content.sizeInBytes;
    isShut ||= session?.lock?.isShut === true;
  }
  if (bytes > limit) {
    const text = `The deferred messages of '${path}' have ${bytes} bytes together, and one call takes at most ${limit}. Ask for fewer.`;
    throw refusal(path, "message-size-exceeded", text);
  }
  if (!isShut) return;
  const text = `So many messages of the session of '${path}' are held that some have to be settled first.`;
  throw refusal(path, "quota-exceeded", text);
}

function isExpired({ store, expiryMs }: StoredMessage, nowMs: number): boolean {
  return store.kind === "main" && expiryMs !== undefined && expiryMs <= nowMs;
}
