import assert from "node:assert/strict";
import { bytes, defineMessage, type ReceivedMessage, text } from "@waybill/core";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { clientCase } from "./client-harness.js";
import { plainJson } from "./plain-json.js";

/** Messages without a body: they are sent without bytes, arrive without a body, and are not undeserializable. */
export function emptyBodyCases(subject: TransportSubject): Case[] {
  const testCase = clientCase(subject, "empty bodies");
  return [
    testCase(
      "undefined is sent as an empty body without a content type, and arrives as undefined",
      async (harness) => {
        const { queue, client, sender } = await harness.openQueue();
        const applicationProperties = { tenant: "t" };
        await sender.sendMessages({ body: undefined, subject: "ping", applicationProperties });
        const [peeked] = await harness.peek(client, queue);
        assertSameValue(peeked?.rawBody, new Uint8Array(), "the body on the wire");
        assert.equal(peeked?.failure, undefined);
        const [message] = await harness.receive(client, queue, 1);
        assertIsEmpty(message);
        assert.equal(message?.contentType, undefined);
        assert.equal(message?.subject, "ping");
        assert.equal(message?.applicationProperties.tenant, "t");
      },
    ),
    testCase("can be sent together with other messages, in arrays and batches", async (harness) => {
      const { queue, client, sender } = await harness.openQueue();
      await sender.sendMessages([{ body: { n: 1 } }, { body: undefined, contentType: "application/json" }]);
      const batch = await sender.createMessageBatch();
      assert.ok(batch.tryAddMessage({ body: undefined }));
      assert.ok(batch.tryAddMessage({ body: null }));
      await sender.sendMessages(batch);
      const arrived = await harness.receive(client, queue, 4);
      assert.deepEqual(
        arrived.map(({ body }) => body),
        [{ n: 1 }, undefined, undefined, null],
      );
      assert.equal(arrived[1]?.contentType, "application/json");
    }),
    testCase("of other senders arrive as undefined with any content type", async (harness) => {
      const { queue, client, sender } = await harness.openQueue();
      const labels = [undefined, "application/json", "application/x-order", "image/png"];
      await sender.sendEncodedMessages(
        labels.map((contentType) => ({ body: new Uint8Array(), contentType })),
      );
      for (const message of await harness.receive(client, queue, labels.length)) assertIsEmpty(message);
    }),
    testCase("an empty string and an empty byte array arrive as sent", async (harness) => {
      const { queue, client, sender } = await harness.openQueue({
        serializer: plainJson,
        additionalDeserializers: [text(), bytes()],
      });
      await sender.sendMessages([
        { body: "", contentType: "text/plain" },
        { body: new Uint8Array(), contentType: "application/octet-stream" },
      ]);
      const [first, second] = await harness.receive(client, queue, 2);
      assert.equal(first?.body, "");
      assertSameValue(second?.body, new Uint8Array(), "no bytes");
    }),
    testCase("are allowed for a message type without a schema", async (harness) => {
      const ping = defineMessage("ping", { version: 1 });
      const { queue, client, sender } = await harness.openQueue({ messageTypes: [ping] });
      await sender.sendMessages(ping.message(undefined));
      const [message] = await harness.receive(client, queue, 1);
      assertIsEmpty(message);
      assert.ok(message !== undefined && ping.is(message));
    }),
    testCase(
      "are encrypted, and an encrypted body whose bytes were removed is dead-lettered",
      async (harness) => {
        const key = new Uint8Array(32).fill(7);
        const keys = { currentKey: () => ({ id: "k1", key }), findKey: () => key };
        const { queue, client, sender } = await harness.openQueue({ encryption: { keys } });
        await sender.sendMessages({ body: undefined });
        const [peeked] = await harness.peek(client, queue);
        const [message] = await harness.receive(client, queue, 1);
        assert.equal(message?.body, undefined);
        assert.equal(message?.deserialization.isEmpty, true);
        const lost = { body: new Uint8Array(), applicationProperties: peeked?.applicationProperties };
        await sender.sendEncodedMessages(lost);
        const none = await client.createReceiver(queue).receiveMessages(1, { maxWaitTimeInMs: 0 });
        assert.deepEqual(none, []);
        const { dead } = await harness.receiveDeadLetter(client, queue);
        assert.equal(dead.deadLetterReason, "DecryptionFailed");
      },
    ),
  ];
}

function assertIsEmpty(message: ReceivedMessage | undefined): void {
  assert.ok(message !== undefined, "a message was received");
  assert.equal(message.body, undefined);
  assert.equal(message.failure, undefined);
  assert.equal(message.deserialization.isEmpty, true);
  assert.equal(message.deserialization.serializer, undefined);
  assertSameValue(message.rawBody, new Uint8Array(), "the body on the wire");
}
