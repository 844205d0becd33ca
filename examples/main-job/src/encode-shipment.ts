import { createPipeline, type EncodedMessage, type Message, type Pipeline } from "@waybill/core";
import { type Damage, type Era, eras, inTurn, type Shipment } from "./plan.js";
import { producerSerializer } from "./serializers.js";
import { versionOf } from "./webhook-versions.js";

/** The message a producer of the shipment's era makes. */
export function toMessage({ messageId, webhook, treatment }: Shipment): Message {
  return {
    messageId,
    subject: webhook.event,
    body: webhook.payload,
    applicationProperties: {
      schemaVersion: versionOf(webhook).version,
      ...(treatment.isCompressed ? { "Content-Encoding": "gzip" } : {}),
    },
  };
}

/** Whether the shipment is sent correctly: with the right content type and undamaged. */
export function isWellBehaved({ treatment }: Shipment): boolean {
  return treatment.label === "right" && treatment.damage === "none";
}

/** The shipment on the wire, with its content type and damage. The same bytes each time. */
export async function encodeShipment(shipment: Shipment): Promise<EncodedMessage> {
  const pipeline = pipelines.get(shipment.era);
  if (pipeline === undefined) throw new TypeError(`No producer writes ${shipment.era.title}.`);
  const message = await pipeline.serialize(toMessage(shipment));
  const body = damaged(message.body as Uint8Array, shipment.treatment.damage);
  return { ...message, body, contentType: contentType(shipment, message.contentType) };
}

const pipelines: ReadonlyMap<Era, Pipeline> = new Map(
  eras.map((era) => [era, createPipeline({ serializer: producerSerializer(era) })]),
);

function damaged(body: Uint8Array, damage: Damage): Uint8Array {
  switch (damage) {
    case "none":
      return body;
    case "truncated":
      return body.slice(0, body.length >> 1);
    case "corrupted": {
      const copy = body.slice();
      copy[0] = 0xc1;
      return copy;
    }
  }
}

function contentType({ number, era, treatment }: Shipment, right: string | undefined): string | undefined {
  switch (treatment.label) {
    case "right":
      return right;
    case "none":
      return undefined;
    case "unknown":
      return "application/x-webhook";
    case "wrong": {
      const others = eras.filter((other) => other !== era);
      return inTurn(others, number).contentType;
    }
  }
}
