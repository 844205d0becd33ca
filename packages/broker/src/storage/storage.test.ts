import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { describe, it } from "vitest";
import { createMemoryStorage } from "./memory-storage.js";
import { createDisk, openDisk } from "./restartable-storage.test-support.js";
import { type StoragePlace, storageCases } from "./storage-cases.test-support.js";

describe.each<[string, boolean, () => StoragePlace & Partial<Disposable>]>([
  ["memory", false, () => ({ open: async () => createMemoryStorage() })],
  ["durable", true, durablePlace],
  ["disk in memory", true, diskPlace],
])("a storage: %s", (_name, isDurable, makePlace) => {
  for (const one of storageCases) {
    if (one.isDurableOnly && !isDurable) continue;
    it(one.name, async () => {
      const place = makePlace();
      try {
        await one.run(place);
      } finally {
        place[Symbol.dispose]?.();
      }
    });
  }
});

function durablePlace(): StoragePlace & Disposable {
  const directory = mkdtempSync(join(tmpdir(), "storage-"));
  return {
    open: () => openDurableStorage(directory),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

function diskPlace(): StoragePlace {
  const disk = createDisk();
  return { open: async () => openDisk(disk) };
}
