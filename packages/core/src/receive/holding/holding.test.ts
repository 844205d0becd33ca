import type { UndeserializableEvent } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { createFixture, custom, type Fixture, quiet, registryBound } from "../../../test/fixture.js";
import { manualScheduler } from "../../../test/manual-scheduler.js";
import { contextOf, receiveOpen } from "../../../test/receiver-context.js";
import { plainJson } from "../../plain-json.test-support.js";
import { isUnread, readDelivery } from "../delivery/read-delivery.js";
import { type HeldMessage, heldMessage } from "./held-messages.js";
import { Holding } from "./holding.js";

describe("the messages that a processor holds", () => {
  it("are read again after a second, two, four …", async () => {
    await using fixture = await createFixture();
    const { hold, scheduler, read } = open(fixture);
    await send(fixture, ["a"]);
    expect(await hold()).toBe("held");
    await scheduler.pass(999);
    expect(read).toEqual([]);
    await scheduler.pass(1);
    expect(read).toEqual(["a"]);
  });

  it("are reported once, however often they are read", async () => {
    await using fixture = await createFixture();
    const { holding, message } = open(fixture);
    await send(fixture, ["a"]);
    const held = await message();
    expect(await holding.hold(held)).toMatchObject({ disposition: "held" });
    expect(await holding.hold(held)).toBeUndefined();
  });

  it("are set aside beyond the limit while others can be read behind them, and not read meanwhile", async () => {
    await using fixture = await createFixture();
    const { hold, scheduler, read, freed, context } = open(fixture, 1);
    await send(fixture, ["a", "b"]);
    expect(await hold()).toBe("held");
    await send(fixture, ["free"], "application/json");
    let finish = () => {};
    const defer = context.receiver.defer.bind(context.receiver);
    context.receiver.defer = async (...given) => {
      await new Promise<void>((resolve) => (finish = resolve));
      return defer(...given);
    };
    const second = hold();
    await quiet();
    await scheduler.pass(1_000);
    expect([read, freed]).toEqual([["a"], ["a"]]);
    finish();
    expect(await second).toBe("deferred");
    expect(freed).toEqual(["a", "b"]);
  });

  it("stay where they are beyond the limit while nothing behind them can be read", async () => {
    await using fixture = await createFixture();
    const { hold, freed, scheduler, settled } = open(fixture, 1);
    await send(fixture, ["a", "b", "c"]);
    expect([await hold(), await hold(), await hold()]).toEqual(["held", "held", "held"]);
    expect(freed).toEqual(["a"]);
    await send(fixture, ["free"], "application/json");
    await scheduler.pass(999);
    expect(settled).toEqual([]);
    await scheduler.pass(1);
    await quiet();
    expect(settled).toContainEqual(["b", "deferred"]);
  });

  it("are forgotten once they are read, with what was seen behind them", async () => {
    await using fixture = await createFixture();
    const { hold, state, scheduler, context, read } = open(fixture, 1);
    await send(fixture, ["a", "b"]);
    await hold();
    await send(fixture, ["free"], "application/json");
    expect(await hold()).toBe("deferred");
    const [free] = await context.receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    await context.receiver.complete(free?.settlement ?? {});
    state.isUp = true;
    await scheduler.pass(1_000);
    await quiet();
    state.isUp = false;
    await send(fixture, ["c", "d"]);
    expect([await hold(), await hold(), read]).toEqual(["held", "held", ["a"]]);
  });

  it("are abandoned when it closes, once receiving has stopped", async () => {
    await using fixture = await createFixture();
    const { holding, hold, freed, scheduler } = open(fixture);
    await send(fixture, ["a", "b"]);
    await hold();
    await hold();
    let stop = () => {};
    const closing = holding.close(new Promise<void>((resolve) => (stop = resolve)));
    await quiet();
    expect(await counts(fixture)).toEqual([]);
    stop();
    await closing;
    expect(await counts(fixture)).toEqual([1, 1]);
    expect(new Set(freed)).toEqual(new Set(["a", "b"]));
    expect(scheduler.timers).toBe(0);
  });

  it("are abandoned at once if they come when it has closed", async () => {
    await using fixture = await createFixture();
    const { holding, hold, freed } = open(fixture);
    await holding.close(Promise.resolve());
    await send(fixture, ["a"]);
    expect(await hold()).toBe("abandoned");
    expect([freed, await counts(fixture)]).toEqual([["a"], [1]]);
  });

  it("lose their locks if abandoning them fails, which is reported", async () => {
    await using fixture = await createFixture();
    const { holding, hold, freed, errors, context } = open(fixture);
    await send(fixture, ["a"]);
    await hold();
    const error = new Error("The connection is gone.");
    context.receiver.abandon = () => Promise.reject(error);
    await holding.close(Promise.resolve());
    expect([errors, new Set(freed)]).toEqual([[error], new Set(["a"])]);
  });

  it("keep their locks where setting them aside fails", async () => {
    await using fixture = await createFixture();
    const { hold, context, freed, errors, holding } = open(fixture, 1);
    await send(fixture, ["a", "b"]);
    await hold();
    await send(fixture, ["free"], "application/json");
    const error = new Error("The connection is gone.");
    context.receiver.defer = () => Promise.reject(error);
    expect(await hold()).toBe("held");
    expect([freed, errors]).toEqual([["a"], [error]]);
    await holding.close(Promise.resolve());
    expect(await counts(fixture)).toEqual([1, 1, 0]);
  });

  it("are abandoned where setting them aside fails while it closes", async () => {
    await using fixture = await createFixture();
    const { holding, hold, context } = open(fixture, 1);
    await send(fixture, ["a", "b"]);
    await hold();
    await send(fixture, ["free"], "application/json");
    context.receiver.defer = async () => {
      await holding.close(Promise.resolve());
      throw new Error("The connection is gone.");
    };
    expect(await hold()).toBe("abandoned");
    await quiet();
    expect(await counts(fixture)).toEqual([1, 1, 0]);
  });

  it("free their places when others can be read behind them, if they were deleted on receipt", async () => {
    await using fixture = await createFixture();
    const { holding, message, freed } = open(fixture, 1);
    await send(fixture, ["a"]);
    const deleted = { ...(await message()), delivery: undefined };
    expect(await holding.hold(deleted)).toMatchObject({ disposition: "held" });
    expect(freed).toEqual([]);
  });

  it("free their places when the transport closes, and nothing is settled", async () => {
    await using fixture = await createFixture();
    const { holding, hold, freed, scheduler } = open(fixture);
    await send(fixture, ["a"]);
    await hold();
    holding.freePlaces();
    await holding.abandonLeft();
    expect([freed, await counts(fixture), scheduler.timers]).toEqual([["a", "a"], [], 0]);
  });
});

describe("the messages that a processor has set aside", () => {
  it("are looked after at growing intervals while they cannot be read, and then no more", async () => {
    await using fixture = await createFixture();
    const { hold, scheduler, state, taken, context } = open(fixture, 1);
    await send(fixture, ["a", "b"]);
    await hold();
    await send(fixture, ["free"], "application/json");
    expect(await hold()).toBe("deferred");
    const peeks: number[] = [];
    const beganAtMs = scheduler.now();
    const peek = context.receiver.peek.bind(context.receiver);
    context.receiver.peek = (options) => {
      if (options.maxMessages === 1) peeks.push(scheduler.now() - beganAtMs);
      return peek(options);
    };
    for (let second = 0; second < 16; second++) {
      await scheduler.pass(1_000);
      await quiet();
    }
    expect(peeks).toEqual([1_000, 3_000, 7_000, 15_000]);
    state.isUp = true;
    await scheduler.pass(60_000);
    await quiet();
    expect(taken).toEqual(["b"]);
  });

  it("by an earlier process are looked for once, half a minute after it began", async () => {
    await using fixture = await createFixture();
    const { scheduler, context } = open(fixture);
    let peeks = 0;
    context.receiver.peek = async () => {
      peeks++;
      return [];
    };
    await scheduler.pass(29_999);
    expect([peeks, scheduler.timers]).toEqual([0, 1]);
    await scheduler.pass(1);
    await quiet();
    // There were none, so none are looked after.
    expect([peeks, scheduler.timers]).toEqual([1, 0]);
  });
});

/** A processor's held messages, on a clock of their own, and a registry that does not answer. */
function open(fixture: Fixture, maxHeldMessages = 100) {
  const state = { isUp: false };
  const scheduler = manualScheduler();
  const client = {
    serializer: plainJson,
    additionalDeserializers: [registryBound(state)],
    unavailableBackoff: { maxHeldMessages },
  };
  const context = { ...contextOf(fixture, { client }), scheduler };
  const [read, freed, taken]: [unknown[], unknown[], unknown[]] = [[], [], []];
  const [settled, errors]: [unknown[], unknown[]] = [[], []];
  const holding: Holding = new Holding(context, {
    async readAgain(held: HeldMessage) {
      read.push(held.delivered.messageId);
      if (!state.isUp) await holding.hold(held);
    },
    onSettled: ({ message, disposition }: UndeserializableEvent) =>
      void settled.push([message.messageId, disposition]),
    async take({ messageId }) {
      taken.push(messageId);
      return undefined;
    },
    onError: (error) => void errors.push(error),
  });
  /** The next message, which cannot be read. */
  const message = async () => {
    const [received] = await receiveOpen(context, 1);
    if (received === undefined) return expect.unreachable("No message was received.");
    const { delivered, delivery } = received;
    const result = await readDelivery(context, delivered, delivery, () => "hold");
    if (!isUnread(result)) return expect.unreachable("It can be read.");
    const free = () => void freed.push(delivered.messageId);
    return heldMessage(context, { delivered, delivery, free, isReported: false }, result);
  };
  const hold = async () => (await holding.hold(await message()))?.disposition;
  return { holding, context, scheduler, state, message, hold, read, freed, taken, settled, errors };
}

async function send(
  { transport }: Fixture,
  ids: readonly string[],
  contentType = "application/x-custom",
): Promise<void> {
  const messages = ids.map((id) => ({ ...custom(id, "{}"), contentType }));
  await transport.createSender("orders").send(messages);
}

/** The delivery counts of the messages that can be received now. */
async function counts({ broker }: Fixture): Promise<number[]> {
  const messages = await broker.receiver("orders").receive(9, { maxWaitMs: 0 });
  return messages.map(({ deliveryCount }) => deliveryCount);
}
