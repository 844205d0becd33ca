import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { BrokerError } from "@waybill/broker";
import { storageFailure } from "./storage-failure.js";

/** Exists while the directory has an owner, and names it. The kernel's lock on it counts, not the file itself. */
export const lockFile = "owner.lock";
/** Far beyond the text of the file: Windows prevents others from reading locked bytes. */
const lockedByte = 2 ** 40;
/** Directories that this process owns, by real path. */
const ownDirectories = new Set<string>();

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Makes the caller the only owner of a directory until the returned function is called or the process ends for any reason. The kernel holds
 * the lock, so it works across containers that share the directory. Rejects with `storage-in-use`, which names the owner, or with
 * `storage-failed` where the lock file cannot be created; no file is left then.
 */
export async function lockDirectory(directory: string): Promise<() => void> {
  const tryLock = await loadTryLock(directory);
  const path = join(realpathSync(directory), lockFile);
  for (;;) {
    const descriptor = openLockFile(directory, path);
    try {
      if (!tryLock(descriptor, lockedByte, 1)) throw inUse(directory, path);
      // The previous owner may have deleted the file after it was opened here: a lock on a deleted file protects nothing.
      if (isAt(path, descriptor)) return own(directory, path, descriptor);
    } catch (error) {
      if (!(error instanceof BrokerError)) removeLockFile(path);
      closeSync(descriptor);
      throw error instanceof BrokerError ? error : storageFailure(directory, "cannot lock it", error);
    }
    closeSync(descriptor);
  }
}

type TryLock = typeof import("fs-native-extensions")["tryLock"];

/** The native module is loaded only when a store is opened. */
async function loadTryLock(directory: string): Promise<TryLock> {
  try {
    return (await import("fs-native-extensions")).tryLock;
  } catch (error) {
    throw storageFailure(directory, "the file locks of this platform could not be loaded", error);
  }
}

function openLockFile(directory: string, path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o666);
  } catch (error) {
    throw storageFailure(directory, `cannot create its file ${lockFile}`, error);
  }
}

function isAt(path: string, descriptor: number): boolean {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  const own = fstatSync(descriptor, { bigint: true });
  return found !== undefined && found.ino === own.ino && found.dev === own.dev;
}

function own(directory: string, path: string, descriptor: number): () => void {
  const owner: Owner = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
  };
  try {
    ftruncateSync(descriptor);
    writeSync(descriptor, `${JSON.stringify(owner)}\n`, 0);
  } catch (error) {
    removeLockFile(path);
    throw storageFailure(directory, `cannot write its file ${lockFile}`, error);
  }
  ownDirectories.add(path);
  return () => {
    if (!ownDirectories.delete(path)) return;
    removeLockFile(path);
    closeSync(descriptor);
  };
}

/** Deleted while it is locked: a process that opened it meanwhile notices that it is gone and retries. */
function removeLockFile(path: string): void {
  // Windows keeps the name of an open file, so no new file could be created; the file stays there.
  if (process.platform !== "win32") rmSync(path, { force: true });
}

function inUse(directory: string, path: string): BrokerError {
  const owner = ownDirectories.has(path) ? "this process" : describeOwner(path);
  const advice =
    "Only one broker at a time may open it: close the other one, or give each a directory of its own.";
  return new BrokerError("storage-in-use", `The store in '${directory}' is in use by ${owner}. ${advice}`);
}

function describeOwner(path: string): string {
  try {
    const { pid, host, since } = JSON.parse(readFileSync(path, "utf8")) as Record<keyof Owner, unknown>;
    if (Number.isSafeInteger(pid) && typeof host === "string" && typeof since === "string") {
      return `process ${pid} on host '${host}' since ${since}`;
    }
  } catch {
    // It is just being written or deleted.
  }
  return "another process, which has not written down yet which one it is";
}
