import type { DeadLetterReason } from "@waybill/core";
import { isRefusedBySchema } from "./schema-check.js";
import { type Webhook, webhooks } from "./webhooks.js";

/** A generation of producers: what it writes, and where the consumer's chain has the serializer that reads it. */
export interface Era {
  readonly title: string;
  readonly serializer: "json" | "avro" | "msgpack";
  readonly contentType: string;
  /** In the chain `avro → json → msgpack`. */
  readonly position: number;
}

/** The content type of a message: its own, none, that of another era, or an unknown one. */
export type Label = "right" | "none" | "wrong" | "unknown";

/** What happened to the bytes on the way: nothing, the second half is missing, or the first byte is overwritten. */
export type Damage = "none" | "truncated" | "corrupted";

/** How a message is sent. */
export interface Treatment {
  readonly title: string;
  readonly label: Label;
  readonly isCompressed: boolean;
  readonly damage: Damage;
  /** How many of 24 messages are sent this way. */
  readonly share: number;
}

/** What must happen to a message: decoded by a serializer of the chain, or dead-lettered with a reason. */
export type Fate =
  | { readonly status: "decoded"; readonly serializer: string; readonly position: number }
  | { readonly status: "dead-lettered"; readonly reason: DeadLetterReason };

/** One message of the plan. */
export interface Shipment {
  readonly number: number;
  readonly messageId: string;
  readonly webhook: Webhook;
  readonly era: Era;
  readonly treatment: Treatment;
  readonly fate: Fate;
}

/** The three eras, oldest first. */
export const eras: readonly Era[] = [
  { title: "JSON v1", serializer: "json", contentType: "application/json", position: 1 },
  { title: "Avro v2", serializer: "avro", contentType: "application/avro", position: 0 },
  { title: "MessagePack v3", serializer: "msgpack", contentType: "application/vnd.msgpack", position: 2 },
];

/** The ways to send, in the order of the table. */
export const treatments: readonly Treatment[] = [
  { title: "labelled right", label: "right", isCompressed: false, damage: "none", share: 9 },
  { title: "no ContentType", label: "none", isCompressed: false, damage: "none", share: 3 },
  { title: "wrong ContentType", label: "wrong", isCompressed: false, damage: "none", share: 3 },
  { title: "unknown ContentType", label: "unknown", isCompressed: false, damage: "none", share: 1 },
  { title: "gzip'd", label: "right", isCompressed: true, damage: "none", share: 3 },
  { title: "gzip'd, no ContentType", label: "none", isCompressed: true, damage: "none", share: 1 },
  { title: "truncated", label: "right", isCompressed: false, damage: "truncated", share: 1 },
  { title: "gzip'd and truncated", label: "right", isCompressed: true, damage: "truncated", share: 1 },
  { title: "corrupted", label: "right", isCompressed: false, damage: "corrupted", share: 1 },
  { title: "corrupted, no ContentType", label: "none", isCompressed: false, damage: "corrupted", share: 1 },
];

/** Every payload once in every era. */
export const fullRound = webhooks.length * eras.length;

const wheel = treatments.flatMap((treatment) => new Array<Treatment>(treatment.share).fill(treatment));

/** Plans message number 0, 1, 2 …: always the same for the same number. */
export function planShipment(number: number): Shipment {
  const webhook = inTurn(webhooks, number);
  // 329 leaves 2 when divided by 3, so that after three rounds each payload has been sent in each era.
  const era = inTurn(eras, number);
  const treatment = inTurn(wheel, number * 7 + Math.floor(number / wheel.length));
  return {
    number,
    messageId: `webhook-${number}`,
    webhook,
    era,
    treatment,
    fate: planFate(webhook, era, treatment),
  };
}

/** Cycles through the items by number. */
export function inTurn<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new RangeError("There is nothing to choose from.");
  return item;
}

/** The number in a message id that {@link planShipment} gave, or undefined. */
export function shipmentNumber(messageId: unknown): number | undefined {
  const digits = typeof messageId === "string" ? /^webhook-(\d+)$/.exec(messageId)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The rules of the chain, written a second time by hand. Damage is always detected: none of the three formats reads half a body, or begins with the
 * byte 0xc1.
 */
function planFate(webhook: Webhook, era: Era, { label, isCompressed, damage }: Treatment): Fate {
  if (damage === "truncated" && isCompressed) return deadLettered("DecompressionFailed");
  // Without a content type and without the leading byte of a format, no serializer is tried.
  if (damage === "corrupted" && label === "none") return deadLettered("NoDeserializer");
  if (damage !== "none") return deadLettered("DeserializationFailed");
  if (isRefusedBySchema(webhook)) return deadLettered("ValidationFailed");
  return { status: "decoded", serializer: era.serializer, position: era.position };
}

function deadLettered(reason: DeadLetterReason): Fate {
  return { status: "dead-lettered", reason };
}
