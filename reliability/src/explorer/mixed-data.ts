import type { Broker } from "@waybill/broker";
import { createPipeline, type EncodedMessage, type Transport } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

/**
 * Dead letters of every kind that a repair selects by, in the order of their sequence numbers, from 1. The fifth was cut off; the sixth was sent again
 * twice before.
 */
const letters = [
  { messageId: "mixed-1", deadLetterReason: "Late", subject: "placed", serializer: "json" },
  { messageId: "mixed-2", deadLetterReason: "Late", subject: "paid", serializer: "json" },
  { messageId: "mixed-3", deadLetterReason: "Refused", subject: "placed", serializer: "msgpack" },
  { messageId: "mixed-4", deadLetterReason: "Refused", subject: "paid", serializer: "msgpack" },
  { messageId: "mixed-5", deadLetterReason: "Broken", subject: "placed", serializer: "json" },
  { messageId: "mixed-6", deadLetterReason: "Late", subject: "placed", serializer: "json" },
] as const;

const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });

/** Makes a queue with them, a queue `…-target`, and a queue `…-once` that detects duplicates. */
export async function fillMixed(
  broker: Broker,
  transport: Transport,
  { queue, lockDurationMs = 60_000 }: { readonly queue: string; readonly lockDurationMs?: number },
): Promise<void> {
  await broker.createQueue(queue, { lockDurationMs });
  await broker.createQueue(`${queue}-target`);
  await broker.createQueue(`${queue}-once`, { requiresDuplicateDetection: true });
  await deadLetterMixed(transport, queue);
}

/** Adds all of them once more. */
export async function deadLetterMixed(transport: Transport, queue: string): Promise<void> {
  const sender = transport.createSender(queue);
  const receiver = transport.createReceiver({ queue }, "peekLock");
  for (const letter of letters) {
    await sender.send([await encoded(letter)]);
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    const { deadLetterReason } = letter;
    await receiver.deadLetter(message?.settlement ?? {}, { deadLetterReason });
  }
  await receiver.close();
  await sender.close();
}

async function encoded({
  messageId,
  subject,
  serializer,
}: (typeof letters)[number]): Promise<EncodedMessage> {
  const applicationProperties = messageId === "mixed-6" ? { "waybill-resubmits": 2 } : {};
  const message = { messageId, subject, applicationProperties, body: { messageId } };
  const whole = await pipeline.serialize(message, { writeAs: { serializer } });
  return messageId === "mixed-5" ? { ...whole, body: new TextEncoder().encode('{"id":') } : whole;
}
