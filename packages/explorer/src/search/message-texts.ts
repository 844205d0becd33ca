import type { DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { idText } from "../reads/message-row.js";
import { isContainer } from "../values/value-tree.js";
import { children } from "./json-path.js";

/** Properties that change while a message waits: nothing of them can be remembered. */
export const changingProperties = ["state", "deliveryCount", "lockedUntilUtc", "lockToken"] as const;

/** The fields of a message that are no properties, or change. */
const others: ReadonlySet<string> = new Set([
  "applicationProperties",
  "body",
  "settlement",
  ...changingProperties,
]);

/** Every text of a message that a search for a text finds: ids, properties, reasons, and what stands in its body. */
export function messageTexts(message: DeliveredMessage, outcome: DeserializationOutcome): string[] {
  const { messageId, correlationId, sequenceNumber } = message;
  const texts = [idText(messageId) ?? "", idText(correlationId) ?? "", String(sequenceNumber)];
  for (const name of namesOf(message)) {
    const value = message[name];
    if (typeof value === "string") texts.push(value);
  }
  return addTexts(texts, message, outcome);
}

/** Every text by which some criterion can find a message: with those properties that only a search for that property looks at. */
export function rememberedTexts(message: DeliveredMessage, outcome: DeserializationOutcome): string[] {
  const texts: string[] = [];
  for (const name of namesOf(message)) {
    const value = message[name];
    if (value !== undefined) texts.push(leafText(value));
  }
  return addTexts(texts, message, outcome);
}

/** Its properties that can be remembered. */
function namesOf(message: DeliveredMessage): (keyof DeliveredMessage)[] {
  return (Object.keys(message) as (keyof DeliveredMessage)[]).filter((name) => !others.has(name));
}

function addTexts(texts: string[], message: DeliveredMessage, outcome: DeserializationOutcome): string[] {
  const { applicationProperties } = message;
  for (const name of Object.keys(applicationProperties))
    texts.push(name, leafText(applicationProperties[name]));
  texts.push(...reasonTexts(message, outcome));
  addBodyTexts(texts, message, outcome);
  return texts;
}

/** Why a message was dead-lettered, in words too, and why it is undeserializable now. */
export function reasonTexts(message: DeliveredMessage, outcome: DeserializationOutcome): string[] {
  return [
    message.deadLetterReason,
    message.deadLetterErrorDescription,
    outcome.status === "undeserializable" ? outcome.reason : undefined,
    ...outcome.report.attempts.map(({ reason }) => reason),
  ].filter((text) => text !== undefined);
}

/** A leaf as it is searched for; empty for a container. */
export function leafText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid" : value.toISOString();
  return value instanceof Uint8Array ? (idText(value) ?? "") : "";
}

/** The names and the leaves of a decoded value; of an undeserializable body, its bytes as UTF-8. */
function addBodyTexts(texts: string[], { body }: DeliveredMessage, outcome: DeserializationOutcome): void {
  if (outcome.status !== "decoded") {
    if (body instanceof Uint8Array)
      texts.push(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8"));
    return;
  }
  const waiting: unknown[] = [outcome.body];
  for (let part = waiting.pop(); part !== undefined || waiting.length > 0; part = waiting.pop()) {
    if (isContainer(part)) {
      const keys = part instanceof Map ? part.keys() : Array.isArray(part) ? [] : Object.keys(part);
      for (const key of keys) texts.push(leafText(key));
      for (const child of children(part)) waiting.push(child);
    } else {
      texts.push(leafText(part));
    }
  }
}
