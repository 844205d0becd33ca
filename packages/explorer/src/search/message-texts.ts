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
  return textsOf(message, outcome, (value) => typeof value === "string");
}

/** Every text by which some criterion can find a message: with those properties that only a search for that property looks at. */
export function rememberedTexts(message: DeliveredMessage, outcome: DeserializationOutcome): string[] {
  return textsOf(message, outcome, () => true);
}

function textsOf(
  message: DeliveredMessage,
  outcome: DeserializationOutcome,
  isWanted: (property: unknown) => boolean,
): string[] {
  const { messageId, correlationId, sequenceNumber, applicationProperties } = message;
  const texts = [idText(messageId) ?? "", idText(correlationId) ?? "", String(sequenceNumber)];
  for (const [name, value] of Object.entries(message))
    if (!others.has(name) && value !== undefined && isWanted(value)) texts.push(leafText(value));
  for (const [name, value] of Object.entries(applicationProperties)) texts.push(name, leafText(value));
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
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "invalid" : value.toISOString();
  if (value instanceof Uint8Array) return idText(value) ?? "";
  return typeof value === "object" && value !== null ? "" : String(value);
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
