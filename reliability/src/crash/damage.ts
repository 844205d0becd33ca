import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/**
 * Damages copies of a store in one place each, opens them, and reports whether each was refused or had the content of the store: flipped
 * bits, sectors of zeros, of ones and of older bytes, and files cut short.
 */
export async function damageStore(
  directory: string,
  scratch: string,
  times: number,
  random: Random,
): Promise<DamageReport> {
  const report: DamageReport = { refused: 0, identical: 0, violations: [] };
  const original = readFileSync(join(directory, "store.mdb"));
  mkdirSync(scratch, { recursive: true });
  copyFileSync(join(directory, "store.json"), join(scratch, "store.json"));
  const copy = join(scratch, "store.mdb");
  writeFileSync(copy, original);
  const expected = await contentOf(scratch);
  for (let i = 0; i < times; i++) {
    const { name, bytes } = damage(original, i, random);
    writeFileSync(copy, bytes);
    try {
      if ((await contentOf(scratch)) === expected) report.identical++;
      else report.violations.push(`${name}: opened with other content`);
    } catch (error) {
      if (error instanceof BrokerError && error.code === "storage-unreadable") report.refused++;
      else report.violations.push(`${name}: ${error}`);
    }
  }
  return report;
}

function damage(original: Buffer, round: number, random: Random): { name: string; bytes: Buffer } {
  const bytes = Buffer.from(original);
  const sector = random(Math.floor(original.byteLength / 512)) * 512;
  switch (round % 5) {
    case 0: {
      const length = random(original.byteLength);
      return { name: `cut to ${length} bytes`, bytes: bytes.subarray(0, length) };
    }
    case 1:
      return { name: `zeros from ${sector} on`, bytes: bytes.fill(0, sector, sector + 512) };
    case 2: {
      const from = random(Math.floor(original.byteLength / 512)) * 512;
      bytes.copy(bytes, sector, from, from + 512);
      return { name: `sector ${from} over ${sector}`, bytes };
    }
    default: {
      // Half of the flips hit the two heads, where most depends on each bit.
      const at = round % 5 === 3 ? random(2) * 4096 + random(160) : random(original.byteLength);
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
