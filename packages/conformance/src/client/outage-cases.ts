import assert from "node:assert/strict";
import type { Message, Serializer } from "@waybill/core";
import { unavailableFailure } from "@waybill/core/serializer";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { plainJson } from "./plain-json.js";
import { counted, type ProcessingHarness, processingCase } from "./processing-harness.js";

/** Messages that need an unavailable dependency wait, and no delivery is counted. */
export function outageCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "outage");
  return [
    testCase(
      "a processor holds its messages and handles them without a further delivery",
      async (harness) => {
        const { queue, registry, client } = await createOutage(harness, counted(30));
        const { handled, counts } = handler();
        client.createReceiver(queue).subscribe(handled, { maxConcurrentCalls: 4 });
        await harness.until(() => registry.asked >= 40, "the messages were read again");
        registry.isUp = true;
        await harness.untilEmpty(queue);
        assert.deepEqual(counts, new Array(30).fill(0));
        assert.deepEqual(await harness.content(queue, "deadLetter"), []);
      },
    ),
    testCase(
      "receive calls read the held messages again, and reject with unavailable during the outage",
      async (harness) => {
        const { queue, registry, client } = await createOutage(harness, counted(6));
        const receiver = client.createReceiver(queue);
        const receive = (maxMessages: number) =>
          harness.ended(receiver.receiveMessages(maxMessages, { maxWaitTimeInMs: 100 }), "the call ended");
        for (let i = 0; i < 5; i++) await assert.rejects(receive(2), { code: "unavailable" });
        registry.isUp = true;
        const counts: number[] = [];
        while (counts.length < 6) {
          for (const message of await receive(2)) {
            counts.push(message.deliveryCount);
            await receiver.completeMessage(message);
          }
        }
        assert.deepEqual(counts, new Array(6).fill(0));
        await receiver.close();
        assert.deepEqual(await harness.content(queue), []);
      },
    ),
    testCase(
      "sessions wait, keep their order and continue",
      async (harness) => {
        const ids = Array.from({ length: 6 }, (_, i) => `s${i}`);
        const messages = ids.flatMap((sessionId) => counted(3, { sessionId }));
        const { queue, registry, client } = await createOutage(harness, messages, { requiresSession: true });
        const { handled, counts, bySession } = handler();
        const options = { maxConcurrentSessions: 2, maxBlockedSessions: 2, sessionIdleTimeoutInMs: 100 };
        const subscription = client.subscribeSessions(queue, handled, options);
        await harness.until(() => registry.asked >= 20, "the messages were read again");
        registry.isUp = true;
        await harness.untilEmpty(queue);
        await harness.ended(subscription.close(), "the subscription closed");
        assert.deepEqual(counts, new Array(18).fill(0));
        for (const id of ids) assert.deepEqual(bySession.get(id), [1, 2, 3], id);
        assert.deepEqual(await harness.content(queue, "deadLetter"), []);
      },
      "sessions",
    ),
    testCase(
      "a session receiver waits too, with receive calls or a handler",
      async (harness) => {
        const messages = ["ada", "ben"].flatMap((sessionId) => counted(3, { sessionId }));
        const { queue, registry, client } = await createOutage(harness, messages, { requiresSession: true });
        const ada = await client.acceptSession(queue, "ada");
        const ben = await client.acceptSession(queue, "ben");
        const { handled, counts, bySession } = handler();
        const subscription = ben.subscribe(handled);
        const receive = () =>
          harness.ended(ada.receiveMessages<{ n: number }>(2, { maxWaitTimeInMs: 50 }), "the call ended");
        for (let i = 0; i < 3; i++) await assert.rejects(receive(), { code: "unavailable" });
        await harness.until(() => registry.asked >= 10, "the messages were read again");
        registry.isUp = true;
        const received: number[] = [];
        while (received.length < 3) {
          for (const message of await receive()) {
            received.push(message.body.n);
            assert.equal(message.deliveryCount, 0);
            await ada.completeMessage(message);
          }
        }
        assert.deepEqual(received, [1, 2, 3]);
        await harness.untilEmpty(queue);
        assert.deepEqual(
          [counts, bySession.get("ben")],
          [
            [0, 0, 0],
            [1, 2, 3],
          ],
        );
        await harness.ended(subscription.close(), "the subscription closed");
      },
      "sessions",
    ),
  ];
}

/** A queue that dead-letters after three deliveries, and a client that needs a registry that does not respond. */
async function createOutage(
  harness: ProcessingHarness,
  messages: readonly Message[],
  setting: { readonly requiresSession?: boolean } = {},
) {
  // Locks are renewed by the client's clock, and the broker's clock may run faster.
  const queue = await harness.queue(messages, { maxDeliveryCount: 3, lockDurationMs: 300_000, ...setting });
  const registry = { isUp: false, asked: 0 };
  const serializer: Serializer = {
    ...plainJson,
    deserialize(bytes, context) {
      registry.asked++;
      if (!registry.isUp) throw unavailableFailure("The registry does not respond.");
      return plainJson.deserialize(bytes, context);
    },
  };
  const client = harness.client({
    serializer,
    unavailableBackoff: { initialDelayInMs: 10, maxDelayInMs: 50 },
  });
  return { queue, registry, client };
}

/** A handler that records the delivery counts and, by session, the numbers of its messages. */
function handler() {
  const counts: number[] = [];
  const bySession = new Map<string, number[]>();
  const handled = {
    processMessage(message: { body: unknown; deliveryCount: number; sessionId?: string | undefined }) {
      counts.push(message.deliveryCount);
      const id = message.sessionId ?? "";
      bySession.set(id, [...(bySession.get(id) ?? []), (message.body as { n: number }).n]);
    },
    processError: () => {},
  };
  return { handled, counts, bySession };
}
