import { createPipeline, type EncodedMessage, type Transport } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { openFixture, replaced } from "../fixture.test-support.js";
import { repairDeadLetters } from "./repair-dead-letters.js";
import type { RepairOptions } from "./repair-options.js";

/** The chain of the repairs: MessagePack, and JSON to read. */
export const pipeline = createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] });
/** An order in JSON. */
export const order = (id: number): EncodedMessage => ({
  ...(pipeline.serialize({ body: { id }, contentType: "application/json" }) as EncodedMessage),
  messageId: `order-${id}`,
  subject: "order-placed",
});
/** Bytes that nothing reads. */
export const garbage: EncodedMessage = { body: Uint8Array.of(0xff, 0xfe), messageId: "garbage" };

/** A fixture with dead-lettered messages in the queue "orders". */
export async function openDeadLetters(messages: readonly EncodedMessage[], options: object = {}) {
  const fixture = openFixture();
  await fixture.broker.createQueue("orders", options);
  for (const message of messages) {
    await fixture.send("orders", message);
    await fixture.deadLetter({ queue: "orders" });
  }
  fixture.clock.advance(1_000);
  const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
  const deadReceiver = fixture.transport.createReceiver(
    { queue: "orders", subQueue: "deadLetter" },
    "peekLock",
  );
  return {
    ...fixture,
    repair: (more: Partial<RepairOptions> = {}) =>
      repairDeadLetters({
        transport: fixture.transport,
        pipeline,
        from: { queue: "orders" },
        maxWaitTimeInMs: 0,
        ...more,
      }),
    waiting: () => receiver.peek({ maxMessages: 1000 }),
    dead: () => deadReceiver.peek({ maxMessages: 1000 }),
    [Symbol.asyncDispose]: fixture[Symbol.asyncDispose],
  };
}

/** A transport that fails from a given operation on, as if the process had been killed. */
export function failing(
  transport: Transport,
  when: "before-send" | "after-send" | "before-complete",
): Transport {
  const die = () => Promise.reject(new Error("killed"));
  return replaced(transport, {
    createSender(entity) {
      const sender = transport.createSender(entity);
      return replaced(sender, {
        async send(messages) {
          if (when === "after-send") await sender.send(messages);
          return when === "before-complete" ? sender.send(messages) : die();
        },
      });
    },
    createReceiver: (address, mode) =>
      replaced(transport.createReceiver(address, mode), when === "before-complete" ? { complete: die } : {}),
  });
}
