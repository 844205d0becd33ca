import { readFileSync } from "node:fs";
import { createBroker, createManualClock } from "@waybill/broker";
import { clientCases, type TransportSubject, transportCases } from "@waybill/conformance";
import type { Scheduler } from "@waybill/core/transport";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { smallTransport } from "./small-transport.js";

const subject: TransportSubject = { create, capabilities: [], maxMessageBytes: 1024 * 1024 };

describe("smallTransport() passes the conformance suite for what it claims", () => {
  for (const { name, run } of transportCases(subject)) it(name, run);
});

describe("a client on smallTransport() passes the conformance suite for what it claims", () => {
  for (const { name, run } of clientCases(subject)) it(name, run);
});

it("has at most 150 lines of code", () => {
  const text = readFileSync(new URL("small-transport.ts", import.meta.url), "utf8");
  expect(text.match(/^\s*[^\s/*].*$/gm)?.length).toBeLessThanOrEqual(150);
});

async function create() {
  const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
  const broker = createBroker({ clock });
  const clocked = localTransport(broker);
  const transport = smallTransport(broker, clocked.scheduler as Scheduler);
  let created = 0;
  return {
    transport,
    async createQueue(setting: object): Promise<string> {
      const queue = `queue-${++created}`;
      await broker.createQueue(queue, setting);
      return queue;
    },
    async createTopic(subscriptions: readonly string[], setting: object): Promise<string> {
      const topic = `topic-${++created}`;
      await broker.createTopic(topic);
      for (const name of subscriptions) await broker.createSubscription(topic, name, setting);
      return topic;
    },
    async advance(durationMs: number): Promise<void> {
      clock.advance(durationMs);
      await new Promise((resolve) => setImmediate(resolve));
    },
    now: () => new Date(clock.now()),
    async [Symbol.asyncDispose](): Promise<void> {
      await transport.close();
      await clocked.close();
      await broker.close();
    },
  };
}
