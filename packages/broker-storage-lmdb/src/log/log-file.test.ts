import { Buffer } from "node:buffer";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { blockBytes, Stamps } from "./blocks.js";

/** What the disk was asked to do, in order, and how many bytes a file may have. */
const disk = vi.hoisted(() => ({ events: [] as string[], room: Number.POSITIVE_INFINITY }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  type Done = (error: Error | null, written?: number) => void;
  return {
    ...fs,
    openSync(path: string, flags: number, mode: number) {
      disk.events.push((flags & fs.constants.O_DSYNC) === 0 ? "open" : "open for synced writes");
      return fs.openSync(path, flags, mode);
    },
    write(descriptor: number, bytes: Buffer, start: number, length: number, offset: number, done: Done) {
      disk.events.push(`write ${length} bytes at ${offset}`);
      if (offset < disk.room)
        fs.write(descriptor, bytes, start, Math.min(length, disk.room - offset), offset, done);
      else done(Object.assign(new Error("no space left"), { code: "ENOSPC" }));
    },
    fdatasync(descriptor: number, done: Done) {
      disk.events.push("sync");
      fs.fdatasync(descriptor, done);
    },
  };
});

const { platform } = process;
const stamps = new Stamps(Buffer.from("0123456789abcdef", "hex"));

/** A new file of the log on a system. */
async function openOn(system: NodeJS.Platform) {
  Object.defineProperty(process, "platform", { value: system });
  vi.resetModules();
  const { LogFile } = await import("./log-file.js");
  const directory = mkdtempSync(join(tmpdir(), "log-"));
  const path = join(directory, "store.log-a");
  const file = new LogFile(path, stamps, 0);
  return {
    path,
    file,
    [Symbol.dispose]() {
      file.close();
      rmSync(directory, { recursive: true });
    },
  };
}

afterEach(() => {
  Object.defineProperty(process, "platform", { value: platform });
  disk.events.length = 0;
  disk.room = Number.POSITIVE_INFINITY;
});

describe("a file of the log", () => {
  const group = Buffer.alloc(3 * blockBytes, 1);

  it.runIf(platform === "linux")("syncs each write by a flag of the file on Linux", async () => {
    using log = await openOn("linux");
    await log.file.write(0, group);
    await log.file.write(3, group);
    expect(disk.events).toEqual([
      "open for synced writes",
      "write 65536 bytes at 0",
      "write 1536 bytes at 0",
      "write 1536 bytes at 1536",
    ]);
  });

  it.each(["darwin", "win32"] as const)("syncs after each write on %s", async (system) => {
    using log = await openOn(system);
    await log.file.write(0, group);
    await log.file.write(3, group);
    expect(disk.events).toEqual([
      "open",
      "write 65536 bytes at 0",
      "sync",
      "write 1536 bytes at 0",
      "sync",
      "write 1536 bytes at 1536",
      "sync",
    ]);
  });

  it("has blocks for a group, and one behind it, before the group is written", async () => {
    using log = await openOn(platform);
    await log.file.write(0, Buffer.alloc(200 * blockBytes));
    expect(statSync(log.path).size).toBeGreaterThanOrEqual(201 * blockBytes);
    expect(disk.events.filter((event) => event.startsWith("write"))).toEqual([
      `write ${201 * blockBytes} bytes at 0`,
      `write ${200 * blockBytes} bytes at 0`,
    ]);
  });

  it("adds only the blocks that a group needs if the disk has no room for more", async () => {
    using log = await openOn(platform);
    disk.room = 7 * blockBytes;
    await log.file.write(0, group);
    await log.file.write(3, group);
    expect(statSync(log.path).size).toBe(7 * blockBytes);
    await expect(log.file.write(6, group)).rejects.toThrow("no space left");
    expect(log.file.read(0, 500)).toEqual(Buffer.alloc(500, 1));
  });
});
