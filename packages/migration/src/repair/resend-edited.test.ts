import { createPipeline, type EncodedMessage } from "@waybill/core";
import { unavailableFailure } from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { replaced } from "../fixture.test-support.js";
import { failing, openDeadLetters, order, pipeline } from "./dead-letters.test-support.js";
import { unchangedResubmission } from "./plan-resubmission.js";
import { createMemoryReceipts } from "./receipt-log.js";
import { type ResendEditedOptions, repairDeadLetters, resendEdited } from "./repair-dead-letters.js";

type Fixture = Awaited<ReturnType<typeof openDeadLetters>>;

const from = { queue: "orders" };
const done = { resubmitted: 1, resumed: 0, possibleDuplicates: [], locked: undefined };

/** Sends another body in place of the dead letter of a number. */
async function resend(fixture: Fixture, number: bigint, more: Partial<ResendEditedOptions> = {}) {
  const [letter] = (await fixture.dead()).filter(({ sequenceNumber }) => sequenceNumber === number);
  const unchanged: EncodedMessage =
    letter === undefined ? order(0) : unchangedResubmission(letter, { from, ...more });
  return await resendEdited({
    transport: fixture.transport,
    pipeline,
    from,
    number,
    message: { ...unchanged, body: new TextEncoder().encode('{"id":7}') },
    maxWaitTimeInMs: 0,
    ...more,
  });
}

const bodies = (messages: readonly { readonly body: unknown }[]) =>
  messages.map(({ body }) => Buffer.from(body as Uint8Array).toString());

describe("sending a dead letter again with changes", () => {
  it("sends what it was changed to, and then removes the dead letter and no other", async () => {
    await using fixture = await openDeadLetters([order(1), order(2), order(3)]);
    expect(await resend(fixture, 2n)).toMatchObject(done);
    const [sent, ...others] = await fixture.waiting();
    expect(others).toEqual([]);
    expect(bodies([sent!])).toEqual(['{"id":7}']);
    expect(sent).toMatchObject({
      messageId: "order-2",
      subject: "order-placed",
      applicationProperties: { "waybill-resubmits": 1 },
    });
    expect(sent?.deadLetterReason).toBeUndefined();
    expect((await fixture.dead()).map(({ messageId }) => messageId)).toEqual(["order-1", "order-3"]);
  });

  it("finds one behind many others in a few calls", async () => {
    const orders = Array.from({ length: 250 }, (_, id) => order(id));
    await using fixture = await openDeadLetters(orders);
    let calls = 0;
    const transport = replaced(fixture.transport, {
      createReceiver(...settings) {
        const receiver = fixture.transport.createReceiver(...settings);
        return replaced(receiver, {
          receive(options) {
            calls++;
            return receiver.receive(options);
          },
        });
      },
    });
    expect(await resend(fixture, 250n, { transport })).toMatchObject(done);
    expect(calls).toBe(3);
  });

  it("sends nothing for one that is gone, or that another receiver holds", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    expect(await resend(fixture, 9n)).toMatchObject({ ...done, resubmitted: 0 });
    const other = fixture.transport.createReceiver({ ...from, subQueue: "deadLetter" }, "peekLock");
    await other.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    expect(await resend(fixture, 1n)).toMatchObject({ resubmitted: 0, locked: { count: 1, examples: [1n] } });
    expect(await fixture.waiting()).toEqual([]);
    expect(await fixture.dead()).toHaveLength(2);
  });

  it("sends what the chain cannot read only if told to", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const message = { ...order(1), body: new TextEncoder().encode('{"id":') };
    expect(await resend(fixture, 1n, { message })).toMatchObject({
      resubmitted: 0,
      skipped: { "would-be-unreadable": 1 },
    });
    expect(await fixture.waiting()).toEqual([]);
    const all = { message, includeUndeserializable: true };
    expect(await resend(fixture, 1n, all)).toMatchObject(done);
    expect(bodies(await fixture.waiting())).toEqual(['{"id":']);
  });

  it("sends nothing while what its reader needs cannot be reached", async () => {
    await using fixture = await openDeadLetters([order(1)]);
    const away = {
      ...json(),
      deserialize: () => Promise.reject(unavailableFailure("The registry is away.")),
    };
    const result = await resend(fixture, 1n, { pipeline: createPipeline({ serializer: away }) });
    expect(result).toMatchObject({ resubmitted: 0, skipped: { unavailable: 1 } });
    expect(await fixture.dead()).toHaveLength(1);
  });

  it("is not sent twice when it was killed before it removed the dead letter: the next one, or a repair, removes it", async () => {
    for (const next of ["edit", "repair"] as const) {
      await using fixture = await openDeadLetters([order(1)]);
      const receipts = createMemoryReceipts();
      const transport = failing(fixture.transport, "before-complete");
      await expect(resend(fixture, 1n, { transport, receipts })).rejects.toThrow("killed");
      expect(await fixture.dead()).toHaveLength(1);
      fixture.clock.advance(300_000);
      const result =
        next === "edit"
          ? await resend(fixture, 1n, { receipts })
          : await repairDeadLetters({
              transport: fixture.transport,
              pipeline,
              from,
              receipts,
              maxWaitTimeInMs: 0,
            });
      expect(result).toMatchObject({ ...done, resubmitted: 0, resumed: 1 });
      expect(bodies(await fixture.waiting())).toEqual(['{"id":7}']);
      expect(await fixture.dead()).toEqual([]);
    }
  });

  it("names a possible duplicate when it was killed while it was sending, unless the target detects duplicates", async () => {
    for (const requiresDuplicateDetection of [false, true]) {
      await using fixture = await openDeadLetters([order(1)], { requiresDuplicateDetection });
      const receipts = createMemoryReceipts();
      const more = { receipts, targetDetectsDuplicates: requiresDuplicateDetection };
      const transport = failing(fixture.transport, "after-send");
      await expect(resend(fixture, 1n, { ...more, transport })).rejects.toThrow("killed");
      fixture.clock.advance(300_000);
      expect(await resend(fixture, 1n, more)).toMatchObject({
        ...done,
        possibleDuplicates: requiresDuplicateDetection ? [] : [1n],
      });
      expect(await fixture.waiting()).toHaveLength(requiresDuplicateDetection ? 1 : 2);
    }
  });

  it("keeps no plan and no body in the receipts, and leaves an interrupted repair to be resumed first", async () => {
    await using fixture = await openDeadLetters([order(1), order(2)]);
    const receipts = createMemoryReceipts();
    await resend(fixture, 1n, { receipts });
    const steps: string[] = [];
    for await (const { step } of receipts.read()) steps.push(step);
    expect(steps).toEqual(["sending", "sent", "removed"]);
    const transport = failing(fixture.transport, "before-complete");
    const broken = repairDeadLetters({ transport, pipeline, from, receipts, maxWaitTimeInMs: 0 });
    await expect(broken).rejects.toThrow("killed");
    await expect(resend(fixture, 2n, { receipts })).rejects.toThrow("hold an interrupted repair");
  });
});
