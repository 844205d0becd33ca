import { createBroker, createManualClock, type SubscriptionOptions } from "@waybill/broker";
import { localTransport } from "./local-transport.js";

/** A broker with a transport, whose clock advances only when a test advances it: the local environment of the transport suite. */
// #region fixture
export function openLocalFixture() {
  const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
  const broker = createBroker({ clock });
  const transport = localTransport(broker);
  let created = 0;
  return {
    transport,
    async createQueue(options: SubscriptionOptions): Promise<string> {
      const queue = `queue-${++created}`;
      await broker.createQueue(queue, options);
      return queue;
    },
    async createTopic(subscriptions: readonly string[], options: SubscriptionOptions): Promise<string> {
      const topic = `topic-${++created}`;
      await broker.createTopic(topic);
      for (const name of subscriptions) await broker.createSubscription(topic, name, options);
      return topic;
    },
    async advance(durationMs: number): Promise<void> {
      clock.advance(durationMs);
      await new Promise((resolve) => setImmediate(resolve));
    },
    now: () => new Date(clock.now()),
    async [Symbol.asyncDispose](): Promise<void> {
      await transport.close();
      await broker.close();
    },
  };
}
// #endregion
