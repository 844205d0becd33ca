import type { Buffer } from "node:buffer";
import {
  closeSync,
  copyFileSync,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BrokerError } from "@waybill/broker";
import type { Storage } from "@waybill/broker/storage";
import { expect } from "vitest";
import { openDurableStorage } from "../durable-storage.js";
import { load, messageRecord } from "../fixture.test-support.js";
import { loadRecords } from "../load-records.js";
import { blockBytes } from "./blocks.js";

export const first = "store.log-a";
export const second = "store.log-b";
export const storeFiles = ["store.json", "store.mdb", first, second];

/** A directory with a store, and copies of it as a killed process would leave them. */
export interface Place extends Disposable {
  readonly path: string;
  read(name: string): Buffer;
  write(name: string, bytes: Buffer): void;
  /** Changes bytes of a file, and its length. */
  patch(name: string, at: number, bytes: Buffer, byteLength: number): void;
  /** Copies the store's files into another directory, where they replace all files of a store. */
  copyTo(target: Place, names?: readonly string[]): void;
}

export function temporaryPlace(): Place {
  const path = mkdtempSync(join(tmpdir(), "log-"));
  return {
    path,
    read: (name) => readFileSync(join(path, name)),
    write: (name, bytes) => writeFileSync(join(path, name), bytes),
    patch(name, at, bytes, byteLength) {
      const descriptor = openSync(join(path, name), "r+");
      writeSync(descriptor, bytes, 0, bytes.byteLength, at);
      ftruncateSync(descriptor, byteLength);
      closeSync(descriptor);
    },
    copyTo(target, names = storeFiles) {
      for (const name of storeFiles) {
        rmSync(join(target.path, name), { force: true });
        if (names.includes(name) && existsSync(join(path, name)))
          copyFileSync(join(path, name), join(target.path, name));
      }
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

export async function openAndLoad(directory: string) {
  const storage = await openDurableStorage(directory);
  return { storage, loaded: await load(storage) };
}

/** The messages in a store: the sequence number, the size of the body, and the body's first byte. */
export type Content = [sequence: number, bodyBytes: number, firstByte: number][];

/** The content of a store, after it was opened; it is closed then. */
export async function contentOf(directory: string): Promise<Content> {
  const { storage, loaded } = await openAndLoad(directory);
  const content = loaded.messages.map(([, sequence, record]): Content[number] => {
    const body = storage.readBody(record.content.bodyId);
    expect(body.every((byte) => byte === body[0])).toBe(true);
    return [sequence, body.byteLength, body[0] ?? 0];
  });
  await storage.close();
  return content;
}

/** The sequence numbers in a store, only read; or why it is refused. Its log may be looked for in other files. */
export function sequencesIn(
  { path }: Place,
  logs: readonly [string, string] = [first, second],
): number[] | string {
  const sequences: number[] = [];
  const ignore = () => {};
  try {
    loadRecords(
      { store: join(path, "store.mdb"), logs: [join(path, logs[0]), join(path, logs[1])] },
      {
        entity: ignore,
        counter: ignore,
        message: (_store, sequence) => sequences.push(sequence),
        session: ignore,
        duplicate: ignore,
      },
    );
    return sequences;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** The text with which a store is refused, to everyone who opens it. */
export async function refusalOf(directory: string): Promise<string> {
  const storage = await openDurableStorage(directory);
  const error = await load(storage).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof BrokerError)) throw new Error("expected a BrokerError", { cause: error });
  expect(error.code).toBe("storage-unreadable");
  expect(error.message).toContain("Nothing was changed");
  return error.message;
}

export async function send(storage: Storage, sequence: number, bodyBytes: number): Promise<void> {
  storage.putMessage(1, sequence, messageRecord(storage.putBody(new Uint8Array(bodyBytes).fill(sequence))));
  await storage.commit();
}

/** Sends messages one by one, each with the given size, and leaves the store in `killed` as if the process had been killed then. */
export async function killAfter(sizes: readonly number[], live: Place, killed: Place): Promise<void> {
  const { storage } = await openAndLoad(live.path);
  for (const [i, size] of sizes.entries()) await send(storage, i + 1, size);
  live.copyTo(killed);
  await storage.close();
}

/** The groups of the segment in a file, as the numbers of their first block and the one behind their last. The first one is the head. */
export function groupsIn(bytes: Buffer): [start: number, end: number][] {
  const groups: [number, number][] = [];
  const numberAt = (block: number) => bytes.readUInt32BE(block * blockBytes + 4);
  const head = numberAt(0);
  for (let block = 0; numberAt(block) === head + groups.length; ) {
    const start = block;
    while (numberAt(block) === head + groups.length) block++;
    groups.push([start, block]);
  }
  return groups;
}
