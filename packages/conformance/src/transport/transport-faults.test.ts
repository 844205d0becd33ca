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
    catches("converts ids to strings", "sending: a message id and correlation id of a number", {
      sent: (message) => ({ ...message, messageId: String(message.messageId) }),
    });
    catches("omits a broker property", "sending: broker properties arrive", {
      sent: ({ replyToSessionId: _, ...message }) => message,
    });
    catches("reverses a batch", "sending: messages arrive in the order", {
      sender: (sender) => ({ send: (messages, options) => sender.send([...messages].reverse(), options) }),
    });
    catches("sends part of a batch", "sending: no message of a batch arrives", {
      sender: (sender) => ({
        async send(messages, options) {
          for (const message of messages) await sender.send([message], options);
        },
      }),
    });
    const bodies = new Map<bigint, DeliveredMessage["body"]>();
    catches("keeps the caller's bytes", "sending: a delivered message does not change", {
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
    catches("returns more than maxMessages", "receiving: returns at most maxMessages", {
      receiver: (receiver) => ({ receive: (options) => receiver.receive({ ...options, maxMessages: 10 }) }),
    });
    catches("takes a message when its call is aborted", "receiving: an aborted call", {
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
    catches(
      "has settlement handles in receive-and-delete mode",
      "receiving: removes a message in receive-and-delete",
      {
        delivered: (message) => ({ ...message, settlement: message.settlement ?? {} }),
      },
    );
    catches("abandons instead of completing", "settling: complete removes", {
      receiver: (receiver) => ({ complete: (handle) => receiver.abandon(handle) }),
    });
    catches("ignores the properties to modify", "settling: abandon adds and overwrites", {
      receiver: (receiver) => ({ abandon: (handle) => receiver.abandon(handle) }),
    });
    catches("truncates reasons", "settling: dead-letter keeps a reason and a description", {
      receiver: (receiver) => ({
        deadLetter: (handle, options) =>
          receiver.deadLetter(handle, {
            ...options,
            deadLetterReason: options?.deadLetterReason?.slice(0, 1024),
          }),
      }),
    });
    catches("settles twice without an error", "settling: a message can be settled once", {
      receiver: (receiver) => ({ complete: (handle) => receiver.complete(handle).catch(() => {}) }),
    });
    catches("settles all messages like the first", "settling: messages that are settled differently", {
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
    catches("does not renew locks", "locks: renewing a lock extends it", {
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
    catches("locks what it peeks", "peeking: does not change messages", {
      receiver: (receiver) => ({
        async peek({ maxMessages }) {
          const messages = await receiver.receive({ maxMessages, maxWaitTimeInMs: 0 });
          for (const { settlement } of messages) await receiver.abandon(settlement!);
          return messages;
        },
      }),
    });
    catches("continues peeking where it stopped", "peeking: begins at a sequence number", {
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
    catches("delivers deferred messages as active", "deferral: a deferred message is delivered only", {
      receiver: (receiver) => ({ defer: (handle) => receiver.abandon(handle) }),
    });
    catches("returns nothing for unknown numbers", "deferral: receiving an unknown sequence number", {
      receiver: (receiver) => ({
        receiveDeferred: (numbers) => receiver.receiveDeferred(numbers).catch(() => []),
      }),
    });
    catches("sends immediately instead of scheduling", "scheduling: a scheduled message is delivered at", {
      sender: (sender) => ({
        async schedule(messages) {
          await sender.send(messages);
          return messages.map((_, index) => BigInt(index + 1));
        },
      }),
    });
    catches("returns numbers that are not bigints", "scheduling: returns a sequence number", {
      sender: (sender) => ({
        schedule: async (messages, at) => (await sender.schedule(messages, at)).map(Number) as never,
      }),
    });
    catches("cancels messages that do not exist", "scheduling: cancelling twice", {
      sender: (sender) => ({ cancelScheduled: (numbers) => sender.cancelScheduled(numbers).catch(() => {}) }),
    });
    catches("ignores the limit on concurrent calls", "subscribing: calls the handler for up to", {
      receiver: (receiver) => ({
        subscribe: (handlers) => receiver.subscribe(handlers, { maxConcurrentCalls: 8 }),
      }),
    });
    catches("calls one handler at a time", "subscribing: calls the handler for up to", {
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
    catches("completes messages itself", "subscribing: does not settle messages", {
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
    catches("does not report a missing entity", "subscribing: reports an entity", {
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
    catches("omits the deadLetterSource", "forwarding: a dead-lettered message", {
      delivered: (message) => ({ ...message, deadLetterSource: undefined }),
    });
    catches("confuses the sub-queues", "transfer dead-letter: a message that was forwarded", {
      transport: (transport) => ({
        createReceiver: (address, mode) =>
          transport.createReceiver(
            address.subQueue === undefined ? address : { ...address, subQueue: "deadLetter" },
            mode,
          ),
      }),
    });
    catches("continues to work after it was closed", "lifecycle: send rejects with closed when its", {
      sender: () => ({ async close() {} }),
    });
    catches("loses the id that the broker assigned", "sending: a message without an id", {
      delivered: ({ messageId: _, ...message }) => message,
    });
    catches("ignores a signal that is already aborted", "lifecycle: complete rejects with aborted", {
      receiver: (receiver) => ({ complete: (handle) => receiver.complete(handle) }),
    });
    catches("throws errors that are not WaybillErrors", "lifecycle: receive rejects with entity-not-found", {
      receiver: (receiver) => ({
        receive: (options) =>
          receiver.receive(options).catch((error: Error) => {
            throw new Error(error.message);
          }),
      }),
    });
    catches(
      "throws plain errors with the right code",
      "lifecycle: renewLock rejects with message-lock-lost",
      {
        receiver: (receiver) => ({
          renewLock: (handle) =>
            receiver.renewLock(handle).catch(() => {
              throw new WaybillError("timeout", "It took too long.");
            }),
        }),
      },
    );
    catches("continues to wait when it is closed", "lifecycle: a receiver that waits stops waiting", {
      receiver: (receiver) => ({ close: async () => void receiver.entityPath }),
    });
    catches("declares a missing capability", "lifecycle: the transport declares", {
      transport: () => ({ capabilities: new Set<TransportCapability>(["rules"]) }),
    });
    it(`rejects with another code: "without sessions: acceptSession"`, async () => {
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
