import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { BrokerError } from "../broker-error.js";

/** Counts up with every change of the store's layout that older versions cannot read. */
const STORE_FORMAT = 2;
/** Holds the records. */
export const STORE_FILE = "store.mdb";
/** Says that the directory is a store, of which format, and that it was made completely. */
const MARKER_FILE = "store.json";
/** What `lockDirectory` puts beside the store. */
const LOCK_FILES = /^owner\.lock/;

/**
 * Looks at a directory before the store is opened. Answers whether the store is to be made first. Throws `storage-unreadable` for
 * a directory that is no store, or one of another format.
 */
export function isFreshStore(directory: string): boolean {
  const marker = join(directory, MARKER_FILE);
  const file = join(directory, STORE_FILE);
  if (existsSync(marker)) {
    checkMarker(directory, readFileSync(marker, "utf8"));
    if (!existsSync(file) || statSync(file).size === 0) {
      throw unreadable(directory, `its file ${STORE_FILE} is missing or empty`);
    }
    return false;
  }
  // Without the marker the making of the store was cut short, before anything could be acknowledged.
  const strangers = readdirSync(directory).filter(
    (name) => !name.startsWith(STORE_FILE) && !LOCK_FILES.test(name),
  );
  if (strangers.length === 0) return true;
  throw noStore(directory, `it is no store and not empty: it holds '${strangers[0]}'`);
}

/** Marks a store as made. */
export function markStore(directory: string): void {
  const draft = join(directory, `${STORE_FILE}.marker`);
  writeFileSync(draft, `${JSON.stringify({ kind: "waybill-broker-store", format: STORE_FORMAT })}\n`, {
    flush: true,
  });
  renameSync(draft, join(directory, MARKER_FILE));
  syncDirectory(directory);
}

/** Makes a directory that is not there yet, or refuses to. */
export function requireDirectory(directory: string, mustExist: boolean): void {
  if (existsSync(directory)) {
    if (!statSync(directory).isDirectory()) throw noStore(directory, "it is no directory");
  } else if (mustExist) throw noStore(directory, "there is no such directory");
  else mkdirSync(directory, { recursive: true });
}

/** The refusal of a path at which there is no store. */
export function noStore(directory: string, reason: string): BrokerError {
  const text = `Cannot open the store in '${directory}': ${reason}. Nothing was changed. Check the path.`;
  return new BrokerError("storage-unreadable", text);
}

/** The refusal of a store that cannot be read. */
export function unreadable(directory: string, reason: string, cause?: unknown): BrokerError {
  return new BrokerError(
    "storage-unreadable",
    `Cannot open the store in '${directory}': ${reason}. Nothing was changed. Restore the directory from a copy, or use another one.`,
    { cause },
  );
}

function checkMarker(directory: string, text: string): void {
  let marker: { kind?: unknown; format?: unknown };
  try {
    marker = JSON.parse(text);
  } catch (cause) {
    throw unreadable(directory, `its file ${MARKER_FILE} is damaged`, cause);
  }
  if (marker?.kind !== "waybill-broker-store")
    throw unreadable(directory, `its file ${MARKER_FILE} names no store`);
  if (marker.format !== STORE_FORMAT) {
    throw unreadable(
      directory,
      `it has format ${marker.format}, and this version of the broker reads format ${STORE_FORMAT}`,
    );
  }
}

function syncDirectory(directory: string): void {
  // Windows opens no directories and needs no sync of them.
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
