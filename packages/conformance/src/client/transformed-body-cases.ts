import assert from "node:assert/strict";
import {
  type ClaimCheckStore,
  type EncryptionKeyProvider,
  parseDeadLetterRecord,
  WaybillError,
} from "@waybill/core";
import { required } from "@waybill/foundation";
import type { Case } from "../case.js";
import { rejectsWith } from "../outcome.js";
import { assertSameValue } from "../same-value.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { clientCase, noise, resubmitted } from "./client-harness.js";

/** Bodies that are stored elsewhere, compressed or encrypted. */
export function transformedBodyCases(subject: TransportSubject): Case[] {
  const testCase = clientCase(subject);
  const tooLarge = (subject.maxMessageBytes ?? 256 * 1024) + 1;
  return [
    testCase("claim check: a body larger than the message limit is sent and received", async (harness) => {
      const { store, bodies } = mapStore();
      const { queue, client, sender } = await harness.openQueue({ claimCheck: { store } });
      const body = { text: noise(tooLarge) };
      await sender.sendMessages([{ body }, { body: { n: 1 } }, { body }]);
      const [first, second, third] = await harness.receive(client, queue, 3);
      assert.deepEqual(
        [required(first).body, required(second).body, required(third).body],
        [body, { n: 1 }, body],
      );
      assert.equal(required(second).deserialization.claimCheck, undefined);
      assert.deepEqual(
        [...bodies.keys()].sort(),
        [required(first).deserialization.claimCheck, required(third).deserialization.claimCheck].sort(),
      );
    }),
    testCase(
      "claim check: the message stays in the queue while the store is unavailable",
      async (harness) => {
        const { store, bodies } = mapStore();
        const unavailableBackoff = { initialDelayInMs: 0 };
        const { queue, client, sender } = await harness.openQueue({
          claimCheck: { store, minBytes: 10 },
          unavailableBackoff,
        });
        await sender.sendMessages({ body: { text: "large enough" } });
        const away = { ...store, get: () => Promise.reject(new Error("not reachable")) };
        const consumer = harness.client({ claimCheck: { store: away }, unavailableBackoff });
        const receiver = consumer.createReceiver(queue);
        await rejectsWith("unavailable", () => receiver.receiveMessages(1));
        await receiver.close();
        assert.equal(bodies.size, 1);
        const message = required((await harness.receive(client, queue, 1))[0]);
        assert.deepEqual(message.body, { text: "large enough" });
        assert.ok(message.deliveryCount > 0, "the first delivery was abandoned");
      },
    ),
    testCase(
      "claim check: sending fails while the store is unavailable, and nothing is sent",
      async (harness) => {
        const store = { ...mapStore().store, put: () => Promise.reject(new Error("not reachable")) };
        const { queue, client, sender } = await harness.openQueue({ claimCheck: { store, minBytes: 10 } });
        const messages = [{ body: 1 }, { body: "large enough", messageId: "b" }];
        const error = await rejectsWith("unavailable", () => sender.sendMessages(messages));
        assert.equal(error.messageId, "b");
        assert.deepEqual(await harness.peek(client, queue), []);
      },
    ),
    testCase(
      "claim check: a message whose stored body is gone is dead-lettered unchanged, and can be sent again",
      async (harness) => {
        const { store, bodies } = mapStore();
        const { queue, client, sender } = await harness.openQueue({ claimCheck: { store, minBytes: 10 } });
        await sender.sendMessages({ body: { text: "large enough" }, messageId: "a" });
        const [[key, body]] = [...bodies] as [[string, Uint8Array]];
        await store.delete(key);
        const receiver = client.createReceiver(queue);
        assert.deepEqual(await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 }), []);
        const { dead, complete } = await harness.receiveDeadLetter(client, queue);
        assert.equal(dead.deadLetterReason, "ClaimCheckFailed");
        assert.deepEqual(reasons(dead), ["claim-check-missing"]);
        assertSameValue(dead.rawBody, new Uint8Array(), "the body on the wire");
        await store.put(key, body, {});
        await sender.sendEncodedMessages(resubmitted(dead));
        await complete();
        const again = required((await harness.receive(client, queue, 1))[0]);
        assert.deepEqual(again.body, { text: "large enough" });
      },
    ),
    testCase("encryption: a body can be read only with the key", async (harness) => {
      const { queue, client, sender } = await harness.openQueue({ encryption: { keys: ring("k1") } });
      await sender.sendMessages({ body: { note: "confidential" }, subject: "order" });
      const unread = required((await harness.peek(harness.client(), queue))[0]);
      assert.equal(unread.failure?.status, "undeserializable");
      const raw = new TextDecoder("latin1").decode(unread.rawBody as Uint8Array);
      assert.ok(!raw.includes("confidential"), "the body is encrypted on the wire");
      const message = required((await harness.receive(client, queue, 1))[0]);
      assert.deepEqual(message.body, { note: "confidential" });
      assert.equal(message.deserialization.encryptionKeyId, "k1");
    }),
    testCase(
      "encryption: a message with an unknown key is dead-lettered unchanged, and can be sent again",
      async (harness) => {
        const queue = await harness.createQueue();
        const producer = harness.client({ encryption: { keys: ring("k2") } });
        await producer.createSender(queue).sendMessages({ body: { n: 1 }, subject: "order", messageId: "a" });
        const sent = required((await harness.peek(producer, queue))[0]);
        const older = harness.client({ encryption: { keys: ring("k1") } });
        await older.createReceiver(queue).receiveMessages(1, { maxWaitTimeInMs: 0 });
        const { dead, complete } = await harness.receiveDeadLetter(older, queue);
        assert.equal(dead.deadLetterReason, "DecryptionFailed");
        assert.deepEqual(reasons(dead), ["key-unknown"]);
        assertSameValue(dead.rawBody, sent.rawBody, "the body on the wire");
        await producer.createSender(queue).sendEncodedMessages(resubmitted(dead));
        await complete();
        assert.deepEqual(required((await harness.receive(producer, queue, 1))[0]).body, { n: 1 });
      },
    ),
    testCase(
      "encryption: the message stays in the queue while the key provider is unavailable",
      async (harness) => {
        const unavailableBackoff = { initialDelayInMs: 0 };
        const { queue, client, sender } = await harness.openQueue({ encryption: { keys: ring("k1") } });
        await sender.sendMessages({ body: { n: 1 } });
        const away = { ...ring("k1"), findKey: () => Promise.reject(new Error("not reachable")) };
        const receiver = harness
          .client({ encryption: { keys: away }, unavailableBackoff })
          .createReceiver(queue);
        await rejectsWith("unavailable", () => receiver.receiveMessages(1));
        await receiver.close();
        assert.deepEqual(required((await harness.receive(client, queue, 1))[0]).body, { n: 1 });
      },
    ),
    testCase(
      "encryption: plaintext is dead-lettered if only encrypted bodies are accepted",
      async (harness) => {
        const queue = await harness.createQueue();
        await harness
          .client()
          .createSender(queue)
          .sendMessages({ body: { n: 1 } });
        const client = harness.client({ encryption: { keys: ring("k1") } });
        await client.createReceiver(queue).receiveMessages(1, { maxWaitTimeInMs: 0 });
        const { dead } = await harness.receiveDeadLetter(client, queue);
        assert.deepEqual(reasons(dead), ["plaintext-refused"]);
      },
    ),
    testCase("compression, encryption and claim check can be combined, also in batches", async (harness) => {
      const queue = await harness.createQueue();
      const { store, bodies } = mapStore();
      const client = harness.client({
        compression: { coding: "gzip", minBytes: 100 },
        encryption: { keys: ring("k1") },
        claimCheck: { store, minBytes: 1_000 },
      });
      const sender = client.createSender(queue);
      const sent = [{ n: 1 }, { text: "lamp ".repeat(1_000) }, { text: noise(2_000) }];
      const batch = await sender.createMessageBatch();
      assert.throws(() => batch.tryAddMessage({ body: sent[0] }), WaybillError);
      for (const body of sent) assert.ok(await batch.tryAddMessageAsync({ body, subject: "order" }));
      await sender.sendMessages(batch);
      const arrived = await harness.receive(client, queue, 3);
      assert.deepEqual(
        arrived.map(({ body }) => body),
        sent,
      );
      assert.deepEqual(
        arrived.map(({ deserialization }) => deserialization.contentEncodings.length),
        [0, 1, 1],
      );
      assert.equal(bodies.size, 1, "only the random body stays large after compression");
    }),
  ];
}

function reasons(dead: Parameters<typeof parseDeadLetterRecord>[0]): string[] {
  return required(parseDeadLetterRecord(dead)).attempts.map(({ reason }) => reason);
}

/** A key ring with one key, derived from its id. */
function ring(id: string): EncryptionKeyProvider {
  const key = new Uint8Array(32).fill(id.charCodeAt(1));
  return { currentKey: () => ({ id, key }), findKey: async (wanted) => (wanted === id ? key : undefined) };
}

/** A store in a map. */
function mapStore() {
  const bodies = new Map<string, Uint8Array>();
  const store: ClaimCheckStore = {
    async put(key, bytes) {
      bodies.set(key, bytes.slice());
    },
    get: async (key) => bodies.get(key),
    async delete(key) {
      bodies.delete(key);
    },
  };
  return { store, bodies };
}
