import { type EncodedMessage, type ErrorCode, WaybillError } from "@waybill/core";
import fc from "fast-check";
import rhea from "rhea";
import { describe, expect, it } from "vitest";
import { azureTransport } from "./azure-transport.js";
import { openLossyFixture } from "./lossy-fixture.test-support.js";
import { toAzureError } from "./sdk/azure-error.js";

const wait = { maxMessages: 1, maxWaitTimeInMs: 60_000 };

describe("azureTransport", () => {
  it("refuses a connection string instead of a client", () => {
    expect(() => azureTransport("Endpoint=sb://shop" as never)).toThrow(
      new TypeError("azureTransport needs a ServiceBusClient of @azure/service-bus."),
    );
  });

  it("refuses misspelt options, also of the watchdog, and suggests the most similar name", async () => {
    await using fixture = await openLossyFixture();
    const make = (options: object) => () => azureTransport(fixture.client, options);
    expect(make({ sdkPatch: false })).toThrow(
      new TypeError('azureTransport: there is no option "sdkPatch"; did you mean "sdkPatches"?'),
    );
    expect(make({ watchdog: { stallTimeoutMs: 1 } })).toThrow(
      'azureTransport: watchdog: there is no option "stallTimeoutMs"; did you mean "stallTimeoutInMs"?',
    );
  });

  it("sends and receives every property and every section", async () => {
    await using fixture = await openLossyFixture({ maxMessageSizeInKilobytes: 1024 });
    const sender = fixture.transport.createSender("orders");
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await fc.assert(
      fc.asyncProperty(messages(), async (message) => {
        await sender.send([message]);
        const [received] = await receiver.receive(wait);
        await receiver.complete(received!.settlement!);
        expect(received).toMatchObject(message);
      }),
      { numRuns: 200 },
    );
  });

  it("reads bytes as a data section, whatever precedes them", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.transport.createSender("orders");
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "receiveAndDelete");
    // What a value section's descriptor ends with: its code, and its name.
    const endings = ["w", "\u0000Sw", "amqp:value:*"];
    const bodies = [
      new Uint8Array(),
      Uint8Array.of(0),
      new Uint8Array(8),
      new Uint8Array(16),
      new Uint8Array(300),
    ];
    for (const ending of endings) {
      for (const body of bodies) {
        const message = { body, applicationProperties: { ending } };
        await sender.send([message]);
        expect((await receiver.receive(wait))[0]).toMatchObject(message);
      }
    }
  });

  it("keeps them in batches, scheduled messages and peeked messages", async () => {
    await using fixture = await openLossyFixture({ maxMessageSizeInKilobytes: 1024 });
    const sender = fixture.transport.createSender("orders");
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "receiveAndDelete");
    await fc.assert(
      fc.asyncProperty(messages(), messages(), messages(), async (first, second, third) => {
        await fixture.broker.purge("orders");
        await sender.send([first, second]);
        await sender.schedule([third], new Date(0));
        const peeked = await receiver.peek({ maxMessages: 3 });
        expect(peeked).toMatchObject([first, second, { ...third, scheduledEnqueueTimeUtc: new Date(0) }]);
        for (const message of [first, second, third]) {
          const [received] = await receiver.receive(wait);
          expect(received).toMatchObject(message);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("rejects a settlement after the application closed its SDK client", async () => {
    await using fixture = await openLossyFixture();
    await fixture.transport.createSender("orders").send([{ body: new Uint8Array() }]);
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const settled = new Promise((resolve, reject) => {
      receiver.subscribe(
        {
          async onMessage({ settlement }) {
            await fixture.client.close();
            await receiver.complete(settlement!).then(resolve, reject);
          },
          onError: () => {},
        },
        { maxConcurrentCalls: 1 },
      );
    });
    await expect(settled).rejects.toMatchObject({ code: "closed" });
  });

  it("refuses to subscribe with the SDK's error after the application closed its SDK client", async () => {
    await using fixture = await openLossyFixture();
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await fixture.client.close();
    const handlers = { async onMessage() {}, onError() {} };
    expect(() => receiver.subscribe(handlers, { maxConcurrentCalls: 1 })).toThrow(
      expect.objectContaining({ code: "closed", entityPath: "orders" }),
    );
  });

  it("waits for a session longer than the maximum of the platform's timers", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on("warning", note);
    const accepting = fixture.transport.acceptSession({ queue: "orders" }, undefined, {
      receiveMode: "peekLock",
      maxWaitTimeInMs: Number.POSITIVE_INFINITY,
    });
    await fixture.transport.createSender("orders").send([{ body: new Uint8Array(), sessionId: "s" }]);
    expect((await accepting).sessionId).toBe("s");
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  it("keeps dates and 64-bit integers of deferred messages, also in receive-and-delete mode", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.transport.createSender("orders");
    const applicationProperties = { at: new Date(5), count: 5, big: 2n ** 60n };
    for (const mode of ["peekLock", "receiveAndDelete"] as const) {
      await sender.send([{ body: new Uint8Array(), applicationProperties }]);
      const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
      const [received] = await receiver.receive(wait);
      await receiver.defer(received!.settlement!, { propertiesToModify: { due: new Date(9) } });
      const later = fixture.transport.createReceiver({ queue: "orders" }, mode);
      const [deferred] = await later.receiveDeferred([received!.sequenceNumber]);
      expect(deferred!.applicationProperties).toEqual({ ...applicationProperties, due: new Date(9) });
    }
  });

  it("keeps dates, bytes and 64-bit integers in the properties of a settlement", async () => {
    await using fixture = await openLossyFixture();
    await fixture.transport.createSender("orders").send([{ body: new Uint8Array() }]);
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const added = {
      at: new Date(5),
      big: 2n ** 53n + 1n,
      bytes: Uint8Array.of(1, 2),
      fraction: -0.5,
      none: null,
    };
    const [first] = await receiver.receive(wait);
    await receiver.abandon(first!.settlement!, { propertiesToModify: added });
    const [second] = await receiver.receive(wait);
    expect(second!.applicationProperties).toEqual(added);
    await receiver.deadLetter(second!.settlement!, { propertiesToModify: { more: 2n ** 60n } });
    const dead = fixture.transport.createReceiver({ queue: "orders", subQueue: "deadLetter" }, "peekLock");
    expect((await dead.receive(wait))[0]!.applicationProperties).toEqual({ ...added, more: 2n ** 60n });
  });

  it("reads messages of other AMQP libraries: uuids as text, described values as their content, several data sections as one", async () => {
    await using fixture = await openLossyFixture();
    const uuid = Buffer.from("00112233445566778899aabbccddeeff", "hex");
    const message = {
      message_id: uuid,
      application_properties: {
        id: rhea.types.wrap_uuid(uuid as never),
        span: rhea.types.wrap_described(
          rhea.types.wrap_long(Buffer.alloc(8, 1) as never),
          "com.microsoft:timespan" as never,
        ),
        name: rhea.types.wrap_symbol("symbol"),
      },
      body: rhea.message.data_sections([Buffer.from("ab"), Buffer.from("cd")] as never),
    };
    await fixture.broker.sender("orders").send({ wire: rhea.message.encode(message as never) });
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    const [received] = await receiver.receive(wait);
    expect(received).toMatchObject({
      messageId: "00112233-4455-6677-8899-aabbccddeeff",
      applicationProperties: {
        id: "00112233-4455-6677-8899-aabbccddeeff",
        span: 0x0101010101010101n,
        name: "symbol",
      },
      body: new TextEncoder().encode("abcd"),
    });
  });

  it.each(["send", "sendBatch"] as const)(
    "sends usual and unusual messages in one batch, in order (%s)",
    async (way) => {
      await using fixture = await openLossyFixture();
      const sender = fixture.transport.createSender("orders");
      const messages = [0, 1, 2, 3].map((n) => ({ messageId: String(n), body: Uint8Array.of(n) }));
      const unusual = { ...messages[2]!, timeToLive: 60_000 };
      const sent = [messages[0]!, messages[1]!, unusual, messages[3]!];
      if (way === "send") await sender.send(sent);
      else {
        const batch = await sender.createBatch();
        for (const message of sent) expect(batch.tryAdd(message)).toBe(true);
        expect(batch.count).toBe(4);
        await sender.sendBatch(batch);
      }
      const arrived = await fixture.broker.receiver("orders").peek(9);
      expect(arrived.map(({ messageId, timeToLiveMs }) => [messageId, timeToLiveMs])).toEqual([
        ["0", Number.POSITIVE_INFINITY],
        ["1", Number.POSITIVE_INFINITY],
        ["2", 60_000],
        ["3", Number.POSITIVE_INFINITY],
      ]);
    },
  );

  it("keeps every message of a full batch when an uncommon one does not fit", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.transport.createSender("orders");
    const batch = await sender.createBatch({ maxSizeInBytes: 2_000 });
    // The SDK needs more bytes for the same messages.
    const replyToSessionId = "s".repeat(100);
    const tryAdd = (messageId: string) =>
      batch.tryAdd({ body: Uint8Array.of(1), messageId, replyToSessionId });
    let added = 0;
    while (tryAdd(`${added}`)) added++;
    expect(batch.tryAdd({ body: Uint8Array.of(2), timeToLive: 60_000 })).toBe(false);
    expect(batch.tryAdd({ body: Uint8Array.of(3), timeToLive: 60_000 })).toBe(false);
    expect(batch.count).toBe(added);
    await sender.sendBatch(batch);
    const peeked = await fixture.broker.receiver("orders").peek(100);
    expect(peeked.map(({ messageId }) => messageId)).toEqual(Array.from({ length: added }, (_, i) => `${i}`));
  });

  it("sends a batch again, with a message that only the SDK can encode", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.transport.createSender("orders");
    const batch = await sender.createBatch();
    batch.tryAdd({ body: Uint8Array.of(1), messageId: "1" });
    batch.tryAdd({ body: Uint8Array.of(2), messageId: "2" });
    await sender.sendBatch(batch);
    batch.tryAdd({ body: Uint8Array.of(3), messageId: "3", timeToLive: 60_000 });
    await sender.sendBatch(batch);
    const peeked = await fixture.broker.receiver("orders").peek(9);
    expect(peeked.map(({ messageId }) => messageId)).toEqual(["1", "2", "1", "2", "3"]);
  });

  it("is full with as many messages as Service Bus takes in a batch, which the SDK does not know", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.transport.createSender("orders");
    const batch = await sender.createBatch();
    let added = 0;
    while (batch.tryAdd({ body: Uint8Array.of(1) })) added++;
    expect([added, batch.count]).toEqual([4_500, 4_500]);
    await sender.sendBatch(batch);
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(4_500);
  });

  it("reports the wire size of a batch, and when it is full", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.transport.createSender("orders");
    const batch = await sender.createBatch({ maxSizeInBytes: 1_000 });
    let added = 0;
    for (; batch.tryAdd({ body: new Uint8Array(100) }); added++) {
      expect(batch.sizeInBytes).toBeGreaterThan(100 * (added + 1));
      expect(batch.sizeInBytes).toBeLessThanOrEqual(1_000);
    }
    expect(batch.count).toBe(added);
    await sender.sendBatch(batch);
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(added);
    expect(added).toBeGreaterThan(4);
  });

  it("resolves an entity only on the first call", async () => {
    await using fixture = await openLossyFixture();
    const sender = fixture.transport.createSender("later");
    await expect(sender.send([{ body: new Uint8Array() }])).rejects.toMatchObject({
      code: "entity-not-found",
    });
    await fixture.broker.createQueue("later");
    await sender.send([{ body: new Uint8Array() }]);
  });

  it("refuses the empty session id, which the SDK treats as any session", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    const options = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const accepting = fixture.transport.acceptSession({ queue: "orders" }, "", options);
    await expect(accepting).rejects.toMatchObject({ code: "not-supported" });
  });

  it("accepts a session at once that an aborted request has just locked", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    const client = fixture.client as { acceptSession: (...options: unknown[]) => Promise<unknown> };
    const accept = client.acceptSession.bind(client);
    const aborting = new AbortController();
    let returnFirst = () => {};
    // The caller goes when the session is locked, and gets it when the next one has been refused.
    client.acceptSession = async (...options) => {
      const session = await accept(...options).catch((error: unknown) => {
        returnFirst();
        throw error;
      });
      if (aborting.signal.aborted) return session;
      aborting.abort();
      await new Promise<void>((resolve) => (returnFirst = resolve));
      return session;
    };
    const options = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const aborted = fixture.transport.acceptSession({ queue: "orders" }, "a", {
      ...options,
      abortSignal: aborting.signal,
    });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    expect((await fixture.transport.acceptSession({ queue: "orders" }, "a", options)).sessionId).toBe("a");
  });

  it("keeps a session state that is JSON, and distinguishes a cleared one from an empty one", async () => {
    await using fixture = await openLossyFixture({ requiresSession: true });
    const options = { receiveMode: "peekLock", maxWaitTimeInMs: 0 } as const;
    const session = await fixture.transport.acceptSession({ queue: "orders" }, "a", options);
    for (const text of ['{"step":2}', "7", "", "plain"]) {
      const state = new TextEncoder().encode(text);
      await session.setState(state);
      expect(await session.getState()).toEqual(state);
    }
    await session.setState(undefined);
    expect(await session.getState()).toBeUndefined();
    await session.close();
    const inBroker = await fixture.broker.acceptSession("orders", { sessionId: "a", maxWaitMs: 0 });
    expect(await inBroker.getState()).toBeUndefined();
  });
});

describe("errors of the SDK", () => {
  it.each<[string, string, ErrorCode]>([
    ["MessagingEntityNotFound", "", "entity-not-found"],
    ["MessagingEntityNotFoundError", "", "entity-not-found"],
    ["UnauthorizedAccess", "", "unauthorized"],
    ["UnauthorizedError", "", "unauthorized"],
    ["QuotaExceeded", "", "quota-exceeded"],
    ["ServiceBusy", "", "service-busy"],
    ["ServerBusyError", "", "service-busy"],
    ["ServiceTimeout", "", "timeout"],
    ["ServiceCommunicationProblem", "", "connection-lost"],
    ["MessageSizeExceeded", "", "message-too-large"],
    ["MessageTooLargeError", "", "message-too-large"],
    ["GeneralError", "InvalidOperationError: no", "operation-invalid"],
    ["GeneralError", "DetachForcedError: gone", "connection-lost"],
    ["GeneralError", "InternalServerError: oops", "internal"],
    ["GeneralError", "Link closed before receiving messages.", "connection-lost"],
    ["SomethingNew", "", "internal"],
  ])("%s %s become a WaybillError of code %s", (code, text, expected) => {
    const error = Object.assign(new Error(text), { name: "ServiceBusError", code });
    expect(toAzureError(error, "orders")).toMatchObject({
      code: expected,
      entityPath: "orders",
      cause: error,
    });
  });

  it("are identified by the last of several attempts, by the failed system call, or by their text", () => {
    const failed = (code: string) => Object.assign(new Error("x"), { name: "ServiceBusError", code });
    const attempts = new AggregateError([failed("ServiceTimeout"), failed("ServiceBusy")]);
    expect(toAzureError(attempts, "orders")).toMatchObject({ code: "service-busy" });
    const refused = Object.assign(new Error("connect ECONNREFUSED"), {
      code: "ECONNREFUSED",
      syscall: "connect",
    });
    expect(toAzureError(refused, "orders")).toMatchObject({ code: "connection-lost", retryable: true });
    for (const text of [
      "Unknown error encountered.",
      "Attempted … but the CBS link does not exist.",
      "Cannot read properties of undefined (reading 'sendRequest')",
    ]) {
      expect(toAzureError(new Error(text), "orders")).toMatchObject({ code: "connection-lost" });
    }
    const settled = new Error("The message has either been deleted or already settled");
    expect(toAzureError(settled, "orders")).toMatchObject({ code: "message-lock-lost" });
    const aborted = Object.assign(new Error("x"), { name: "AbortError" });
    expect(toAzureError(aborted, "orders")).toMatchObject({ code: "aborted" });
    const known = new WaybillError("closed", "x");
    expect(toAzureError(known, "orders")).toBe(known);
  });
});

function messages(): fc.Arbitrary<EncodedMessage> {
  const key = fc.string({ unit: "binary", maxLength: 40 });
  const id = fc.oneof(
    key,
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
    fc.nat(),
    fc.uint8Array({ minLength: 1, maxLength: 128 }),
  );
  const long = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) - 1n }),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
    fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 2n ** 33n }),
  );
  const date = fc.date({ noInvalidDate: true });
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.uint8Array({ minLength: 8, maxLength: 8 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
  );
  const simple = fc.oneof(
    fc.string(),
    fc.double(),
    fc.integer(),
    long,
    fc.boolean(),
    date,
    bytes,
    fc.constant(null),
  );
  const graph = fc.oneof(
    simple,
    fc.array(simple),
    fc.dictionary(
      fc.string().filter((name) => name !== "__proto__"),
      simple,
    ),
  );
  const body = fc.oneof(
    bytes,
    fc.record({ section: fc.constant("value" as const), value: graph }),
    fc.record({ section: fc.constant("sequence" as const), value: fc.array(graph) }),
  );
  return fc.record(
    {
      body,
      messageId: id,
      contentType: fc.string({ unit: "grapheme-ascii" }),
      correlationId: id,
      subject: fc.string(),
      to: fc.string(),
      replyTo: fc.string(),
      replyToSessionId: key,
      viaPartitionKey: key,
      partitionKey: key,
      timeToLive: fc.integer({ min: 600_000, max: 2 ** 31 }),
      forcePersistence: fc.constant(true),
      // rhea drops a property named __proto__.
      applicationProperties: fc.dictionary(
        fc.string({ unit: "binary", minLength: 1 }).filter((name) => name !== "__proto__"),
        simple,
      ),
    },
    { requiredKeys: ["body"] },
  );
}
