import assert from "node:assert/strict";
import type { CircuitBreakerEvent, CircuitBreakerOptions, Serializer } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/harness/transport-subject.js";
import { plainJson } from "./plain-json.js";
import { counted, numbersOf, type ProcessingHarness, processingCase } from "./processing-harness.js";

/** A consumer that can no longer read a format holds its messages instead of dead-lettering them. */
export function circuitBreakerCases(subject: TransportSubject): Case[] {
  const testCase = processingCase(subject, "circuit breaker");
  return [
    testCase(
      "a consumer that can no longer read a format holds its messages, and continues after it is repaired",
      async (harness) => {
        const { queue, reader, seen, events } = await readOnce(harness);
        reader.isBroken = true;
        await harness.send(queue, counted(40, { subject: "order" }));
        await harness.until(() => events.includes("open order json"), "the circuit opened");
        await untilTried(harness, events, 3);
        const dead = await fewDeadLetters(harness, queue);
        assert.equal((await harness.content(queue)).length, 40 - dead.length);
        reader.isBroken = false;
        await harness.untilEmpty(queue);
        assert.equal(events.at(-1), "closed order json");
        assert.equal((await harness.content(queue, "deadLetter")).length, dead.length);
        const all = [...numbersOf(dead.map(({ rawBody }) => ({ body: parse(rawBody) }))), ...seen.slice(1)];
        assert.deepEqual(
          all.toSorted((a, b) => a - b),
          numbersOf(counted(40)),
        );
      },
    ),
    testCase("messages of a type that was never readable are all dead-lettered", async (harness) => {
      const { queue, seen, events } = await readOnce(harness);
      await harness.sendPoison(queue, 15, { subject: "unheard-of" });
      await harness.untilEmpty(queue);
      assert.deepEqual([seen, events], [[0], []]);
      assert.equal((await harness.content(queue, "deadLetter")).length, 15);
    }),
    testCase(
      "messages of other types are handled while the circuit is open, and the held messages after it closes",
      async (harness) => {
        const { queue, reader, seen, events } = await readOnce(harness);
        reader.isBroken = true;
        // Many more than are held, before the notes.
        await harness.send(queue, counted(30, { subject: "order" }));
        await harness.until(() => events.includes("open order json"), "the circuit opened");
        const sender = harness.client({ additionalDeserializers: [note] }).createSender(queue);
        const notes = Array.from({ length: 20 }, (_, i) => 100 + i);
        const toNote = (n: number) => ({ contentType: "application/x-note", subject: "note", body: { n } });
        await sender.sendMessages(notes.map(toNote));
        await harness.until(() => notes.every((n) => seen.includes(n)), "the notes were handled");
        assert.ok(!events.includes("closed order json"), "messages of other types do not close the circuit");
        const dead = await fewDeadLetters(harness, queue);
        assert.equal((await harness.content(queue)).length, 30 - dead.length);
        reader.isBroken = false;
        await harness.untilEmpty(queue);
        assert.equal((await harness.content(queue, "deadLetter")).length, dead.length);
        assert.equal(seen.length, 1 + 20 + 30 - dead.length);
      },
      "deferral",
    ),
    testCase(
      "many undeserializable messages of one producer do not stop the messages of others",
      async (harness) => {
        const { queue, seen, events } = await readOnce(harness);
        await harness.sendPoison(queue, 40, { subject: "order" });
        await harness.send(queue, counted(10, { subject: "order" }));
        await harness.untilEmpty(queue);
        assert.equal(seen.length, 11);
        assert.equal((await harness.content(queue, "deadLetter")).length, 40);
        assert.equal(events.at(-1), "closed order json");
      },
      "deferral",
    ),
    testCase(
      "sessions with undeserializable messages do not stop other sessions",
      async (harness) => {
        const queue = await harness.queue([{ subject: "order", sessionId: "zoe", body: { n: 0 } }], {
          requiresSession: true,
        });
        const events: string[] = [];
        const seen: string[] = [];
        const client = harness.client(clientOptions({ isBroken: false }, events));
        client.subscribeSessions<{ n: number }>(
          queue,
          { processMessage: ({ sessionId }) => void seen.push(sessionId ?? ""), processError: () => {} },
          { maxConcurrentSessions: 2, maxBlockedSessions: 2, sessionIdleTimeoutInMs: 100 },
        );
        await harness.until(() => seen.length === 1, "the format was read once");
        const ids = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`);
        for (const sessionId of ids("bad", 8))
          await harness.sendPoison(queue, 1, { subject: "order", sessionId });
        const others = ids("good", 4);
        await harness.send(
          queue,
          others.map((sessionId) => ({ sessionId, subject: "note", body: { n: 1 } })),
        );
        await harness.until(
          () => others.every((id) => seen.includes(id)),
          "the other sessions were processed",
        );
        assert.ok(events.includes("open order json"), "the circuit opened");
      },
      "sessions",
    ),
    testCase(
      "sessions are held in order, and continue after the consumer is repaired",
      async (harness) => {
        const queue = await harness.queue([{ subject: "order", sessionId: "zoe", body: { n: 0 } }], {
          requiresSession: true,
        });
        const reader = { isBroken: false };
        const events: string[] = [];
        const seen = new Map<string, number[]>();
        const client = harness.client(clientOptions(reader, events));
        const subscription = client.subscribeSessions<{ n: number }>(
          queue,
          {
            processMessage: ({ sessionId = "", body }) =>
              void seen.set(sessionId, [...(seen.get(sessionId) ?? []), body.n]),
            processError: () => {},
          },
          { maxConcurrentSessions: 2, sessionIdleTimeoutInMs: 100 },
        );
        await harness.until(() => seen.has("zoe"), "the format was read once");
        reader.isBroken = true;
        const ids = Array.from({ length: 8 }, (_, i) => `s${i}`);
        for (const sessionId of ids) await harness.send(queue, counted(3, { subject: "order", sessionId }));
        await harness.until(() => events.includes("open order json"), "the circuit opened");
        await untilTried(harness, events, 2);
        const dead = await fewDeadLetters(harness, queue);
        reader.isBroken = false;
        await harness.untilEmpty(queue);
        await harness.ended(subscription.close(), "the subscription closed");
        assert.equal((await harness.content(queue, "deadLetter")).length, dead.length);
        for (const id of ids) {
          const handled = seen.get(id) ?? [];
          assert.deepEqual(handled, handled.toSorted(), `${id} kept its order`);
        }
        assert.equal([...seen.values()].flat().length - 1 + dead.length, 24);
      },
      "sessions",
    ),
    testCase(
      "a consumer that has read no message since it started dead-letters nothing and opens the circuit",
      async (harness) => {
        const queue = await harness.queue([]);
        await harness.sendPoison(queue, 30, { subject: "order" });
        const { seen, events } = processor(harness, queue);
        await untilTried(harness, events, 2);
        assert.deepEqual(seen, []);
        assert.equal((await harness.content(queue)).length, 30);
      },
    ),
    testCase("receive calls dead-letter nothing if no message was ever readable", async (harness) => {
      const queue = await harness.queue([], longLocks);
      await harness.sendPoison(queue, 30, { subject: "order" });
      const receiver = harness.client().createReceiver(queue);
      for (let i = 0; i < 3; i++) {
        const call = receiver.receiveMessages(5, { maxWaitTimeInMs: 100 });
        await assert.rejects(harness.ended(call, "the call ended"), { code: "deserialization-failed" });
      }
      await receiver.close();
      assert.equal((await harness.content(queue)).length, 30);
    }),
    testCase(
      "session processors and session receivers dead-letter nothing if no message was ever readable",
      async (harness) => {
        const queue = await harness.queue([], { requiresSession: true, ...longLocks });
        for (let i = 0; i < 12; i++) await harness.sendPoison(queue, 2, { sessionId: `s${i}` });
        const session = await harness.client().acceptNextSession(queue);
        const call = session.receiveMessages(5, { maxWaitTimeInMs: 100 });
        await assert.rejects(harness.ended(call, "the call ended"), { code: "deserialization-failed" });
        await session.close();
        const events: string[] = [];
        const handlers = { processMessage: () => {}, processError: () => {} };
        const subscription = harness
          .client(clientOptions({ isBroken: false }, events))
          .subscribeSessions(queue, handlers, { maxConcurrentSessions: 4, maxBlockedSessions: 2 });
        await harness.until(() => events.length >= 3, "the circuit breaker read a message again");
        await harness.ended(subscription.close(), "the subscription closed");
        const left = await harness.content(queue);
        assert.deepEqual(new Set(left.map(({ deliveryCount }) => deliveryCount)), new Set([0]));
        assert.equal(left.length, 24);
      },
      "sessions",
    ),
    testCase("a single undeserializable message is dead-lettered", async (harness) => {
      const queue = await harness.queue([]);
      await harness.sendPoison(queue, 1);
      await harness.send(queue, counted(3));
      const { seen, events } = processor(harness, queue);
      await harness.untilEmpty(queue);
      assert.deepEqual([seen, events], [[1, 2, 3], []]);
      assert.equal((await harness.content(queue, "deadLetter")).length, 1);
    }),
  ];
}

/** Locks are renewed by the client's clock, and the broker's clock may run faster. */
const longLocks = { lockDurationMs: 300_000 };

const breakerOptions: CircuitBreakerOptions = {
  windowSize: 10,
  failureRate: 0.4,
  probeIntervalInMs: 50,
  maxHeldMessages: 2,
};

function clientOptions(reader: { isBroken: boolean }, events: string[]) {
  return {
    serializer: breakable(plainJson, reader),
    additionalDeserializers: [note],
    circuitBreaker: breakerOptions,
    onCircuitBreaker: ({ state, messageType, format }: CircuitBreakerEvent) =>
      void events.push(`${state} ${messageType} ${format}`),
  };
}

function processor(harness: ProcessingHarness, queue: string) {
  const reader = { isBroken: false };
  const events: string[] = [];
  const seen: number[] = [];
  const receiver = harness.client(clientOptions(reader, events)).createReceiver(queue);
  receiver.subscribe<{ n: number }>(
    { processMessage: ({ body }) => void seen.push(body.n), processError: () => {} },
    { maxConcurrentCalls: 1 },
  );
  return { reader, seen, events };
}

/** A queue of orders with a consumer that has read one. */
async function readOnce(harness: ProcessingHarness) {
  const queue = await harness.queue([{ subject: "order", body: { n: 0 } }]);
  const consumer = processor(harness, queue);
  await harness.until(() => consumer.seen.length === 1, "the format was read once");
  return { queue, ...consumer };
}

async function untilTried(harness: ProcessingHarness, events: readonly string[], times: number) {
  const count = () => events.filter((event) => event === "halfOpen order json").length;
  await harness.until(() => count() >= times, "the circuit breaker read a message again");
}

/** The dead-lettered messages of a queue, which are few because the circuit opened. */
async function fewDeadLetters(harness: ProcessingHarness, queue: string) {
  const dead = await harness.content(queue, "deadLetter");
  assert.ok(dead.length <= 4, `${dead.length} messages were dead-lettered before it opened`);
  return dead;
}

/** A serializer that can fail like after a deployment with a wrong schema. */
function breakable(serializer: Serializer, reader: { isBroken: boolean }): Serializer {
  return {
    ...serializer,
    deserialize(bytes, context) {
      if (reader.isBroken) throw decodeFailure("schema-unknown", "The schema does not fit.");
      return serializer.deserialize(bytes, context);
    },
  };
}

/** Another format, which can always be read. */
const note: Serializer = {
  name: "note",
  mediaTypes: ["application/x-note"],
  detection: "label",
  serialize: (value, context) => plainJson.serialize(value, context),
  deserialize: (bytes, context) => plainJson.deserialize(bytes, context),
};

function parse(body: unknown): unknown {
  return JSON.parse(new TextDecoder().decode(body as Uint8Array));
}
