import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A server that the bench drives. */
export interface Server {
  readonly name: string;
  readonly port: number;
  /** What names a queue of the server in a link's source or target. */
  address(queue: string): string;
  stop(): Promise<void>;
}

/** A server in a Node process, which tells what it has used. */
export interface NodeServer extends Server {
  usage(): Promise<Usage>;
}

interface Usage {
  /** Since the process began. */
  readonly cpuUs: number;
  readonly rssMb: number;
}

/** Starts a server in a process of its own; resolves when it listens. */
export async function startServer(name: "waybill" | "waybill-durable" | "rhea"): Promise<NodeServer> {
  const directory = mkdtempSync(join(tmpdir(), "waybill-bench-"));
  const child = fork(fileURLToPath(new URL("./server-process.js", import.meta.url)), [name, directory], {
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const { port } = await answerOf<{ port: number }>(child);
  return {
    name,
    port,
    address: (queue) => queue,
    usage() {
      child.send("usage");
      return answerOf<Usage>(child);
    },
    async stop() {
      child.disconnect();
      await once(child, "exit");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  const given = new AbortController();
  const { signal } = given;
  try {
    const ended = once(child, "exit", { signal }).then(() => {
      throw new Error("The server's process ended.");
    });
    const [answer] = await Promise.race([once(child, "message", { signal }), ended]);
    return answer as Answer;
  } finally {
    given.abort();
  }
}
