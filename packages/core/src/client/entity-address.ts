import { requireOneOf } from "@waybill/foundation";
import type { EntityAddress, ReceiveMode, SubQueue } from "../contracts/transport.js";

/** A queue or, with a subscription, a topic, as given to the overloads of the client's methods. */
export interface EntityName {
  readonly queueOrTopic: string;
  readonly subscription: string | undefined;
}

/** The arguments of an overloaded method: a queue, or a topic and its subscription, then the others. */
export type EntityArguments<Others extends unknown[]> =
  | [queue: string, ...others: Others]
  | [topic: string, subscription: string, ...others: Others];

/** The entity of these arguments, and the others. */
export function entityFirst<Others extends unknown[]>([
  queueOrTopic,
  second,
  ...others
]: EntityArguments<Others>): [entity: EntityName, ...others: Others] {
  const entity =
    typeof second === "string"
      ? [{ queueOrTopic, subscription: second }]
      : [{ queueOrTopic, subscription: undefined }, second];
  return [...entity, ...others] as unknown as [EntityName, ...Others];
}

/** The entity's address for a transport. Throws `TypeError` for invalid names and sub-queues. */
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

/** Throws `TypeError` unless the name is a string. */
export function requireName(what: string, name: unknown): asserts name is string {
  if (typeof name !== "string") throw new TypeError(`${what} must be named by a string; got ${typeof name}.`);
}

/** Throws `TypeError` for an invalid receive mode. */
export function requireReceiveMode(receiveMode: unknown): asserts receiveMode is ReceiveMode {
  requireOneOf("receiveMode", receiveMode, ["peekLock", "receiveAndDelete"]);
}
