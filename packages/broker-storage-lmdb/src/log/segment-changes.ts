import type { Buffer } from "node:buffer";
import { numberIn, Table } from "../records/record-key.js";

/** Stands for the position of a change that deletes a record; the key is in the map. */
const deleted = -1;

/**
 * The last change of each key in a segment, by its position in the file: what the store must get. Keys of messages are kept as numbers, because
 * there are many.
 */
export class SegmentChanges {
  /** By message store and sequence number. */
  readonly #messages = new Map<number, Map<number, number>>();
  /** By the key's bytes as a string. */
  readonly #others = new Map<string, number>();

  /** Notes a change that puts a record. */
  put(bytes: Buffer, keyStart: number, keyEnd: number, position: number): void {
    this.#set(bytes, keyStart, keyEnd, position);
  }

  /** Notes a change that deletes a record which the store may have. */
  delete(bytes: Buffer, keyStart: number, keyEnd: number): void {
    this.#set(bytes, keyStart, keyEnd, deleted);
  }

  /** Forgets a key: the store need not know of its record. */
  forget(bytes: Buffer, keyStart: number, keyEnd: number): void {
    if (bytes[keyStart] === Table.message)
      this.#messages.get(numberIn(bytes, keyStart, keyEnd, 0))?.delete(numberIn(bytes, keyStart, keyEnd, 1));
    else this.#others.delete(bytes.toString("latin1", keyStart, keyEnd));
  }

  /** The positions of all records that are put. What is forgotten meanwhile is left out. */
  *puts(): Iterable<number> {
    for (const position of this.#others.values()) if (position !== deleted) yield position;
    for (const sequences of this.#messages.values())
      for (const position of sequences.values()) if (position !== deleted) yield position;
  }

  /** The keys of all records that are deleted. */
  *deletions(): Iterable<ChangedKey> {
    for (const [text, position] of this.#others) if (position === deleted) yield { text };
    for (const [storeId, sequences] of this.#messages)
      for (const [sequence, position] of sequences) if (position === deleted) yield { storeId, sequence };
  }

  #set(bytes: Buffer, keyStart: number, keyEnd: number, position: number): void {
    if (bytes[keyStart] !== Table.message) {
      this.#others.set(bytes.toString("latin1", keyStart, keyEnd), position);
      return;
    }
    const storeId = numberIn(bytes, keyStart, keyEnd, 0);
    let sequences = this.#messages.get(storeId);
    if (sequences === undefined) {
      sequences = new Map();
      this.#messages.set(storeId, sequences);
    }
    sequences.set(numberIn(bytes, keyStart, keyEnd, 1), position);
  }
}

/** The key of a message, or of another record as a string of its bytes. */
export type ChangedKey = { readonly storeId: number; readonly sequence: number } | { readonly text: string };
