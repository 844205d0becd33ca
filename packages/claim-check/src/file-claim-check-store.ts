import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ClaimCheckStore } from "@waybill/core";

/** A claim-check store in a directory. */
export interface FileClaimCheckStore extends ClaimCheckStore {
  /**
   * Deletes the bodies stored before an instant, and incomplete files of killed processes; resolves with the number of bodies. Rejects with
   * `TypeError` for an invalid date.
   */
  deleteOlderThan(instant: Date): Promise<number>;
}

/** Valid keys; none leads out of the directory. */
const keyPattern = /^(?=.{1,200}$)[A-Za-z0-9][A-Za-z0-9._-]*(?:\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** Marks the store's directory, so that a share that is not mounted is not mistaken for a store without bodies. */
const markerName = ".waybill-claim-check";

/** The folder for incomplete files. No key begins with a dot. */
const unfinishedName = ".unfinished";

const dayFolder = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Stores bodies as files in a directory, which may be shared between machines. A body is written to a temporary file, synchronised and then
 * renamed, so that all of it or nothing is stored, also after a crash. The first `put` creates the directory. Only the owner can read the
 * files. Throws `TypeError` for an empty path.
 */
export function fileClaimCheckStore(directory: string): FileClaimCheckStore {
  if (typeof directory !== "string" || directory === "") {
    throw new TypeError("fileClaimCheckStore needs the path of a directory.");
  }
  const unfinished = join(directory, unfinishedName);
  let isPrepared = false;

  async function prepare(): Promise<void> {
    if (isPrepared) return;
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    await (await open(join(directory, markerName), "a", 0o600)).close();
    await syncDirectory(directory);
    isPrepared = true;
  }

  return Object.freeze<FileClaimCheckStore>({
    async put(key, bytes, { abortSignal }) {
      const path = pathOf(directory, key);
      await prepare();
      const aside = join(unfinished, randomUUID());
      try {
        await writeSynchronised(aside, bytes, abortSignal);
        const folder = dirname(path);
        // Undefined when the folder existed. The entry of a new folder must be synchronised like that of the file.
        const made = await mkdir(folder, { recursive: true, mode: 0o700 });
        await rename(aside, path);
        await syncDirectory(folder);
        if (made !== undefined) await syncDirectory(dirname(made));
      } catch (error) {
        await rm(aside, { force: true });
        throw error;
      }
    },

    async get(key, { maxBytes, abortSignal }) {
      abortSignal?.throwIfAborted();
      try {
        return await readBounded(pathOf(directory, key), maxBytes);
      } catch (error) {
        if (!saysNothingThere.has(codeOf(error))) throw error;
        await stat(join(directory, markerName));
        return undefined;
      }
    },

    async delete(key) {
      try {
        await unlink(pathOf(directory, key));
      } catch (error) {
        if (codeOf(error) !== "ENOENT") throw error;
      }
    },

    async deleteOlderThan(instant) {
      const beforeMs = instant.getTime();
      if (Number.isNaN(beforeMs)) throw new TypeError("deleteOlderThan needs a valid Date.");
      await stat(join(directory, markerName));
      await deleteFiles(unfinished, beforeMs);
      const deleted = await deleteFiles(directory, beforeMs);
      // The folder of a past day gets no more bodies.
      const today = instant.toISOString().slice(0, 10);
      for (const name of await readdir(directory)) {
        if (dayFolder.test(name) && name < today) await rmdir(join(directory, name)).catch(() => {});
      }
      return deleted;
    },
  });
}

/** The path does not exist, is a folder, or leads through a file: there is no body. */
const saysNothingThere: ReadonlySet<unknown> = new Set([
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
]);

function pathOf(directory: string, key: string): string {
  if (!keyPattern.test(key))
    throw new TypeError("A claim check's key holds letters, digits, '.', '_', '-' and '/'.");
  return join(directory, ...key.split("/"));
}

async function writeSynchronised(
  path: string,
  bytes: Uint8Array,
  abortSignal: AbortSignal | undefined,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(bytes, abortSignal === undefined ? {} : { signal: abortSignal });
    await file.sync();
  } finally {
    await file.close();
  }
}

async function readBounded(path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = await file.stat();
    // One byte more than announced shows that there is more.
    const bytes = Buffer.allocUnsafeSlow(Math.min(size, maxBytes + 1));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Makes a directory entry survive a crash of the machine; on Windows this is neither possible nor necessary. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Deletes files last written before an instant from a directory and its folders, except names that begin with a dot. */
async function deleteFiles(directory: string, beforeMs: number): Promise<number> {
  let deleted = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) deleted += await deleteFiles(path, beforeMs);
    else if (entry.isFile() && (await stat(path)).mtimeMs < beforeMs) {
      await rm(path, { force: true });
      deleted++;
    }
  }
  return deleted;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}
