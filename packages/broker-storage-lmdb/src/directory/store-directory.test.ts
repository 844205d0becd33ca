import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, vi } from "vitest";

/** The synced writes, in order; other writes may be lost after a power failure. */
const disk = vi.hoisted(() => ({ names: new Map<number, string>(), events: [] as string[] }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  return {
    ...fs,
    openSync(path: string, flags: string | number, ...rest: [never]) {
      const descriptor = fs.openSync(path, flags, ...rest);
      disk.names.set(descriptor, basename(path));
      if (typeof flags === "number" && (flags & fs.constants.O_DSYNC) !== 0)
        disk.events.push(`${basename(path)} of 0 bytes, to be synced with each write`);
      return descriptor;
    },
    fsyncSync(descriptor: number) {
      fs.fsyncSync(descriptor);
      disk.events.push(`${disk.names.get(descriptor)} of ${fs.fstatSync(descriptor).size} bytes`);
    },
    renameSync(from: string, to: string) {
      fs.renameSync(from, to);
      disk.events.push(`rename to ${basename(to)}`);
    },
  };
});

const { openBroker } = await import("@waybill/broker");
const { openDurableStorage } = await import("../durable-storage.js");

describe("the creation of a store", () => {
  it("writes the file before the marker, so that a power failure leaves no marker without a file", async () => {
    const root = mkdtempSync(join(tmpdir(), "making-"));
    try {
      const directory = join(root, "deep", "store");
      await using broker = await openBroker({ storage: await openDurableStorage(directory) });
      const size = statSync(join(directory, "store.mdb")).size;
      const events = disk.events.map((event) => event.replace(/^(store|deep|making-\w+) of .*/, "$1"));
      expect(events).toEqual([
        // The new directories, each in its parent.
        "deep",
        basename(dirname(dirname(directory))),
        `store.mdb of ${size} bytes`,
        "store",
        "rename to store.json",
        "store",
      ]);
      disk.events.length = 0;
      await broker.createQueue("orders");
      if (process.platform === "linux")
        expect(disk.events).toEqual([
          "store.log-a of 0 bytes, to be synced with each write",
          // Its name, before anything in it is acknowledged.
          expect.stringMatching(/^store of/),
        ]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
