import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BrokerError, openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { required } from "@waybill/foundation";
import type { Random } from "waybill-harness/random.js";

/** The outcome of opening damaged copies of a store. */
export interface DamageReport {
  refused: number;
  identical: number;
  readonly violations: string[];
}

const logFiles = ["store.log-a", "store.log-b"];

/**
 * Damages each file of a killed broker's store, and the file of the same store after it was closed, in one place, so many times in copies; opens them, and
 * reports whether each was refused or had the content of the store: flipped bits, sectors of zeros, of ones and of older bytes, and files cut short. A copy
 * of a killed broker's store without its log must be refused.
 */
export async function damageStore(
  directory: string,
  scratch: string,
  times: number,
  random: Random,
): Promise<DamageReport> {
  const report: DamageReport = { refused: 0, identical: 0, violations: [] };
  const copy = join(scratch, "copy");
  const closed = join(scratch, "closed");
  copyStore(directory, closed);
  const expected = await contentOf(closed);
  const logs = logFiles.filter((name) => existsSync(join(directory, name)));
  const targets = [
    [closed, "store.mdb"],
    ...["store.mdb", ...logs].map((file) => [directory, file] as const),
  ] as const;
  for (const [source, file] of targets) {
    const original = readFileSync(join(source, file));
    for (let i = 0; i < times; i++) {
      const { name, bytes } = damage(original, usedBytes(file, original), i, random);
      copyStore(source, copy);
      writeFileSync(join(copy, file), bytes);
      try {
        if ((await contentOf(copy)) === expected) report.identical++;
        else report.violations.push(`${file}, ${name}: opened with other content`);
      } catch (error) {
        if (isRefusal(error)) report.refused++;
        else report.violations.push(`${file}, ${name}: ${error}`);
      }
    }
  }
  if (!(await isRefusedWithoutLog(directory, copy))) report.violations.push("opened without its log");
  return report;
}

/** How much of a file is worth damaging: a log has blocks ahead, whose number of a group is 0. */
function usedBytes(file: string, bytes: Buffer): number {
  if (!logFiles.includes(file)) return bytes.byteLength;
  let used = bytes.byteLength;
  while (used >= 512 && bytes.readBigUInt64BE(used - 512) === 0n) used -= 512;
  return used;
}

async function isRefusedWithoutLog(directory: string, scratch: string): Promise<boolean> {
  copyStore(directory, scratch);
  for (const name of logFiles) rmSync(join(scratch, name), { force: true });
  try {
    await contentOf(scratch);
    return false;
  } catch (error) {
    return isRefusal(error);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof BrokerError && error.code === "storage-unreadable";
}

function copyStore(directory: string, scratch: string): void {
  rmSync(scratch, { recursive: true, force: true });
  cpSync(directory, scratch, { recursive: true });
}

function damage(
  original: Buffer,
  used: number,
  round: number,
  random: Random,
): { name: string; bytes: Buffer } {
  const bytes = Buffer.from(original);
  const sector = random(Math.floor(used / 512)) * 512;
  switch (round % 5) {
    case 0: {
      const length = random(used);
      return { name: `cut to ${length} bytes`, bytes: bytes.subarray(0, length) };
    }
    case 1:
      return { name: `zeros from ${sector} on`, bytes: bytes.fill(0, sector, sector + 512) };
    case 2: {
      const from = random(Math.floor(used / 512)) * 512;
      bytes.copy(bytes, sector, from, from + 512);
      return { name: `sector ${from} over ${sector}`, bytes };
    }
    default: {
      // Half of the flips hit the two heads, where most depends on each bit.
      const at = round % 5 === 3 ? random(2) * 4096 + random(160) : random(used);
      const bit = random(8);
      bytes[at] = required(bytes[at]) ^ (1 << bit);
      return { name: `bit ${bit} of byte ${at} flipped`, bytes };
    }
  }
}

async function contentOf(directory: string): Promise<string> {
  const broker = await openBroker({ storage: await openDurableStorage(directory) });
  try {
    const { stores } = broker.snapshot();
    const content = stores.map(({ path, messages }) => [
      path,
      messages.map(({ message }) => [
        String(message.sequenceNumber),
        message.messageId,
        message.state,
        message.deliveryCount,
        message.applicationProperties,
        message.body.section === "data" ? Buffer.from(message.body.bytes).toString("base64") : "",
      ]),
    ]);
    return JSON.stringify(content);
  } finally {
    await broker.close();
  }
}
