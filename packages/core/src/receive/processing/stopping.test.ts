import type { MessageContext, ProcessErrorArgs } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, quiet, until } from "../../../test/fixture.js";

describe("the handler's abort signal", () => {
  it("aborts when the message's lock is lost", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    let context: MessageContext | undefined;
    let lockToken = "";
    fixture.client.createReceiver("orders").subscribe(
      {
        processMessage: (message, given) => {
          if (message.deliveryCount > 0) return;
          lockToken = message.lockToken!;
          context = given;
          return new Promise(() => {});
        },
        processError: () => {},
      },
      { closeTimeoutInMs: 0 },
    );
    await until(() => context !== undefined);
    const { abortSignal } = context!;
    fixture.broker.faults.loseLock("orders", lockToken);
    fixture.clock.advance(60_000);
    await quiet();
    expect(abortSignal.aborted).toBe(true);
    expect(abortSignal.reason).toMatchObject({ code: "message-lock-lost" });
  });

  it("is already aborted for a handler that checks it late", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    let context: MessageContext | undefined;
    const subscription = fixture.client.createReceiver("orders").subscribe({
      processMessage: (_, given) => {
        context = given;
        return new Promise(() => {});
      },
      processError: () => {},
    });
    await until(() => context !== undefined);
    await subscription.close({ closeTimeoutInMs: 0 });
    expect(context!.abortSignal.reason).toMatchObject({ code: "timeout" });
  });
});

describe("closing with a timeout", () => {
  it("does not wait longer for a broker that does not respond", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
    const errors: ProcessErrorArgs[] = [];
    let running = 0;
    const subscription = fixture.client.createReceiver("orders").subscribe(
      {
        processMessage: () => {
          running++;
          return new Promise(() => {});
        },
        processError: (args) => void errors.push(args),
      },
      { maxConcurrentCalls: 2, closeTimeoutInMs: 10_000 },
    );
    await until(() => running === 2);
    fixture.broker.faults.delay("orders", 3_600_000);
    let isClosed = false;
    void subscription.close().then(() => (isClosed = true));
    await quiet();
    fixture.clock.advance(7_999);
    await quiet();
    expect(errors).toEqual([]);
    fixture.clock.advance(1);
    await quiet();
    expect(errors.map(({ error }) => error)).toMatchObject([{ code: "timeout" }, { code: "timeout" }]);
    expect(isClosed).toBe(false);
    fixture.clock.advance(2_000);
    await quiet();
    expect(isClosed).toBe(true);
    fixture.broker.faults.clear();
  });

  it("takes 25 seconds by default, also when the client is closed", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    let isRunning = false;
    fixture.client.createReceiver("orders").subscribe({
      processMessage: () => {
        isRunning = true;
        return new Promise(() => {});
      },
      processError: () => {},
    });
    await until(() => isRunning);
    let isClosed = false;
    void fixture.client.close().then(() => (isClosed = true));
    await quiet();
    fixture.clock.advance(19_999);
    await quiet();
    expect(isClosed).toBe(false);
    fixture.clock.advance(1);
    await quiet();
    expect(isClosed).toBe(true);
    expect(await fixture.broker.receiver("orders").peek(1)).toMatchObject([{ deliveryCount: 1 }]);
  });

  it("does not interrupt a handler in receive-and-delete mode", async () => {
    await using fixture = await createFixture();
    await fixture.client.createSender("orders").sendMessages({ body: 1 });
    let finish = () => {};
    const receiver = fixture.client.createReceiver("orders", { receiveMode: "receiveAndDelete" });
    const subscription = receiver.subscribe({
      processMessage: () => new Promise<void>((resolve) => (finish = resolve)),
      processError: () => {},
    });
    await quiet();
    await subscription.close({ closeTimeoutInMs: 0 });
    finish();
    await quiet();
    expect(await fixture.broker.receiver("orders").peek(1)).toEqual([]);
  });
});
