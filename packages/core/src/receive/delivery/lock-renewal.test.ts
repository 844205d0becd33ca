import { spawnSync } from "node:child_process";
import type { ProcessErrorArgs } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet } from "../../../test/fixture.js";

const lockMs = 60_000;

describe("lock renewal", () => {
  it("keeps the lock of a received message until it is settled", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    const firstEnd = message!.lockedUntilUtc!;
    await pass(fixture, 200_000);
    expect(message!.lockedUntilUtc!.getTime()).toBeGreaterThan(fixture.clock.now());
    expect(message!.lockedUntilUtc).not.toEqual(firstEnd);
    await receiver.completeMessage(message!);
    expect(await receiver.peekMessages(1)).toEqual([]);
  });

  it("ends after the maximum duration", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 100_000 });
    const [message] = await receiver.receiveMessages(1);
    await pass(fixture, 100_000 + lockMs);
    await expect(receiver.completeMessage(message!)).rejects.toMatchObject({ code: "message-lock-lost" });
  });

  it("renews no lock with a duration of 0", async () => {
    await using fixture = await createFixture();
    const renewals = countRenewals(fixture);
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 });
    await receiver.receiveMessages(1);
    await pass(fixture, lockMs);
    expect(renewals()).toBe(0);
  });

  it("renews each message about once per lock, independently of others", async () => {
    await using fixture = await createFixture();
    const renewals = countRenewals(fixture);
    const sender = fixture.client.createSender("orders");
    const receiver = fixture.client.createReceiver("orders");
    await sender.sendMessages({ body: "long" });
    await receiver.receiveMessages(1);
    for (let i = 0; i < 20; i++) {
      await sender.sendMessages({ body: i });
      const [short] = await receiver.receiveMessages(1);
      await receiver.completeMessage(short!);
      await pass(fixture, 10_000);
    }
    expect(renewals()).toBeGreaterThanOrEqual(3);
    expect(renewals()).toBeLessThanOrEqual(5);
  });

  it("renews as often if the clock jumps", async () => {
    await using fixture = await createFixture();
    const renewals = countRenewals(fixture);
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    fixture.clock.advance(200_000);
    await quiet();
    expect(renewals()).toBeGreaterThanOrEqual(3);
    await receiver.completeMessage(message!);
  });

  it("renews a session's lock about once per lock, and tells until when it holds", async () => {
    await using fixture = await createFixture();
    await fixture.broker.createQueue("carts", { requiresSession: true, lockDurationMs: lockMs });
    await fixture.client.createSender("carts").sendMessages({ sessionId: "ada", body: 1 });
    let renewals = 0;
    const accept = fixture.transport.acceptSession.bind(fixture.transport);
    fixture.transport.acceptSession = async (...options) => {
      const session = await accept(...options);
      const renew = session.renewSessionLock.bind(session);
      session.renewSessionLock = (...given) => {
        renewals++;
        return renew(...given);
      };
      return session;
    };
    const session = await fixture.client.acceptSession("carts", "ada");
    await pass(fixture, 200_000);
    expect(renewals).toBeGreaterThanOrEqual(3);
    expect(renewals).toBeLessThanOrEqual(5);
    const end = await session.renewSessionLock();
    expect(end).toEqual(new Date(fixture.clock.now() + lockMs));
    expect(session.sessionLockedUntilUtc).toEqual(end);
  });

  it("retries after a transient failure", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    fixture.broker.faults.throttle("orders", 3);
    await pass(fixture, 2 * lockMs, 1_000);
    await receiver.completeMessage(message!);
    expect(await receiver.peekMessages(1)).toEqual([]);
  });

  it("reports a lost lock to the processor once, while the handler is running", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1, messageId: "a" });
    const errors: ProcessErrorArgs[] = [];
    let lockToken = "";
    let finish = () => {};
    fixture.client.createReceiver("orders").subscribe({
      processMessage: (message) => {
        if (message.deliveryCount > 0) return;
        lockToken = message.lockToken!;
        return new Promise<void>((resolve) => (finish = resolve));
      },
      processError: (args) => void errors.push(args),
    });
    await quiet();
    fixture.broker.faults.loseLock("orders", lockToken);
    // At the first renewal, before the lock would have ended.
    await pass(fixture, lockMs - 5_000);
    expect(errors).toMatchObject([
      { errorSource: "renewLock", messageId: "a", error: { code: "message-lock-lost" } },
    ]);
    finish();
    await quiet();
    expect(errors.map(({ errorSource }) => errorSource)).toEqual(["renewLock", "complete"]);
    expect(await fixture.client.createReceiver("orders").peekMessages(1)).toEqual([]);
  });

  it("can be done explicitly", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    const receiver = fixture.client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 });
    const [message] = await receiver.receiveMessages(1);
    fixture.clock.advance(50_000);
    const end = await receiver.renewMessageLock(message!);
    expect(end).toEqual(new Date(fixture.clock.now() + lockMs));
    expect(message!.lockedUntilUtc).toEqual(end);
  });

  it("does not keep a process alive whose client stays open", () => {
    for (const isSettled of [true, false]) {
      const ended = spawnSync(process.execPath, ["--input-type=module", "-e", openEndedProgram(isSettled)], {
        cwd: new URL("..", import.meta.url),
        encoding: "utf8",
        timeout: 110_000,
      });
      expect(ended).toMatchObject({ status: 0, stdout: "received 1\n" });
    }
  });
});

/** Advances the clock in steps, so that the response to a renewal can arrive. */
async function pass(fixture: Fixture, durationMs: number, stepMs = 5_000): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += stepMs) {
    fixture.clock.advance(stepMs);
    await quiet();
  }
}

function countRenewals(fixture: Fixture): () => number {
  let count = 0;
  fixture.broker.onEvent(({ type }) => {
    if (type === "lock-renewed") count++;
  });
  return () => count;
}

function openEndedProgram(isSettled: boolean): string {
  return `
    import { createBroker } from "@waybill/broker";
    import { WaybillClient } from "@waybill/core";
    import { localTransport } from "@waybill/transport-local";
    const broker = createBroker();
    await broker.createQueue("orders");
    const encoder = new TextEncoder();
    const client = new WaybillClient(localTransport(broker), {
      serializer: {
        name: "json",
        mediaTypes: ["application/json"],
        detection: "label",
        serialize: (value) => ({ bytes: encoder.encode(JSON.stringify(value)) }),
        deserialize: (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
      },
    });
    await client.createSender("orders").sendMessages({ body: 1 });
    const receiver = client.createReceiver("orders");
    const [message] = await receiver.receiveMessages(1);
    if (${isSettled}) await receiver.completeMessage(message);
    console.log("received", message.body);
  `;
}
