import type { SettlementHandle, TransportReceiver } from "@waybill/core/transport";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openLossyFixture } from "../lossy-fixture.test-support.js";
import { outcomeKey } from "./outcome-key.js";
import { SettlementGuard } from "./settlement-guard.js";

type Fixture = Awaited<ReturnType<typeof openLossyFixture>>;

describe("settlements in one turn of the event loop", () => {
  it("keep their outcomes, independently of each other", async () => {
    await using fixture = await openLossyFixture({ maxDeliveryCount: 2000 });
    const receiver = fixture.transport.createReceiver({ queue: "orders" }, "peekLock");
    await fc.assert(
      fc.asyncProperty(fc.array(settlements, { minLength: 2, maxLength: 12 }), async (wanted) => {
        await fixture.broker.purge("orders");
        await fixture.broker.purge("orders/$DeadLetterQueue");
        await send(fixture, wanted.length);
        const handles = await receive(receiver, wanted.length);
        await Promise.all(wanted.map((settlement, index) => settle(receiver, handles[index]!, settlement)));
        const left = await fixture.broker.receiver("orders").peek(100);
        const dead = await fixture.broker.receiver("orders/$DeadLetterQueue").peek(100);
        expect([...left, ...dead].map(outcomeOf).sort()).toEqual(wanted.flatMap(expectedOutcome).sort());
      }),
      { numRuns: 60 },
    );
  });
});

describe("SettlementGuard", () => {
  it("sends equal outcomes together, after the other output of this turn", async () => {
    const { guard, sent } = recording();
    for (let i = 0; i < 3; i++) guard("complete");
    expect(sent).toEqual([]);
    process.nextTick(() => sent.push("credit"));
    await written();
    expect(sent).toEqual(["credit", "complete", "complete", "complete"]);
  });

  it("sends another outcome in the next turn, without waiting for the response to the first", async () => {
    const { guard, sent } = recording();
    for (const outcome of ["complete", "deadLetter", "complete", "abandon", "deadLetter"]) guard(outcome);
    await written();
    expect(sent).toEqual(["complete", "complete"]);
    await turn();
    expect(sent.slice(2)).toEqual(["deadLetter", "deadLetter"]);
    await turn();
    expect(sent.slice(4)).toEqual(["abandon"]);
  });

  it("adds settlements to the outcome that a turn sends already", async () => {
    const { guard, sent } = recording();
    guard("complete");
    guard("deadLetter");
    await written();
    guard("complete");
    await written();
    expect(sent).toEqual(["complete", "complete"]);
  });

  it("separates settlements while another outcome is sent", async () => {
    const { guard, sent } = recording();
    guard("complete");
    guard("deadLetter");
    await turn();
    guard("complete");
    await written();
    expect(sent).toEqual(["complete", "deadLetter"]);
    await turn();
    expect(sent).toEqual(["complete", "deadLetter", "complete"]);
  });
});

describe("outcomeKey", () => {
  it.each([
    ["reasons", { deadLetterReason: "a" }, { deadLetterReason: "b" }],
    ["a reason from a description", { deadLetterReason: "a" }, { deadLetterErrorDescription: "a" }],
    ["numbers from 64-bit integers", { propertiesToModify: { n: 1 } }, { propertiesToModify: { n: 1n } }],
    ["numbers from text", { propertiesToModify: { n: 1 } }, { propertiesToModify: { n: "1" } }],
    ["the two zeros", { propertiesToModify: { n: 0 } }, { propertiesToModify: { n: -0 } }],
    ["dates from numbers", { propertiesToModify: { n: new Date(1) } }, { propertiesToModify: { n: 1 } }],
    [
      "bytes",
      { propertiesToModify: { n: Uint8Array.of(1) } },
      { propertiesToModify: { n: Uint8Array.of(2) } },
    ],
  ])("distinguishes %s", (_name, a, b) => {
    expect(outcomeKey("deadLetter", a)).not.toBe(outcomeKey("deadLetter", b));
    expect(outcomeKey("deadLetter", a)).toBe(outcomeKey("deadLetter", structuredClone(a)));
  });

  it("distinguishes options that it does not know by name", () => {
    const later = (options: object) => outcomeKey("abandon", options);
    expect(later({ priority: 1 })).not.toBe(later({ priority: 2 }));
    expect(later({ priority: 1 })).not.toBe(later({}));
    expect(later({ route: { to: "a" } })).not.toBe(later({ route: { to: "b" } }));
    expect(later({ abortSignal: new AbortController().signal })).toBe(later({}));
  });

  it("treats empty options like none, and distinguishes the kinds of settlement", () => {
    expect(outcomeKey("abandon", { propertiesToModify: {} })).toBe(outcomeKey("abandon", undefined));
    expect(outcomeKey("abandon", undefined)).not.toBe(outcomeKey("defer", undefined));
  });
});

type Wanted = readonly ["complete" | "abandon" | "defer" | "deadLetter", note: string];

const settlements = fc.tuple(
  fc.constantFrom("complete", "abandon", "defer", "deadLetter"),
  fc.constantFrom("x", "y"),
) satisfies fc.Arbitrary<Wanted>;

function settle(receiver: TransportReceiver, handle: SettlementHandle, [verb, note]: Wanted): Promise<void> {
  if (verb === "complete") return receiver.complete(handle);
  if (verb === "deadLetter") return receiver.deadLetter(handle, { deadLetterReason: note });
  return receiver[verb](handle, { propertiesToModify: { note } });
}

function expectedOutcome([verb, note]: Wanted, index: number): string[] {
  return verb === "complete" ? [] : [`${index} ${verb} ${note}`];
}

function outcomeOf(message: {
  messageId?: unknown;
  state: string;
  deadLetterReason?: string | undefined;
  applicationProperties: Readonly<Record<string, unknown>>;
}): string {
  const { messageId, state, deadLetterReason, applicationProperties } = message;
  if (deadLetterReason !== undefined) return `${messageId} deadLetter ${deadLetterReason}`;
  return `${messageId} ${state === "deferred" ? "defer" : "abandon"} ${applicationProperties.note}`;
}

function send({ broker }: Fixture, count: number): Promise<void> {
  return broker.sender("orders").sendBatch(
    Array.from({ length: count }, (_, index) => ({
      messageId: String(index),
      body: { section: "data", bytes: Uint8Array.of(index) },
    })),
  );
}

async function receive(receiver: TransportReceiver, count: number): Promise<SettlementHandle[]> {
  const handles: SettlementHandle[] = [];
  while (handles.length < count) {
    const messages = await receiver.receive({ maxMessages: count - handles.length, maxWaitTimeInMs: 60_000 });
    handles.push(...messages.map(({ settlement }) => settlement!));
  }
  return handles;
}

function recording() {
  const sent: string[] = [];
  const guard = new SettlementGuard<string>((settlement) => sent.push(settlement));
  return { sent, guard: (outcome: string) => guard.settle(outcome, outcome) };
}

/** Resolves when the library has written the output of this turn. */
async function written(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => process.nextTick(resolve));
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
