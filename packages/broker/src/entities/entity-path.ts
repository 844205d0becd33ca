import { type BrokerError, refusal } from "../errors/broker-error.js";

/** A topic's `main` store holds its scheduled messages, and messages not yet copied to all subscriptions. */
export type StoreKind = "main" | "dead-letter" | "transfer-dead-letter";

/** A parsed path: an entity, and one of its stores. */
export interface EntityPath {
  readonly entity: string;
  readonly store: StoreKind;
}

/** Visits each run of slashes only once, so its time is linear. */
const outerSlashes = /^\/+|(?<!\/)\/+$/g;
const subQueue = /\/(\$transfer\/)?\$deadletterqueue$/i;
const nameForm = /^[\p{L}\p{N}](?:[\p{L}\p{N}._/-]*[\p{L}\p{N}_])?$/u;
const childName = /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}_])?$/u;
const nameLimit = 260;
const childNameLimit = 50;

/** Parses the address of an entity or sub-queue; leading and trailing slashes are ignored. */
export function splitEntityPath(path: string): EntityPath {
  const trimmed = path.replace(outerSlashes, "");
  const match = subQueue.exec(trimmed);
  if (match === null) return { entity: trimmed, store: "main" };
  return {
    entity: trimmed.slice(0, match.index),
    store: match[1] === undefined ? "dead-letter" : "transfer-dead-letter",
  };
}

/** The key of an entity: its path, case-insensitive. */
export function entityKey(path: string): string {
  return path.toLowerCase();
}

/** The path of a subscription. */
export function subscriptionPath(topic: string, subscription: string): string {
  return `${topic}/Subscriptions/${subscription}`;
}

/** Checks the name of a queue or topic; throws `argument-error`. */
export function checkEntityName(name: string): void {
  if (name.length > nameLimit || !nameForm.test(name) || name.includes("//"))
    throw badName(name, nameLimit, ", slashes");
}

/** Checks the name of a subscription or rule; throws `argument-error`. */
export function checkChildName(name: string): void {
  if (name.length > childNameLimit || !(childName.test(name) || name === "$Default")) {
    throw badName(name, childNameLimit, "");
  }
}

function badName(name: string, limit: number, more: string): BrokerError {
  const entity = name.slice(0, limit);
  const allowed = `at most ${limit} letters, digits, periods, hyphens${more} and underscores`;
  const text = `'${entity}' is not a name: expected ${allowed}, with a letter or digit first and a letter, digit or underscore last.`;
  return refusal(entity, "argument-error", text);
}
