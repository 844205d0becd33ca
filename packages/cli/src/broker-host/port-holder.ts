import { readdir, readFile, readlink } from "node:fs/promises";

/** Timeout of the health request, in ms. */
const probeMs = 1_000;

/** Describes what listens on a port, as far as this process can find out: another broker, and on Linux the process. */
export async function describePortHolder(host: string, port: number): Promise<string> {
  const [answer, process] = await Promise.all([probe(host, port), processOn(port)]);
  return [answer ?? "something else", process].filter((part) => part !== undefined).join(", ");
}

/** A host as a URL has it: IPv6 addresses in brackets. */
export function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Requests `/health`, which every waybill broker answers. */
async function probe(host: string, port: number): Promise<string | undefined> {
  try {
    const response = await fetch(`http://${inUrl(host)}:${port}/health`, {
      signal: AbortSignal.timeout(probeMs),
    });
    const { message } = (await response.json()) as { message?: unknown };
    return typeof message === "string" && message.startsWith("waybill broker")
      ? "another waybill broker"
      : "another HTTP server";
  } catch {
    return undefined;
  }
}

/** The process that listens on a port, if the system has `/proc` and the process belongs to this user. */
async function processOn(port: number): Promise<string | undefined> {
  try {
    const inode = await listeningInode(port);
    if (inode === undefined) return undefined;
    for (const pid of await readdir("/proc")) {
      if (!/^\d+$/.test(pid) || !(await hasSocket(pid, inode))) continue;
      const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").slice(0, 3).join(" ");
      return `process ${pid} (${command.trim()})`;
    }
  } catch {
    // No `/proc`, or another user's process.
  }
  return undefined;
}

async function listeningInode(port: number): Promise<string | undefined> {
  const tables = await Promise.all(["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8")));
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of tables.join("\n").split("\n")) {
    const [, local = "", , state, , , , , , inode] = line.trim().split(/\s+/);
    if (state === "0A" && local.endsWith(suffix)) return inode;
  }
  return undefined;
}

async function hasSocket(pid: string, inode: string): Promise<boolean> {
  try {
    for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
      if ((await readlink(`/proc/${pid}/fd/${descriptor}`)) === `socket:[${inode}]`) return true;
    }
  } catch {
    // The process has ended, or belongs to another user.
  }
  return false;
}
