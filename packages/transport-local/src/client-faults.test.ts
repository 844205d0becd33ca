import { type Transport, WaybillClient, WaybillError } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, poison, until } from "../test/fixture.js";
import { breakTransport, type Fault, withMembers } from "./broken-transport.test-support.js";

describe("transports that throw synchronously", () => {
  it("leave no listener on the signal of a session that is not accepted", async () => {
    await using fixture = await createFixture();
    const { client } = broken(fixture, {
      transport: () => ({
        acceptSession() {
          throw new WaybillError("not-supported", "There are no sessions here.");
        },
      }),
    });
    const { signal, listeners } = counted();
    const accepting = client.acceptSession("orders", "s", { abortSignal: signal });
    await expect(accepting).rejects.toMatchObject({ code: "not-supported" });
    expect(listeners()).toBe(0);
  });

  it("do not lose a message that should be quarantined", async () => {
    await using fixture = await createFixture();
    const { client } = broken(fixture, {
      transport: (transport) => ({
        createSender(entity) {
          if (entity === "quarantine") throw new WaybillError("unauthorized", "Not there.");
          return transport.createSender(entity);
        },
      }),
    });
    await client.createSender("orders").sendEncodedMessages(poison("p"));
    const receiver = client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    expect(await receiver.receiveMessages(1)).toMatchObject([{ messageId: "p", failure: {} }]);
  });

  it("report to processError if peeking fails with an open circuit, and keep held messages", async () => {
    await using fixture = await createFixture();
    const { client } = broken(fixture, {
      receiver: () => ({
        peek() {
          throw new WaybillError("not-supported", "It cannot peek.");
        },
      }),
    });
    const errors: unknown[] = [];
    let handled = 0;
    const sender = client.createSender("orders");
    await sender.sendMessages({ body: 1, contentType: "application/json" });
    const subscription = client.createReceiver("orders").subscribe({
      processMessage() {
        handled++;
      },
      processError: ({ error }) => void errors.push(error),
    });
    await until(() => handled === 1);
    await sender.sendEncodedMessages(Array.from({ length: 30 }, (_, i) => poison(`p${i}`)));
    await until(() => errors.some((error) => (error as WaybillError).code === "not-supported"));
    await subscription.close();
    expect(await fixture.broker.receiver("orders").peek(50)).toHaveLength(30);
  });

  it("release a session if subscribing to it fails", async () => {
    await using fixture = await createFixture({ queue: { requiresSession: true } });
    const { client } = broken(fixture, {
      transport: (transport) => ({
        async acceptSession(...args) {
          return withMembers(await transport.acceptSession(...args), {
            subscribe() {
              throw new WaybillError("closed", "It is closed.");
            },
          });
        },
      }),
    });
    await client.createSender("orders").sendMessages({ body: 1, sessionId: "s" });
    const errors: unknown[] = [];
    const subscription = client.subscribeSessions("orders", {
      processMessage: () => {},
      processError({ error }) {
        errors.push(error);
        void subscription.close();
      },
    });
    await until(() => errors.length > 0);
    await subscription.close();
    expect(errors).toContainEqual(expect.objectContaining({ code: "closed" }));
    expect((await fixture.client.acceptSession("orders", "s")).sessionId).toBe("s");
  });
});

/** A client on a transport with a fault. */
function broken(fixture: Fixture, fault: Fault) {
  const transport: Transport = breakTransport(fixture.transport, fault);
  const client = new WaybillClient(transport, {
    serializer: json(),
    quarantineQueue: "quarantine",
    circuitBreaker: { windowSize: 2, failureRate: 0.5, decodedBefore: "all", probeIntervalInMs: 1_000 },
  });
  return { client };
}

/** A signal that counts its listeners. */
function counted() {
  const { signal } = new AbortController();
  let count = 0;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = ((...args: Parameters<typeof addEventListener>) => {
    count++;
    addEventListener.apply(signal, args);
  }) as typeof addEventListener;
  signal.removeEventListener = ((...args: Parameters<typeof removeEventListener>) => {
    count--;
    removeEventListener.apply(signal, args);
  }) as typeof removeEventListener;
  return { signal, listeners: () => count };
}
