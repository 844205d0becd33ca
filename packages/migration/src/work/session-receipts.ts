import type { PlanReceipt, Receipt, ReceiptEntry, ReceiptLog } from "../repair/receipt-log.js";
import { placeKey } from "../repair/receipt-log.js";
import { formatReceipt, parseReceipt } from "../repair/receipt-text.js";

/**
 * Receipts of one repair in the state of its item's session. It keeps only what a resumed repair needs: the plan, what was begun and not removed,
 * and what may have been sent twice. The end of the repair is kept with its result, in one step.
 */
export class SessionReceipts implements ReceiptLog {
  readonly #save: (progress: string) => Promise<void>;
  #plan: PlanReceipt | undefined;
  /** Of messages that were begun and not removed, by place. */
  readonly #open = new Map<string, Receipt[]>();
  /** Of messages that were removed, and that were sent again although they may have been sent before. */
  readonly #repeated: Receipt[] = [];
  #removed = 0;

  /** Goes on with what another worker has saved. */
  constructor(progress: string | undefined, save: (progress: string) => Promise<void>) {
    this.#save = save;
    for (const line of progress?.split("\n") ?? []) {
      const entry = parseReceipt(line);
      if (entry !== undefined) this.#add(entry);
    }
  }

  /** How many messages were sent in all. */
  get sent(): number {
    const isSent = (receipts: readonly Receipt[]) => receipts.some(({ step }) => step === "sent");
    return this.#removed + [...this.#open.values()].filter(isSent).length;
  }

  async *read(): AsyncIterable<ReceiptEntry> {
    yield* this.#kept();
  }

  async append(entries: readonly ReceiptEntry[]): Promise<void> {
    for (const entry of entries) this.#add(entry);
    if (entries.every(({ step }) => step === "ended")) return;
    await this.#save([...this.#kept()].map(formatReceipt).join("\n"));
  }

  /** Nothing to release: the state belongs to the session. */
  async close(): Promise<void> {}

  #add(entry: ReceiptEntry): void {
    if (entry.step === "ended") return;
    if (entry.step === "plan") {
      this.#plan = entry;
      this.#removed = entry.removed ?? 0;
      return;
    }
    const key = placeKey(entry);
    const receipts = [...(this.#open.get(key) ?? []), entry];
    if (entry.step !== "removed") {
      this.#open.set(key, receipts);
      return;
    }
    this.#open.delete(key);
    // Receipts that were read back without their "sent" are those of repeated messages, which the plan counts.
    if (receipts.some(({ step }) => step === "sent")) this.#removed++;
    const begun = receipts.filter(({ step }) => step === "sending");
    if (begun.length > 1) this.#repeated.push(...begun, entry);
  }

  *#kept(): Iterable<ReceiptEntry> {
    if (this.#plan !== undefined) yield { ...this.#plan, removed: this.#removed };
    yield* this.#repeated;
    for (const receipts of this.#open.values()) yield* receipts;
  }
}
