import assert from "node:assert/strict";
import type { Case } from "../case.js";
import { assertSameValue } from "../same-value.js";
import type { TransportSubject } from "./transport-subject.js";
import { handleOf, message, type TransportTrial, texts, transportCase } from "./transport-trial.js";

/** Every subscription of a topic gets its own copy of a message. */
export function topicCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: TransportTrial) => Promise<void>) =>
    transportCase(subject, `topics: ${name}`, run);
  return [
    law("every subscription gets a copy, whole and in order", async (trial) => {
      const topic = await trial.createTopic(["billing", "shipping"]);
      await trial.send(topic, message("a", { messageId: "A-1", applicationProperties: { note: 1 } }), "b");
      for (const subscription of ["billing", "shipping"]) {
        const copies = await trial.receive(trial.receiver({ topic, subscription }), 2);
        assert.deepEqual(texts(copies), ["a", "b"]);
        assert.equal(copies[0]!.messageId, "A-1");
        assertSameValue(copies[0]!.applicationProperties.note, 1, "the property");
      }
    }),
    law("settling one copy leaves the others alone", async (trial) => {
      const topic = await trial.createTopic(["billing", "shipping"]);
      await trial.send(topic, "lamp");
      const billing = trial.receiver({ topic, subscription: "billing" });
      await billing.complete(handleOf(await trial.receiveOne(billing)));
      const copy = await trial.receiveOne(trial.receiver({ topic, subscription: "shipping" }));
      assert.equal(copy.deliveryCount, 0);
    }),
    law("a subscription has a dead-letter queue of its own", async (trial) => {
      const topic = await trial.createTopic(["billing", "shipping"]);
      await trial.send(topic, "lamp");
      const billing = trial.receiver({ topic, subscription: "billing" });
      await billing.deadLetter(handleOf(await trial.receiveOne(billing)), { deadLetterReason: "broken" });
      const dead = trial.receiver({ topic, subscription: "billing", subQueue: "deadLetter" });
      assert.equal((await trial.receiveOne(dead)).deadLetterReason, "broken");
      await trial.receiveNothing(trial.receiver({ topic, subscription: "shipping", subQueue: "deadLetter" }));
    }),
    law("a topic without subscriptions takes messages and forgets them", async (trial) => {
      const topic = await trial.createTopic([]);
      await trial.send(topic, "lamp");
    }),
    law("a batch reaches every subscription whole", async (trial) => {
      const topic = await trial.createTopic(["billing", "shipping"]);
      const sent = Array.from({ length: 20 }, (_, index) => `message ${index}`);
      await trial.send(topic, ...sent);
      for (const subscription of ["billing", "shipping"])
        assert.deepEqual(texts(await trial.receive(trial.receiver({ topic, subscription }), 20)), sent);
    }),
  ];
}
