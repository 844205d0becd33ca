import { exactText } from "../census/census-text.js";
import type { Receipt, ReceiptEntry } from "./receipt-log.js";
import { parsePlan } from "./repair-plan.js";

/** An entry of a log of receipts as a line of JSON; {@link parseReceipt} reads it back. */
export function formatReceipt(entry: ReceiptEntry): string {
  return JSON.stringify(entry, exactText);
}

/** Reads what {@link formatReceipt} wrote; undefined for anything else. */
export function parseReceipt(line: string): ReceiptEntry | undefined {
  try {
    return entryOf(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function entryOf(value: { readonly [Name in string]?: unknown } | null): ReceiptEntry | undefined {
  if (typeof value?.from !== "string" || typeof value.at !== "string") return undefined;
  const { step, from, at } = value;
  switch (step) {
    case "plan": {
      const plan = parsePlan(value.plan);
      const isSelectedByFunction = value.isSelectedByFunction === true;
      const removed = typeof value.removed === "number" ? value.removed : undefined;
      return plan && { step, from, plan, isSelectedByFunction, removed, at };
    }
    case "ended":
      return { step, from, at };
    case "sending":
    case "sent":
    case "removed":
      return typeof value.sequenceNumber === "string" && typeof value.to === "string"
        ? (value as unknown as Receipt)
        : undefined;
    default:
      return undefined;
  }
}
