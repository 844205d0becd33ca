import type { EntityAddress, ReceiveMode, SubQueue } from "../contracts/transport.js";
import { requireOneOf } from "../foundation/known-options.js";

/** A queue or, with a subscription, a topic: what the overloads of the client's methods name. */
export interface EntityName {
  readonly queueOrTopic: string;
  readonly subscription: string | undefined;
}

/** What a transport calls the entity. Throws `TypeError` for names and sub-queues that are none. */
export function entityAddress(
  { queueOrTopic, subscription }: EntityName,
  subQueue?: SubQueue,
): EntityAddress {
  requireName("The queue or topic", queueOrTopic);
  if (subQueue !== undefined) requireOneOf("subQueueType", subQueue, ["deadLetter", "transferDeadLetter"]);
  const part = subQueue === undefined ? {} : { subQueue };
  return subscription === undefined
    ? { queue: queueOrTopic, ...part }
    : { topic: queueOrTopic, subscription, ...part };
}

/** Refuses a name that is not there before a transport stumbles over it. */
export function requireName(what: string, name: unknown): asserts name is string {
  if (typeof name !== "string") throw new TypeError(`${what} must be named by a string; got ${typeof name}.`);
}

/** Throws `TypeError` for a receive mode that is none. */
export function requireReceiveMode(receiveMode: unknown): asserts receiveMode is ReceiveMode {
  requireOneOf("receiveMode", receiveMode, ["peekLock", "receiveAndDelete"]);
}
