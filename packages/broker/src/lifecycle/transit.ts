import type { ApplicationProperties } from "../messages/message.js";
import type { MessageContent } from "../messages/message-content.js";
import type { Carried, StoredMessage } from "../messages/stored-message.js";

/** A message moving between stores. It owns one reference to its body. */
export interface Transit extends Carried {
  /** The sequence number already assigned in the next entity; absent if that assigns one. */
  readonly sequence: number | undefined;
  /** Time to live from its next arrival on, capped by every entity it passes. */
  readonly lifeMs: number;
  /** Reads the application properties of a message sent as `wire`, while it is being sent. */
  readonly readProperties: (() => ApplicationProperties) | undefined;
}

/** A message that was just received from a sender. */
export function newTransit(
  content: MessageContent,
  readProperties?: Transit["readProperties"],
  sequence?: number,
): Transit {
  return {
    content,
    propertyChanges: undefined,
    enqueuedSequence: undefined,
    sequence,
    wasScheduled: false,
    lifeMs: content.timeToLiveMs ?? Number.POSITIVE_INFINITY,
    hops: 0,
    deadLetterSource: undefined,
    readProperties,
  };
}

/** A message that leaves a store for another entity; its time to live restarts there. */
export function transitOf(message: StoredMessage): Transit {
  const { content, propertyChanges, enqueuedSequence, hops, deadLetterSource } = message;
  const { lifeMs, wasScheduled } = message;
  return {
    content,
    propertyChanges,
    enqueuedSequence,
    sequence: undefined,
    wasScheduled,
    lifeMs,
    hops,
    deadLetterSource,
    readProperties: undefined,
  };
}
