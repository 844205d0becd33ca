import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { WaybillError } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { formatReceipt, parseReceipt } from "./receipt-text.js";
import type { RepairPlan } from "./repair-plan.js";

/** What happened to one dead-lettered message: `sending` is written before it is sent, `sent` after, `removed` when it has left its queue. */
export interface Receipt {
  readonly step: "sending" | "sent" | "removed";
  /** The dead-letter queue, as `orders/$DeadLetterQueue`. */
  readonly from: string;
  /** The message's sequence number there, in decimal. */
  readonly sequenceNumber: string;
  /**
   * When it was enqueued, as ISO 8601: distinguishes it from a message of the same number in a queue that was recreated, or in a queue of the
   * same name in another namespace. Absent if the broker did not say.
   */
  readonly enqueuedAt?: string | undefined;
  /** The message id with which it is sent again; absent if the message has none. */
  readonly messageId?: string | undefined;
  /** Where it is sent. */
  readonly to: string;
  /** When, as ISO 8601. */
  readonly at: string;
}

/** What a repair was started to do. It precedes the receipts of its messages. */
export interface PlanReceipt {
  readonly step: "plan";
  readonly from: string;
  readonly plan: RepairPlan;
  readonly isSelectedByFunction: boolean;
  /** How many messages were sent and removed whose receipts the log does not keep; absent in a log that keeps all. */
  readonly removed?: number | undefined;
  readonly at: string;
}

/** A repair came to its end: there is nothing to resume. */
export interface EndReceipt {
  readonly step: "ended";
  readonly from: string;
  readonly at: string;
}

/** One entry of a log of receipts. */
export type ReceiptEntry = Receipt | PlanReceipt | EndReceipt;

/** Remembers what a repair was to do and what it has done, so that the next one resumes where it stopped. */
export interface ReceiptLog {
  /** All entries so far, oldest first. */
  read(): AsyncIterable<ReceiptEntry>;
  /** Resolves when the entries will survive a crash. */
  append(entries: readonly ReceiptEntry[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps receipts in a file, one JSON object per line, each flushed to the disk before the repair continues. Creates the file if it does not
 * exist; removes a last line that a crash cut short. Rejects, as `read` does, with `configuration-invalid` for a file that holds something
 * else, and does not change that file.
 */
export async function openReceiptFile(path: string): Promise<ReceiptLog> {
  await dropTornLine(path);
  const file = await open(path, "a");
  return {
    async *read() {
      let number = 0;
      for await (const line of createInterface({ input: createReadStream(path, "utf8") }))
        yield parsed(line, path, ++number);
    },
    async append(entries) {
      await file.appendFile(entries.map((entry) => `${formatReceipt(entry)}\n`).join(""));
      await file.datasync();
    },
    close: () => file.close(),
  };
}

/** Keeps receipts in memory: enough if the repair need not be resumed. */
export function createMemoryReceipts(): ReceiptLog {
  const entries: ReceiptEntry[] = [];
  return {
    async *read() {
      yield* entries;
    },
    append: async (more) => void entries.push(...more),
    close: async () => {},
  };
}

/** What identifies a message in its dead-letter queue. */
type ReceiptPlace = Pick<Receipt, "sequenceNumber" | "enqueuedAt">;

/** What identifies a message. */
export function placeOf({ sequenceNumber, enqueuedTimeUtc }: DeliveredMessage): ReceiptPlace {
  return { sequenceNumber: String(sequenceNumber), enqueuedAt: enqueuedTimeUtc?.toISOString() };
}

/** The same text for the same message. */
export function placeKey({ sequenceNumber, enqueuedAt }: ReceiptPlace): string {
  return `${sequenceNumber} ${enqueuedAt}`;
}

/** How much is read at a time, from the end, to find the last line break: a torn batch of receipts may be longer. */
const tailBytes = 65_536;

/** How every receipt begins. A last line that begins otherwise is not a torn receipt: the file is something else. */
const receiptStart = Buffer.from('{"step":"');

async function dropTornLine(path: string): Promise<void> {
  await using file = await open(path, "a+", 0o600);
  const { size } = await file.stat();
  const kept = await endOfLines(file, size);
  const torn = Buffer.alloc(Math.min(receiptStart.length, size - kept));
  await file.read(torn, 0, torn.length, kept);
  if (!torn.equals(receiptStart.subarray(0, torn.length))) throw noReceipt("the last line", path);
  await file.truncate(kept);
}

/** Where the last line begins that has no line break, if there is one. */
async function endOfLines(file: FileHandle, size: number): Promise<number> {
  const tail = Buffer.alloc(tailBytes);
  for (let start = size; start > 0; ) {
    const end = start;
    start = Math.max(end - tailBytes, 0);
    const { bytesRead } = await file.read(tail, 0, end - start, start);
    const lineEnd = tail.subarray(0, bytesRead).lastIndexOf("\n");
    if (lineEnd >= 0) return start + lineEnd + 1;
  }
  return 0;
}

function parsed(line: string, path: string, number: number): ReceiptEntry {
  const entry = parseReceipt(line);
  if (entry !== undefined) return entry;
  throw noReceipt(`line ${number}`, path);
}

function noReceipt(which: string, path: string): WaybillError {
  return new WaybillError("configuration-invalid", `${which} of ${path} is not a receipt of a repair.`);
}
