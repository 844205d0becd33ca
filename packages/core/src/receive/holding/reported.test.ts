import {
  type ProcessErrorArgs,
  type UndeserializableEvent,
  WaybillClient,
  type WaybillClientOptions,
  WaybillError,
} from "@waybill/core";
import { decodeFailure, unavailableFailure } from "@waybill/core/serializer";
import type { TransportReceiver } from "@waybill/core/transport";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { createFixture, type Fixture, quiet, until } from "../../../test/fixture.js";
import { registry, type Source } from "./unavailable-sources.test-support.js";

type Disposition = UndeserializableEvent["disposition"];

describe("every message that is held is reported, to the hook and to processError", () => {
  it.each([
    { whenFull: "defer", set: "deferred" },
    { whenFull: "deadLetter", set: "deadLettered" },
  ] as const)(
    "and again when it is $set because readable messages arrive behind it",
    async ({ whenFull, set }) => {
      await using fixture = await createFixture({ client: breakable({ whenFull, maxHeldMessages: 2 }) });
      const { clock, client } = fixture;
      const { handled, reported } = subscribe(fixture);
      await send(fixture, "order", ["first"]);
      await until(() => handled.length === 1);
      await send(fixture, "order", numbered(13), "broken");
      // Nine are dead-lettered, two are held, the next keeps its place: nothing behind it can be read yet.
      await until(() => of("held", fixture.events).length === 3);
      await quiet();
      expect(of(set, fixture.events)).toHaveLength(whenFull === "defer" ? 0 : 9);
      await send(fixture, "other", ["other"]);
      clock.advance(1_000);
      await until(() => handled.length === 2);
      await until(() => of(set, fixture.events).length === (whenFull === "defer" ? 2 : 11));
      const ids = of(set, fixture.events).map(({ message }) => message.messageId);
      expect(ids.slice(-2)).toEqual(["m12", "m13"]);
      expect(reported.map(({ rawMessage, disposition }) => [rawMessage?.messageId, disposition])).toEqual(
        fixture.events.map(({ message, disposition }) => [message.messageId, disposition]),
      );
      await client.close();
    },
  );

  it("and again when it is dead-lettered, because others of its type can be read", async () => {
    const state = { isBroken: false };
    await using fixture = await createFixture({ client: breakable({ maxHeldMessages: 2 }, state) });
    const { reported } = subscribe(fixture);
    await send(fixture, "order", ["first"]);
    state.isBroken = true;
    await send(fixture, "order", numbered(11), "broken");
    await until(() => of("held", fixture.events).length === 2);
    state.isBroken = false;
    await send(fixture, "order", ["later"]);
    await until(() => of("deadLettered", fixture.events).length === 11);
    expect(of("deadLettered", fixture.events).map(({ message }) => message.messageId)).toContain("m10");
    expect(reported).toHaveLength(fixture.events.length);
  });

  it("even if its circuit closes before it is known whether it can be set aside, and it is held again", async () => {
    const state = { isBroken: false, isUp: true };
    const client = breakable({ maxHeldMessages: 1 }, state);
    await using fixture = await createFixture({ client });
    const transport = localTransport(fixture.broker);
    const looks: (() => void)[] = [];
    const createReceiver = transport.createReceiver.bind(transport);
    transport.createReceiver = (...args) => {
      const receiver = createReceiver(...args);
      const peek = receiver.peek.bind(receiver);
      receiver.peek = async (...given) => {
        if (state.isBroken) await new Promise<void>((resolve) => looks.push(resolve));
        return peek(...given);
      };
      return receiver;
    };
    const events: UndeserializableEvent[] = [];
    const onUndeserializable = (event: UndeserializableEvent) => void events.push(event);
    await using slow = new WaybillClient(transport, { ...client, onUndeserializable });
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const handled: unknown[] = [];
    const processMessage = ({ messageId }: { readonly messageId?: unknown }) => {
      handled.push(messageId);
      return messageId === "closes the circuit" ? finished : undefined;
    };
    slow.createReceiver("orders").subscribe({ processMessage, processError() {} }, { maxConcurrentCalls: 2 });
    await send(fixture, "order", ["first"]);
    await until(() => handled.length === 1);
    state.isBroken = true;
    await send(fixture, "order", numbered(11), "late");
    // The second that is held keeps its place in the transport, and the messages behind it are looked at.
    await until(() => looks.length > 0);
    state.isBroken = false;
    state.isUp = false;
    await send(fixture, "order", ["closes the circuit"]);
    await until(() => handled.length === 2);
    await quiet();
    for (const look of looks) look();
    await quiet();
    finish();
    expect(of("held", events).map(({ message }) => message.messageId)).toEqual(["m10", "m11"]);
  });

  it("in calls of receiveMessages: held once a call, and when it is dead-lettered or deferred", async () => {
    await using fixture = await createFixture({ client: breakable({ maxHeldMessages: 2 }) });
    await send(fixture, "order", numbered(12), "broken");
    const receiver = fixture.client.createReceiver("orders");
    const options = { maxWaitTimeInMs: 0 };
    await expect(receiver.receiveMessages(2, options)).rejects.toMatchObject({
      code: "deserialization-failed",
    });
    expect(of("held", fixture.events)).toHaveLength(2);
    await send(fixture, "other", ["other"]);
    while ((await receiver.receiveMessages(2, options).catch(() => [])).length === 0);
    await expect.poll(() => of("deadLettered", fixture.events).length).toBeGreaterThan(1);
    const dead = of("deadLettered", fixture.events).map(({ message }) => message.messageId);
    expect(dead.slice(0, 2)).toEqual(["m1", "m2"]);
  });

  it("in calls of receiveMessages: when an unavailable one is deferred", async () => {
    const source = registry();
    await using fixture = await createFixture({
      client: { ...source.options, unavailableBackoff: { maxHeldMessages: 2, initialDelayInMs: 0 } },
    });
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages([1, 2, 3].map((n) => ({ messageId: `n${n}`, subject: "needs", body: { n } })));
    await sender.sendMessages({ messageId: "free", body: { n: 4 } });
    source.state.isUp = false;
    const receiver = fixture.client.createReceiver("orders");
    let received: readonly { readonly messageId?: unknown }[] = [];
    while (received.length === 0)
      received = await receiver.receiveMessages(2, { maxWaitTimeInMs: 0 }).catch(() => []);
    expect(received.map(({ messageId }) => messageId)).toEqual(["free"]);
    // The cause may quote what the dependency says.
    expect(of("held", fixture.events)[0]?.error).toMatchObject({
      code: "unavailable",
      text: "Something needed to read the body is out of reach.",
      cause: { text: "The registry is unreachable." },
    });
    expect(of("deferred", fixture.events).map(({ message }) => message.messageId)).toContain("n1");
  });
});

describe("a message that turns out to be unreadable while its processor closes", () => {
  it("is abandoned, and reported so", async () => {
    let refuse: (error: Error) => void = () => {};
    const sound = json();
    const serializer: typeof sound = {
      ...sound,
      deserialize: () => new Promise((_resolve, reject) => (refuse = reject)),
    };
    await using fixture = await createFixture({ client: { serializer } });
    await fixture
      .clientWith({})
      .createSender("orders")
      .sendMessages({ body: { n: 1 } });
    const processor = fixture.client
      .createReceiver("orders")
      .subscribe({ processMessage: () => {}, processError: () => {} });
    const isReading = refuse;
    await until(() => refuse !== isReading);
    const closed = processor.close();
    refuse(unavailableFailure("The registry is unreachable."));
    await closed;
    expect(fixture.events.map(({ disposition }) => disposition)).toEqual(["abandoned"]);
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
  });
});

describe("messages that are set aside", () => {
  it("keep since when they are held, however often they come back", async () => {
    const source = registry();
    await using fixture = await createFixture({
      client: { ...source.options, unavailableBackoff: { maxHeldMessages: 1 } },
    });
    await send(fixture, "needs", ["n1", "n2"], { n: 1 });
    source.state.isUp = false;
    const since = new Date(fixture.clock.now() - 3_000_000).toISOString();
    const sender = fixture.clientWith({}).createSender("orders");
    await sender.sendMessages({
      messageId: "old",
      subject: "needs",
      body: { n: 3 },
      applicationProperties: { "waybill-held-since": since },
    });
    await sender.sendMessages({ subject: "free", body: { n: 4 } });
    subscribe(fixture);
    await until(() => {
      fixture.clock.advance(1_000);
      return of("deferred", fixture.events).some(({ message }) => message.messageId === "old");
    });
    const [old] = (await fixture.broker.receiver("orders").peek(9)).filter(
      ({ messageId }) => messageId === "old",
    );
    expect(old).toMatchObject({ state: "deferred", applicationProperties: { "waybill-held-since": since } });
  });

  it("stay held if they cannot be deferred now, and keep the property for later", async () => {
    const source = registry();
    await using fixture = await createFixture();
    const busy = new WaybillError("service-busy", "Try again.");
    const { client, deferrals } = deferring(fixture, source, (count) => (count === 1 ? busy : undefined));
    await sendWithoutSource(fixture, source);
    const { errors } = subscribeTo(client);
    const isDeferred = () =>
      fixture.broker
        .snapshot()
        .stores.flatMap(({ messages }) => messages.filter(({ message }) => message.state === "deferred"))
        .length === 2;
    await advanceUntil(fixture, isDeferred);
    expect(deferrals.every((options) => options?.propertiesToModify !== undefined)).toBe(true);
    expect(errors).toEqual([busy]);
    await client.close();
  });

  it("are looked at again at growing intervals, up to thirty seconds", async () => {
    const source = registry();
    await using fixture = await createFixture();
    const { client, receivers, deferrals } = deferring(fixture, source, () => undefined);
    await sendWithoutSource(fixture, source);
    subscribeTo(client);
    await advanceUntil(fixture, () => deferrals.length === 2);
    let looks = 0;
    const peek = receivers[0]!.peek.bind(receivers[0]);
    receivers[0]!.peek = (options) => {
      if (options.maxMessages === 1) looks++;
      return peek(options);
    };
    const looksIn = async (seconds: number) => {
      looks = 0;
      for (let passed = 0; passed < seconds; passed++) {
        fixture.clock.advance(1_000);
        await quiet();
      }
      return looks / 2;
    };
    expect(await looksIn(60)).toBeLessThanOrEqual(6);
    const later = await looksIn(300);
    expect(later).toBeGreaterThanOrEqual(9);
    expect(later).toBeLessThanOrEqual(11);
    await client.close();
  });

  it("report no error of a look at them that closing has cut off", async () => {
    const source = registry();
    await using fixture = await createFixture();
    const { client, receivers } = deferring(fixture, source, () => undefined);
    await sendWithoutSource(fixture, source);
    const { errors, subscription } = subscribeTo(client);
    let cutOff: ((error: Error) => void) | undefined;
    receivers[0]!.peek = () => new Promise((_, reject) => (cutOff = reject));
    await advanceUntil(fixture, () => cutOff !== undefined);
    const closed = subscription.close();
    cutOff!(new Error("closed"));
    await closed;
    await quiet();
    expect(errors).toEqual([]);
  });

  it("stay deferred while the transport cannot receive them, and come back later", async () => {
    const source = registry();
    await using fixture = await createFixture();
    const transport = localTransport(fixture.broker);
    let failures = 0;
    const createReceiver = transport.createReceiver.bind(transport);
    transport.createReceiver = (...args) => {
      const receiver = createReceiver(...args);
      const receiveDeferred = receiver.receiveDeferred.bind(receiver);
      receiver.receiveDeferred = (...given) => {
        failures++;
        return failures < 3 ? Promise.reject(new Error("lost")) : receiveDeferred(...given);
      };
      return receiver;
    };
    const options = { serializer: json(), ...source.options, unavailableBackoff: { maxHeldMessages: 1 } };
    await using client = new WaybillClient(transport, options as never);
    const sender = fixture.client.createSender("orders");
    for (const n of [1, 2, 3])
      await sender.sendMessages({ messageId: `n${n}`, subject: "needs", body: { n } });
    await sender.sendMessages({ messageId: "free", body: { n: 4 } });
    source.state.isUp = false;
    const handled: unknown[] = [];
    const errors: unknown[] = [];
    client.createReceiver("orders").subscribe({
      processMessage: ({ messageId }) => void handled.push(messageId),
      processError: ({ error, errorSource }) => void (errorSource === "receive" && errors.push(error)),
    });
    const handledAfterASecond = () => {
      fixture.clock.advance(1_000);
      return handled.length;
    };
    await until(() => handledAfterASecond() === 1);
    source.state.isUp = true;
    await until(() => handledAfterASecond() === 4);
    expect(new Set(handled)).toEqual(new Set(["free", "n1", "n2", "n3"]));
    expect(errors).toMatchObject([{ message: "lost" }, { message: "lost" }]);
  });
});

type DeferOptions = Parameters<TransportReceiver["defer"]>[1];

/** A client that holds one unavailable message, and whose deferrals may fail, by their number. */
function deferring(
  { broker }: Fixture,
  source: Source,
  failure: (count: number) => WaybillError | undefined,
) {
  const transport = localTransport(broker);
  const deferrals: DeferOptions[] = [];
  const receivers: TransportReceiver[] = [];
  const createReceiver = transport.createReceiver.bind(transport);
  transport.createReceiver = (...args) => {
    const receiver = createReceiver(...args);
    const defer = receiver.defer.bind(receiver);
    receiver.defer = (handle, options) => {
      const error = failure(deferrals.push(options));
      return error === undefined ? defer(handle, options) : Promise.reject(error);
    };
    receivers.push(receiver);
    return receiver;
  };
  const options = { serializer: json(), ...source.options, unavailableBackoff: { maxHeldMessages: 1 } };
  return { client: new WaybillClient(transport, options as WaybillClientOptions), deferrals, receivers };
}

/** Three messages that cannot be read now, and one that can. */
async function sendWithoutSource(fixture: Fixture, source: Source): Promise<void> {
  await send(fixture, "needs", ["n1", "n2", "n3"], { n: 1 });
  await send(fixture, "free", ["free"], { n: 4 });
  source.state.isUp = false;
}

/** Advances the clock by a second again and again. */
async function advanceUntil({ clock }: Fixture, holds: () => boolean): Promise<void> {
  await until(() => {
    clock.advance(1_000);
    return holds();
  });
}

function subscribeTo(client: WaybillClient) {
  const errors: unknown[] = [];
  const subscription = client.createReceiver("orders").subscribe({
    processMessage() {},
    processError: ({ error, disposition }) => void (disposition === undefined && errors.push(error)),
  });
  return { errors, subscription };
}

/** A client that cannot read bodies that say `broken`, or no orders at all; those that say `late` need a registry that may be down. */
function breakable(
  circuitBreaker: object,
  state: { isBroken: boolean; isUp?: boolean } = { isBroken: false },
) {
  const sound = json();
  const serializer: typeof sound = {
    ...sound,
    deserialize(bytes, context) {
      const value = sound.deserialize(bytes, context);
      if (value === "late" && state.isUp === false) throw unavailableFailure("The registry is unreachable.");
      if (value === "broken" || state.isBroken) throw decodeFailure("schema-unknown", "It does not fit.");
      return value;
    },
  };
  return { serializer, circuitBreaker };
}

/** Sends messages of a type, with these ids. */
async function send(
  { clientWith }: Fixture,
  subject: string,
  ids: readonly string[],
  body: unknown = "sound",
): Promise<void> {
  const messages = ids.map((messageId) => ({ messageId, subject, body }));
  await clientWith({}).createSender("orders").sendMessages(messages);
}

/** `m1`, `m2` … */
function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `m${i + 1}`);
}

function subscribe({ client }: Fixture) {
  const handled: unknown[] = [];
  const reported: ProcessErrorArgs[] = [];
  client.createReceiver("orders").subscribe({
    processMessage: ({ body }) => void handled.push(body),
    processError: (args) => void reported.push(args),
  });
  return { handled, reported };
}

function of(disposition: Disposition, events: readonly UndeserializableEvent[]): UndeserializableEvent[] {
  return events.filter((event) => event.disposition === disposition);
}
