import { expect, it } from "vitest";
import type { ReceiptEntry } from "../repair/receipt-log.js";
import { planOf } from "../repair/repair-plan.js";
import { SessionReceipts } from "./session-receipts.js";

const at = "2026-11-05T12:00:00.000Z";
const from = "orders/$DeadLetterQueue";
const plan = planOf({ from: { queue: "orders" } } as Parameters<typeof planOf>[0]);
const begun: ReceiptEntry = { step: "plan", from, plan, isSelectedByFunction: false, at };
const receipt = (sequenceNumber: string, step: "sending" | "sent" | "removed"): ReceiptEntry => {
  return { step, from, sequenceNumber, to: "orders", at };
};

/** Receipts of a worker, and what it saved last. */
async function saved(entries: readonly ReceiptEntry[], progress?: string) {
  const texts: string[] = [];
  const receipts = new SessionReceipts(progress, async (text) => void texts.push(text));
  await receipts.append(entries);
  return { receipts, text: texts.at(-1) ?? "" };
}

it("counts each message that was sent once, also after another worker has gone on", async () => {
  const first = await saved([
    begun,
    receipt("1", "sending"),
    receipt("1", "sent"),
    receipt("1", "removed"),
    receipt("2", "sending"),
    receipt("2", "sending"),
    receipt("2", "sent"),
    receipt("2", "removed"),
    receipt("3", "sending"),
    receipt("3", "sent"),
    receipt("4", "sending"),
  ]);
  expect(first.receipts.sent).toBe(3);
  const second = await saved([receipt("4", "sent"), receipt("4", "removed")], first.text);
  expect(second.receipts.sent).toBe(4);
});

it("keeps what may have been sent twice, and what is not removed, but not what is done", async () => {
  const { text } = await saved([
    begun,
    receipt("1", "sending"),
    receipt("1", "sent"),
    receipt("1", "removed"),
    receipt("2", "sending"),
    receipt("2", "sending"),
    receipt("2", "removed"),
    receipt("3", "sending"),
  ]);
  const { receipts } = await saved([], text);
  const kept: ReceiptEntry[] = [];
  for await (const entry of receipts.read()) kept.push(entry);
  expect(kept.map((entry) => ("sequenceNumber" in entry ? entry.sequenceNumber : entry.step))).toEqual([
    "plan",
    "2",
    "2",
    "2",
    "3",
  ]);
});

it("leaves out lines that it cannot read", async () => {
  const { text } = await saved([begun, receipt("1", "sending"), receipt("1", "sent")]);
  expect(new SessionReceipts("", async () => {}).sent).toBe(0);
  expect(new SessionReceipts(`${text}\n\n{}`, async () => {}).sent).toBe(1);
});
