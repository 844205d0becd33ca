import { open } from "node:fs/promises";
import { WaybillError } from "@waybill/core";

/** What happened to one dead-lettered message. `sending` comes before it is sent, `sent` after, `removed` when it has left its queue. */
export interface Receipt {
  readonly step: "sending" | "sent" | "removed";
  /** The dead-letter queue, as `orders/$DeadLetterQueue`. */
  readonly from: string;
  /** The message's number there, in decimal. */
  readonly sequenceNumber: string;
  /** The message id with which it is sent again; absent where the message has none. */
  readonly messageId?: string | undefined;
  /** Where it is sent. */
  readonly to: string;
  readonly at: string;
}

/** Remembers what a repair has done, so that the next one goes on where it stopped. */
export interface ReceiptLog {
  /** All receipts so far, oldest first. */
  read(): Promise<readonly Receipt[]>;
  /** Resolves when the receipts will survive a crash. */
  append(receipts: readonly Receipt[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Keeps receipts in a file, one JSON object per line, flushed to the disk before it goes on. Made when it is not there. A last line that a
 * crash cut short is dropped. Rejects with `configuration-invalid` for a file that holds something else.
 */
export async function openReceiptFile(path: string): Promise<ReceiptLog> {
  const file = await open(path, "a+");
  const text = await file.readFile("utf8");
  const end = text.lastIndexOf("\n") + 1;
  if (end < text.length) await file.truncate(Buffer.byteLength(text.slice(0, end)));
  const receipts = text
    .slice(0, end)
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => parsed(line, path, index + 1));
  return {
    read: async () => receipts,
    async append(more) {
      receipts.push(...more);
      await file.appendFile(more.map((receipt) => `${JSON.stringify(receipt)}\n`).join(""));
      await file.datasync();
    },
    close: () => file.close(),
  };
}

/** Keeps receipts in memory: enough where a repair is not to be resumed. */
export function createMemoryReceipts(): ReceiptLog {
  const receipts: Receipt[] = [];
  return {
    read: async () => receipts,
    append: async (more) => void receipts.push(...more),
    close: async () => {},
  };
}

function parsed(line: string, path: string, number: number): Receipt {
  try {
    const receipt = JSON.parse(line) as Partial<Receipt> | null;
    const isReceipt =
      (receipt?.step === "sending" || receipt?.step === "sent" || receipt?.step === "removed") &&
      typeof receipt.from === "string" &&
      typeof receipt.sequenceNumber === "string" &&
      typeof receipt.to === "string";
    if (isReceipt) return receipt as Receipt;
  } catch {
    // Told below, like every other line that is no receipt.
  }
  throw new WaybillError("configuration-invalid", `line ${number} of ${path} is not a receipt of a repair.`);
}
