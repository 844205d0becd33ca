import { pause } from "waybill-harness/waiting.js";
import type { Attacker } from "./attacker.js";
import type { FloodContext } from "./flood.js";
import { attachSender, begin, transfer } from "./frames.js";
import type { KeyName } from "./keys.js";

const longNameBytes = 250_000;
/** Attackers whose connections stay open, with the server's state for them, while the next ones connect. */
const keptCount = 10;

/** Attaches links with names of 250 KB, in two sessions. */
export async function longNames(
  { open, isOver }: FloodContext,
  key: KeyName | undefined,
  address: string,
): Promise<void> {
  const name = "n".repeat(longNameBytes);
  while (!isOver()) {
    const attacker = await open(key);
    await attacker.write(begin(1));
    for (let handle = 0; handle < 5_000 && !attacker.isOver && !isOver(); handle++) {
      await attacker.write(attachSender(`${handle}${name}`, handle, address));
    }
    // The server may have to keep more of those that it did not disconnect.
    if (attacker.isOver) attacker.close();
    await pause(5);
  }
}

/** The sent part of messages that are never completed. */
export interface Unfinished {
  readonly key?: KeyName;
  readonly address: string;
  readonly links: number;
  /** Bytes of each frame, and how many of them. */
  readonly frameBytes: number;
  readonly frames: number;
}

/** Sends most of a message on each of many links, and never the rest. */
export async function unfinished({ open, isOver }: FloodContext, what: Unfinished): Promise<void> {
  const { key, address, links, frameBytes, frames } = what;
  const payload = Buffer.alloc(frameBytes);
  const kept: Attacker[] = [];
  while (!isOver()) {
    const attacker = await open(key);
    kept.push(attacker);
    if (kept.length > keptCount) kept.shift()?.close();
    const goesOn = (): boolean => !attacker.isOver && !isOver();
    for (let handle = 0; handle < links && goesOn(); handle++) {
      await attacker.write(attachSender(`l${handle}`, handle, address));
    }
    await pause(50);
    for (let handle = 0; handle < links && goesOn(); handle++) {
      const part = transfer(handle, handle, payload, { more: true });
      for (let sent = 0; sent < frames && goesOn(); sent++) await attacker.write(part);
    }
  }
  for (const attacker of kept) attacker.close();
}
