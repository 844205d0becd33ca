import assert from "node:assert/strict";
import {
  type CircuitBreakerEvent,
  type CircuitBreakerOptions,
  decodeFailure,
  type Serializer,
} from "@waybill/core";
import type { Case } from "../case.js";
import type { TransportSubject } from "../transport/transport-subject.js";
import { plainJson } from "./plain-json.js";
import { counted, numbersOf, type ProcessingTrial, processingCase } from "./processing-trial.js";

/** A consumer that cannot read what it read before keeps its hands off the queue. */
export function circuitBreakerCases(subject: TransportSubject): Case[] {
  const law = (name: string, run: (trial: ProcessingTrial) => Promise<void>) =>
    processingCase(subject, `circuit breaker: ${name}`, run);
  return [
    law(
      "a reader that breaks pauses before the queue is dead-lettered, and goes on when it is mended",
      async (trial) => {
        const queue = await trial.queue([{ subject: "order", body: { n: 0 } }]);
        const { reader, seen, events } = processor(trial, queue);
        await trial.until(() => seen.length === 1, "the format was read once");
        reader.isBroken = true;
        await trial.send(queue, counted(40, { subject: "order" }));
        await trial.until(() => events.includes("open order json"), "the circuit opened");
        await trial.until(
          () => events.filter((event) => event.startsWith("halfOpen")).length >= 3,
          "it was tried",
        );
        const dead = await trial.content(queue, "deadLetter");
        assert.ok(dead.length <= 4, `${dead.length} messages were dead-lettered before it opened`);
        assert.equal((await trial.content(queue)).length, 40 - dead.length);
        reader.isBroken = false;
        await trial.untilEmpty(queue);
        assert.equal(events.at(-1), "closed order json");
        assert.equal((await trial.content(queue, "deadLetter")).length, dead.length);
        const all = [...numbersOf(dead.map(({ rawBody }) => ({ body: parse(rawBody) }))), ...seen.slice(1)];
        assert.deepEqual(
          all.toSorted((a, b) => a - b),
          numbersOf(counted(40)),
        );
      },
    ),
    law("poison that never was anything else goes to the dead-letter queue, one and all", async (trial) => {
      const queue = await trial.queue([{ subject: "order", body: { n: 0 } }]);
      const { seen, events } = processor(trial, queue);
      const sender = trial.client().createSender(queue);
      const poison = counted(15).map(({ messageId }) => ({
        messageId,
        subject: "unheard-of",
        contentType: "application/json",
        body: new TextEncoder().encode("{"),
      }));
      await sender.sendEncodedMessages(poison);
      await trial.untilEmpty(queue);
      assert.deepEqual([seen, events], [[0], []]);
      assert.equal((await trial.content(queue, "deadLetter")).length, 15);
    }),
    law("messages of other types are handled meanwhile, one at a time", async (trial) => {
      const queue = await trial.queue([{ subject: "order", body: { n: 0 } }]);
      const { reader, seen, events } = processor(trial, queue);
      await trial.until(() => seen.length === 1, "the format was read once");
      reader.isBroken = true;
      // The fourth opens the circuit; it and the fifth take all the places there are, so the note comes in exchange for one of them.
      await trial.send(queue, counted(5, { subject: "order" }));
      await trial.until(() => events.includes("open order json"), "the circuit opened");
      const sender = trial.client({ additionalDeserializers: [note] }).createSender(queue);
      await sender.sendMessages({ contentType: "application/x-note", subject: "note", body: { n: 100 } });
      await trial.until(() => seen.includes(100), "the note was handled");
      assert.ok(!events.includes("closed order json"), "which proves nothing for orders");
      const dead = await trial.content(queue, "deadLetter");
      assert.ok(dead.length <= 4, `${dead.length} messages were dead-lettered before it opened`);
      await trial.until(
        async () => (await trial.content(queue)).length === 5 - dead.length,
        "only the orders that are held are left",
      );
    }),
    law("sessions stop where they are, in order, and go on when the reader is mended", async (trial) => {
      const queue = await trial.queue([{ subject: "order", sessionId: "zoe", body: { n: 0 } }], {
        requiresSession: true,
      });
      const reader = { isBroken: false };
      const events: string[] = [];
      const seen = new Map<string, number[]>();
      const client = trial.client(clientOptions(reader, events));
      const subscription = client.subscribeSessions<{ n: number }>(
        queue,
        {
          processMessage: ({ sessionId, body }) =>
            void seen.set(sessionId!, [...(seen.get(sessionId!) ?? []), body.n]),
          processError: () => {},
        },
        { maxConcurrentSessions: 2, sessionIdleTimeoutInMs: 100 },
      );
      await trial.until(() => seen.has("zoe"), "the format was read once");
      reader.isBroken = true;
      const ids = Array.from({ length: 8 }, (_, i) => `s${i}`);
      for (const sessionId of ids) await trial.send(queue, counted(3, { subject: "order", sessionId }));
      await trial.until(() => events.includes("open order json"), "the circuit opened");
      await trial.until(
        () => events.filter((event) => event.startsWith("halfOpen")).length >= 2,
        "it was tried",
      );
      const dead = await trial.content(queue, "deadLetter");
      assert.ok(dead.length <= 4, `${dead.length} messages were dead-lettered before it opened`);
      reader.isBroken = false;
      await trial.untilEmpty(queue);
      await trial.ended(subscription.close(), "the subscription closed");
      assert.equal((await trial.content(queue, "deadLetter")).length, dead.length);
      for (const id of ids) {
        const handled = seen.get(id) ?? [];
        assert.deepEqual(handled, handled.toSorted(), `${id} kept its order`);
      }
      assert.equal([...seen.values()].flat().length - 1 + dead.length, 24);
    }),
  ];
}

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

function processor(trial: ProcessingTrial, queue: string) {
  const reader = { isBroken: false };
  const events: string[] = [];
  const seen: number[] = [];
  const receiver = trial.client(clientOptions(reader, events)).createReceiver(queue);
  receiver.subscribe<{ n: number }>(
    { processMessage: ({ body }) => void seen.push(body.n), processError: () => {} },
    { maxConcurrentCalls: 1 },
  );
  return { reader, seen, events };
}

/** As after a deployment whose schema does not fit. */
function breakable(serializer: Serializer, reader: { isBroken: boolean }): Serializer {
  return {
    ...serializer,
    deserialize(bytes, context) {
      if (reader.isBroken) throw decodeFailure("schema-unknown", "The schema does not fit.");
      return serializer.deserialize(bytes, context);
    },
  };
}

/** Another format, which stays readable. */
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
