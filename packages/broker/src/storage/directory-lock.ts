import { randomUUID } from "node:crypto";
import { linkSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BrokerError } from "../broker-error.js";

const FILE = "owner.lock";
/** Directories that this process owns, by real path: its own process id in a lock file is not proof enough. */
const ownDirectories = new Set<string>();

/**
 * Makes this process the only owner of a directory until the returned function is called. A lock left behind by a process that
 * has ended does not count. Throws `storage-in-use`. Processes on other computers are not seen.
 */
export function lockDirectory(directory: string): () => void {
  const real = realpathSync(directory);
  if (ownDirectories.has(real)) throw inUse(directory, "this process");
  const file = join(real, FILE);
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)));
  try {
    while (!link(draft, file)) evictDeadOwner(directory, file);
  } finally {
    rmSync(draft, { force: true });
  }
  ownDirectories.add(real);
  return () => {
    if (ownDirectories.delete(real)) rmSync(file, { force: true });
  };
}

interface Owner {
  readonly pid: number;
  /** Tells processes apart that had the same id one after the other; undefined where the system does not say. */
  readonly startedAt: string | undefined;
}

/** A link appears whole or not at all, so nobody ever reads a half-written lock. */
function link(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function evictDeadOwner(directory: string, file: string): void {
  const text = readIfThere(file);
  if (text === undefined) return;
  const owner = parse(text);
  if (owner !== undefined && isAlive(owner)) throw inUse(directory, `process ${owner.pid}`);
  const evicted = `${file}.${randomUUID()}`;
  try {
    renameSync(file, evicted);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  // Another process may have evicted the dead owner and moved in since the file was read: that one gets its lock back.
  if (readFileSync(evicted, "utf8") !== text) link(evicted, file);
  rmSync(evicted, { force: true });
}

function isAlive({ pid, startedAt }: Owner): boolean {
  // The id comes round in containers, where every broker may be process 1.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return identify(pid).startedAt === startedAt;
}

function identify(pid: number): Owner {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The name in parentheses may hold spaces; the 20th field behind it is the start time in clock ticks since the boot.
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  if (ticks === undefined) return { pid, startedAt: undefined };
  return { pid, startedAt: `${readIfThere("/proc/sys/kernel/random/boot_id")?.trim()}/${ticks}` };
}

function parse(text: string): Owner | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as { pid: unknown; startedAt?: unknown };
    if (!Number.isSafeInteger(pid) || (pid as number) <= 0) return undefined;
    return { pid: pid as number, startedAt: typeof startedAt === "string" ? startedAt : undefined };
  } catch {
    return undefined;
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function inUse(directory: string, owner: string): BrokerError {
  return new BrokerError(
    "storage-in-use",
    `The store in '${directory}' is in use by ${owner}. Only one broker at a time may open it: close the other one, ` +
      "or give each a directory of its own.",
  );
}
