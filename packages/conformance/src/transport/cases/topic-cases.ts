import assert from "node:assert/strict";
import { required } from "@waybill/foundation";
import type { Case } from "../../case.js";
import { assertSameValue } from "../../same-value.js";
import { handleOf, message, texts, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** Every subscription of a topic gets its own copy of a message. */
export function topicCases(subject: TransportSubject): Case[] {
  const testCase = transportCase(subject, "topics");
  return [
    testCase("every subscription gets complete copies in order", async (harness) => {
      const topic = await harness.createTopic(["billing", "shipping"]);
      await harness.send(topic, message("a", { messageId: "A-1", applicationProperties: { note: 1 } }), "b");
      for (const subscription of ["billing", "shipping"]) {
        const copies = await harness.receive(harness.receiver({ topic, subscription }), 2);
        assert.deepEqual(texts(copies), ["a", "b"]);
        assert.equal(required(copies[0]).messageId, "A-1");
        assertSameValue(required(copies[0]).applicationProperties.note, 1, "the property");
      }
    }),
    testCase("settling one copy does not affect the others", async (harness) => {
      const topic = await harness.createTopic(["billing", "shipping"]);
      await harness.send(topic, "lamp");
      const billing = harness.receiver({ topic, subscription: "billing" });
      await billing.complete(handleOf(await harness.receiveOne(billing)));
      const copy = await harness.receiveOne(harness.receiver({ topic, subscription: "shipping" }));
      assert.equal(copy.deliveryCount, 0);
    }),
    testCase("a subscription has its own dead-letter queue", async (harness) => {
      const topic = await harness.createTopic(["billing", "shipping"]);
      await harness.send(topic, "lamp");
      const billing = harness.receiver({ topic, subscription: "billing" });
      await billing.deadLetter(handleOf(await harness.receiveOne(billing)), { deadLetterReason: "broken" });
      const dead = harness.receiver({ topic, subscription: "billing", subQueue: "deadLetter" });
      assert.equal((await harness.receiveOne(dead)).deadLetterReason, "broken");
      await harness.receiveNothing(
        harness.receiver({ topic, subscription: "shipping", subQueue: "deadLetter" }),
      );
    }),
    testCase("a topic without subscriptions accepts messages and discards them", async (harness) => {
      const topic = await harness.createTopic([]);
      await harness.send(topic, "lamp");
    }),
    testCase("a batch arrives completely in every subscription", async (harness) => {
      const topic = await harness.createTopic(["billing", "shipping"]);
      const sent = Array.from({ length: 20 }, (_, index) => `message ${index}`);
      await harness.send(topic, ...sent);
      for (const subscription of ["billing", "shipping"])
        assert.deepEqual(texts(await harness.receive(harness.receiver({ topic, subscription }), 20)), sent);
    }),
  ];
}
