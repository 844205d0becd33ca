import { type ErrorCode, WaybillError } from "@waybill/core";
import type { DeliveredMessage, SettlementHandle, TransportCapability } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { catches, everyCapability, findCase, localSubject } from "./faulty-transport.test-support.js";
import { transportCases } from "./transport-cases.js";

describe("transportCases", () => {
  describe("catches a transport that", () => {
    catches("sends JSON instead of bytes", "sending: a body of bytes that are JSON text", {
      sent: (message) => ({ ...message, body: { section: "value", value: String(message.body) } }),
    });
    catches("parses what it delivers", "sending: a body of one byte that is a JSON number", {
      delivered: (message) => ({ ...message, body: { section: "value", value: 7 } }),
    });
    catches("rounds 64-bit properties", "sending: an application property of an integer beyond 2^53", {
      delivered: (message) => ({
        ...message,
        applicationProperties: mapped(message.applicationProperties, (value) =>
          typeof value === "bigint" ? Number(value) : value,
        ),
      }),
    });
    catches("turns dates into numbers", "sending: an application property of a date", {
      delivered: (message) => ({
        ...message,
        applicationProperties: mapped(message.applicationProperties, Number),
      }),
    });
    catches("makes ids texts", "sending: a message id and correlation id of a number", {
      sent: (message) => ({ ...message, messageId: String(message.messageId) }),
    });
    catches("forgets a broker property", "sending: broker properties arrive", {
      sent: ({ replyToSessionId: _, ...message }) => message,
    });
    catches("reverses a batch", "sending: messages arrive in the order", {
      sender: (sender) => ({ send: (messages, options) => sender.send([...messages].reverse(), options) }),
    });
    catches("sends part of a batch", "sending: of a batch with a message that is too large", {
      sender: (sender) => ({
        async send(messages, options) {
          for (const message of messages) await sender.send([message], options);
        },
      }),
    });
    const bodies = new Map<bigint, DeliveredMessage["body"]>();
    catches("keeps the caller's bytes", "sending: a delivered message no longer depends", {
      delivered(message) {
        const known = bodies.get(message.sequenceNumber) ?? message.body;
        bodies.set(message.sequenceNumber, known);
        return { ...message, body: known };
      },
    });
    catches("waits for a full batch", "receiving: returns early", {
      receiver: (receiver) => ({
        async receive(options) {
          const messages = await receiver.receive(options);
          return messages.length < options.maxMessages ? receiver.receive(options) : messages;
        },
      }),
    });
    catches("returns more than asked for", "receiving: returns at most as many", {
      receiver: (receiver) => ({ receive: (options) => receiver.receive({ ...options, maxMessages: 10 }) }),
    });
    catches("takes a message along when it gives up", "receiving: a wait that was given up", {
      receiver: (receiver) => ({
        receive({ abortSignal, ...options }) {
          const call = receiver.receive(options);
          return abortSignal === undefined ? call : Promise.race([call, aborted(abortSignal)]);
        },
      }),
    });
    catches("has no lock token", "receiving: locks a message", {
      delivered: (message) => ({ ...message, lockToken: undefined }),
    });
    catches("keeps handles in receive-and-delete mode", "receiving: removes a message at once", {
      delivered: (message) => ({ ...message, settlement: message.settlement ?? {} }),
    });
    catches("abandons where it should complete", "settling: complete removes", {
      receiver: (receiver) => ({ complete: (handle) => receiver.abandon(handle) }),
    });
    catches("forgets the properties to modify", "settling: abandon adds and overwrites", {
      receiver: (receiver) => ({ abandon: (handle) => receiver.abandon(handle) }),
    });
    catches("cuts reasons short", "settling: dead-letter keeps a reason and a description", {
      receiver: (receiver) => ({
        deadLetter: (handle, options) =>
          receiver.deadLetter(handle, {
            ...options,
            deadLetterReason: options?.deadLetterReason?.slice(0, 1024),
          }),
      }),
    });
    catches("settles twice without a word", "settling: a message is settled once", {
      receiver: (receiver) => ({ complete: (handle) => receiver.complete(handle).catch(() => {}) }),
    });
    catches("gives neighbours the outcome of the first", "settling: neighbours settled differently", {
      receiver(receiver) {
        let first: ((handle: SettlementHandle) => Promise<void>) | undefined;
        const flush = (handle: SettlementHandle, settle: (handle: SettlementHandle) => Promise<void>) => {
          if (first === undefined)
            queueMicrotask(() => {
              first = undefined;
            });
          first ??= settle;
          return first(handle);
        };
        return {
          complete: (handle) => flush(handle, (one) => receiver.complete(one)),
          deadLetter: (handle, options) => flush(handle, (one) => receiver.deadLetter(one, options)),
        };
      },
    });
    catches("renews no lock", "locks: a renewed lock holds longer", {
      receiver: () => ({ renewLock: async () => new Date(Date.now() + 1e9) }),
    });
    catches("settles when it closes", "locks: closing a receiver settles nothing", {
      receiver(receiver) {
        const held: SettlementHandle[] = [];
        return {
          async receive(options) {
            const messages = await receiver.receive(options);
            held.push(...messages.flatMap(({ settlement }) => settlement ?? []));
            return messages;
          },
          async close() {
            for (const handle of held) await receiver.complete(handle);
            await receiver.close();
          },
        };
      },
    });
    catches("locks what it peeks", "peeking: leaves messages as they were", {
      receiver: (receiver) => ({
        async peek({ maxMessages }) {
          const messages = await receiver.receive({ maxMessages, maxWaitTimeInMs: 0 });
          for (const { settlement } of messages) await receiver.abandon(settlement!);
          return messages;
        },
      }),
    });
    catches("goes on peeking where it stopped", "peeking: begins at a sequence number", {
      receiver(receiver) {
        let next: bigint | undefined;
        return {
          async peek(options) {
            const messages = await receiver.peek({ fromSequenceNumber: next, ...options });
            next = (messages.at(-1)?.sequenceNumber ?? 0n) + 1n;
            return messages;
          },
        };
      },
    });
    catches("delivers deferred messages as active", "deferral: a deferred message is not delivered", {
      receiver: (receiver) => ({ defer: (handle) => receiver.abandon(handle) }),
    });
    catches("returns nothing for unknown numbers", "deferral: asking for a number that nobody deferred", {
      receiver: (receiver) => ({
        receiveDeferred: (numbers) => receiver.receiveDeferred(numbers).catch(() => []),
      }),
    });
    catches("schedules by sending", "scheduling: a scheduled message is delivered when", {
      sender: (sender) => ({
        async schedule(messages) {
          await sender.send(messages);
          return messages.map((_, index) => BigInt(index + 1));
        },
      }),
    });
    catches("returns numbers that are no bigints", "scheduling: returns a sequence number", {
      sender: (sender) => ({
        schedule: async (messages, at) => (await sender.schedule(messages, at)).map(Number) as never,
      }),
    });
    catches("cancels without looking", "scheduling: cancelling twice", {
      sender: (sender) => ({ cancelScheduled: (numbers) => sender.cancelScheduled(numbers).catch(() => {}) }),
    });
    catches("ignores the limit on concurrent calls", "subscribing: calls the handler for at most", {
      receiver: (receiver) => ({
        subscribe: (handlers) => receiver.subscribe(handlers, { maxConcurrentCalls: 8 }),
      }),
    });
    catches("calls one handler at a time", "subscribing: calls the handler for at most", {
      receiver: (receiver) => ({
        subscribe: (handlers) => receiver.subscribe(handlers, { maxConcurrentCalls: 1 }),
      }),
    });
    catches("stops without waiting", "subscribing: stop lets the running handlers finish", {
      receiver: (receiver) => ({
        subscribe(handlers, options) {
          const subscription = receiver.subscribe(handlers, options);
          return {
            async stop() {
              void subscription.stop();
            },
          };
        },
      }),
    });
    catches("completes by itself", "subscribing: settles nothing that the handler left", {
      receiver: (receiver) => ({
        subscribe: (handlers, options) =>
          receiver.subscribe(
            {
              ...handlers,
              async onMessage(message) {
                await handlers.onMessage(message);
                await receiver.complete(message.settlement!);
              },
            },
            options,
          ),
      }),
    });
    catches("is silent about a missing entity", "subscribing: reports an entity", {
      receiver: (receiver) => ({
        subscribe: (handlers, options) => receiver.subscribe({ ...handlers, onError() {} }, options),
      }),
    });
    catches("gives all subscriptions one copy", "topics: settling one copy", {
      receiver: (receiver, address) => ({
        receive: (options) =>
          "subscription" in address && address.subscription === "shipping"
            ? Promise.resolve([])
            : receiver.receive(options),
      }),
    });
    catches("forgets where a message was dead-lettered", "forwarding: a dead-lettered message", {
      delivered: (message) => ({ ...message, deadLetterSource: undefined }),
    });
    catches("takes one sub-queue for the other", "transfer dead-letter: a message that was passed on", {
      transport: (transport) => ({
        createReceiver: (address, mode) =>
          transport.createReceiver(
            address.subQueue === undefined ? address : { ...address, subQueue: "deadLetter" },
            mode,
          ),
      }),
    });
    catches("works on after it was closed", "lifecycle: send rejects with closed when what", {
      sender: () => ({ async close() {} }),
    });
    catches("loses the id that the broker gave", "sending: a message without id", {
      delivered: ({ messageId: _, ...message }) => message,
    });
    catches("ignores a signal that aborted before", "lifecycle: complete rejects with aborted", {
      receiver: (receiver) => ({ complete: (handle) => receiver.complete(handle) }),
    });
    catches("throws foreign errors", "lifecycle: receive rejects with entity-not-found", {
      receiver: (receiver) => ({
        receive: (options) =>
          receiver.receive(options).catch((error: Error) => {
            throw new Error(error.message);
          }),
      }),
    });
    catches("lets errors pass by their code", "lifecycle: renewLock rejects with message-lock-lost", {
      receiver: (receiver) => ({
        renewLock: (handle) =>
          receiver.renewLock(handle).catch(() => {
            throw new WaybillError("timeout", "It took too long.");
          }),
      }),
    });
    catches("goes on waiting when it is closed", "lifecycle: a receiver that waits stops waiting", {
      receiver: (receiver) => ({ close: async () => void receiver.entityPath }),
    });
    catches("declares what it cannot do", "lifecycle: the transport declares", {
      transport: () => ({ capabilities: new Set<TransportCapability>(["rules"]) }),
    });
    it(`refuses in other words: "without sessions: acceptSession"`, async () => {
      const without = everyCapability.filter((capability) => capability !== "sessions");
      const clause = (code: ErrorCode) =>
        findCase(
          transportCases({
            ...localSubject({
              transport: () => ({
                acceptSession: () => Promise.reject(new WaybillError(code, "no sessions")),
              }),
            }),
            capabilities: without,
          }),
          "without sessions: acceptSession",
        ).run();
      await clause("not-supported");
      await expect(clause("internal")).rejects.toThrow(expect.objectContaining({ name: "AssertionError" }));
    });
  });
});

function mapped(
  properties: DeliveredMessage["applicationProperties"],
  change: (value: unknown) => unknown,
): DeliveredMessage["applicationProperties"] {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [name, change(value) as never]),
  );
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new WaybillError("aborted", "The operation was aborted."));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
