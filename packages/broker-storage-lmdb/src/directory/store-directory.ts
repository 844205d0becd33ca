import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BrokerError } from "@waybill/broker";
import { hasCommits } from "../lmdb/lmdb-tree.js";
import { lockFile } from "./directory-lock.js";
import { reasonOf, storageFailure } from "./storage-failure.js";

/** Incremented with every change of the store's layout that older versions cannot read. */
const storeFormat = 1;
/** Holds the records. */
export const storeFile = "store.mdb";
/** Hold the changes that are not in the store's file yet, while a broker runs. */
export const logFiles = ["store.log-a", "store.log-b"] as const;
/** Marks the directory as a complete store, with its format. */
const markerFile = "store.json";
/** Minimum disk space of the first commit and LMDB's own data. */
const roomBytes = 64 * 1024;
/** How much a store that grows must be able to write. */
const growthBytes = 1024 * 1024;

/**
 * Checks a directory before the store is opened. Returns whether the store must be created first. Throws `storage-unreadable` for a
 * directory that is not a store, or one of another format.
 */
export function isFreshStore(directory: string): boolean {
  const marker = join(directory, markerFile);
  const file = join(directory, storeFile);
  if (existsSync(marker)) {
    checkMarker(directory, readFileSync(marker, "utf8"));
    if (!existsSync(file) || statSync(file).size === 0) {
      throw unreadable(directory, `its file ${storeFile} is missing or empty`);
    }
    return false;
  }
  const names = readdirSync(directory);
  const isLog = (name: string) => (logFiles as readonly string[]).includes(name);
  const others = names.filter(
    (name) => !name.startsWith(storeFile) && !name.startsWith(lockFile) && !isLog(name),
  );
  if (others.length > 0)
    throw noStore(directory, `it is not a store and not empty: it contains '${others[0]}'`);
  // A log is begun after the marker was written.
  if (names.some(isLog) || (existsSync(file) && hasCommits(file)))
    throw unreadable(directory, `its file ${markerFile} is missing`);
  return true;
}

/** Deletes the remains of an interrupted creation: without the marker, nothing was acknowledged. */
export function clearFreshStore(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(storeFile)) rmSync(join(directory, name));
  }
}

/** Throws `storage-failed` if the disk has no space for a first commit: LMDB's mapped files would crash the process then. */
export function requireRoom(directory: string): void {
  const probe = join(directory, `${storeFile}.probe`);
  try {
    writeFileSync(probe, new Uint8Array(roomBytes), { flush: true });
  } catch (error) {
    throw storageFailure(directory, "cannot write to it", error);
  } finally {
    rmSync(probe, { force: true });
  }
}

/**
 * Why the store in a directory could not grow now, such as "the disk is full"; undefined if it could, as far as writing another file shows. LMDB
 * itself reports a full disk as an input/output error.
 */
export function findDiskFailure(directory: string): string | undefined {
  const probe = join(directory, `${storeFile}.probe`);
  try {
    const descriptor = openSync(probe, "a");
    try {
      // Where the store would grow: a limit on the size of files concerns it, too.
      ftruncateSync(descriptor, statSync(join(directory, storeFile)).size);
      appendFileSync(descriptor, new Uint8Array(growthBytes), { flush: true });
    } finally {
      closeSync(descriptor);
    }
    return undefined;
  } catch (error) {
    return reasonOf(error);
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Writes the marker after the store file is on disk, so that a power failure leaves no marker without a file. */
export function markStore(directory: string): void {
  syncFile(join(directory, storeFile));
  syncDirectory(directory);
  const draft = join(directory, `${storeFile}.marker`);
  writeFileSync(draft, `${JSON.stringify({ kind: "waybill-broker-store", format: storeFormat })}\n`, {
    flush: true,
  });
  renameSync(draft, join(directory, markerFile));
  syncDirectory(directory);
}

/** Creates a missing directory, or throws if it must exist. */
export function requireDirectory(directory: string, mustExist: boolean): void {
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory()) throw noStore(directory, "it is not a directory");
  } else if (mustExist) throw noStore(directory, "there is no such directory");
  else makeDirectory(directory);
}

function makeDirectory(directory: string): void {
  try {
    // Only the user who runs the broker may read messages.
    const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    // A new directory is durable only after its parent was synced.
    for (let made = resolve(directory); made.length >= resolve(first).length; made = dirname(made)) {
      syncDirectory(dirname(made));
    }
  } catch (error) {
    throw storageFailure(directory, "cannot create the directory", error);
  }
}

/** The error for a path without a store. */
export function noStore(directory: string, reason: string): BrokerError {
  const text = `Cannot open the store in '${directory}': ${reason}. Nothing was changed. Check the path.`;
  return new BrokerError("storage-unreadable", text);
}

/** The error for a store that cannot be read. */
export function unreadable(directory: string, reason: string, cause?: unknown): BrokerError {
  const text = `Cannot open the store in '${directory}': ${reason}. Nothing was changed. Restore the directory from a copy, or use another one.`;
  return new BrokerError("storage-unreadable", text, { cause });
}

function checkMarker(directory: string, text: string): void {
  let marker: { kind?: unknown; format?: unknown };
  try {
    marker = JSON.parse(text);
  } catch (cause) {
    throw unreadable(directory, `its file ${markerFile} is damaged`, cause);
  }
  if (marker?.kind !== "waybill-broker-store")
    throw unreadable(directory, `its file ${markerFile} is not the marker of a store`);
  if (marker.format !== storeFormat) {
    const reason = `it has format ${marker.format}, and this version of the broker reads format ${storeFormat}`;
    throw unreadable(directory, reason);
  }
}

/** Makes the creation of files in a directory durable. */
export function syncDirectory(directory: string): void {
  // Windows cannot open directories and does not need to sync them.
  if (process.platform !== "win32") sync(directory, "r");
}

function syncFile(path: string): void {
  // Windows syncs only files opened for writing.
  sync(path, "r+");
}

function sync(path: string, flags: string): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
