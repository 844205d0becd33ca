import type { Buffer } from "node:buffer";
import { numberIn, Table } from "../records/record-key.js";

/**
 * The highest key that the store may have of each message store, and of packs. Sequence numbers rise, so most messages that came and went within
 * the log are above it, and the store need not be asked to delete them.
 */
export class StoredKeys {
  /** By the id of the message store. */
  readonly #lastSequences = new Map<number, { sequence: number }>();
  /** The message store whose key was noted last: thousands of keys of one store follow each other. */
  #storeId = -1;
  #last = { sequence: -1 };
  #lastPack = 0;

  /** Notes a key that the store has. */
  note(bytes: Buffer, start: number, end: number): void {
    const table = bytes[start];
    if (table === Table.message)
      this.noteMessage(numberIn(bytes, start, end, 0), numberIn(bytes, start, end, 1));
    else if (table === Table.pack) this.notePack(numberIn(bytes, start, end, 0));
  }

  noteMessage(storeId: number, sequence: number): void {
    if (storeId !== this.#storeId) {
      this.#storeId = storeId;
      this.#last = this.#lastSequences.get(storeId) ?? { sequence: -1 };
      this.#lastSequences.set(storeId, this.#last);
    }
    if (sequence > this.#last.sequence) this.#last.sequence = sequence;
  }

  notePack(id: number): void {
    if (id > this.#lastPack) this.#lastPack = id;
  }

  /** Whether the store may have a key; false is certain. */
  mayHave(bytes: Buffer, start: number, end: number): boolean {
    const table = bytes[start];
    if (table === Table.pack) return numberIn(bytes, start, end, 0) <= this.#lastPack;
    if (table !== Table.message) return true;
    const last = this.#lastSequences.get(numberIn(bytes, start, end, 0));
    return last !== undefined && numberIn(bytes, start, end, 1) <= last.sequence;
  }
}
