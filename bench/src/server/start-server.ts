import { openScratch } from "waybill-harness/waiting.js";
import { startChild } from "../harness/child.js";
import type { OpenSides, Round } from "../harness/probe.js";
import type { RabbitMq } from "./rabbitmq.js";

/** A server that the bench drives. */
export interface Server {
  readonly name: string;
  readonly port: number;
  /** What names a queue of the server in a link's source or target. */
  address(queue: string): string;
  stop(): Promise<void>;
}

/** A server in a Node process, which reports what it has used. */
export interface NodeServer extends Server {
  usage(): Promise<Usage>;
}

interface Usage {
  /** Since the process began. */
  readonly cpuUs: number;
  readonly rssMb: number;
}

/** The program of a server. */
export const serverProgram = new URL("./server-process.js", import.meta.url);

type ServerName = "waybill" | "rhea" | "counting" | `${"waybill" | "rhea" | "counting"}-durable`;

/** Starts a server in a process of its own; resolves when it listens. */
export async function startServer(name: ServerName, program = serverProgram): Promise<NodeServer> {
  const scratch = openScratch("bench");
  const { ready, process } = await startChild<{ port: number }>(
    program,
    [name, scratch.path],
    ["--no-warnings"],
  );
  return {
    name,
    port: ready.port,
    address: (queue) => queue,
    usage: () => process.ask<Usage>("usage"),
    async stop() {
      await process.kill();
      scratch[Symbol.dispose]();
    },
  };
}

/** Starts servers, and RabbitMQ where it is installed, all at once and each for itself; every one is a side of that name. */
export async function openServers(
  names: readonly ServerName[],
  rabbitMq: RabbitMq | undefined,
  open: (server: Server) => Round | Promise<Round>,
): Promise<OpenSides> {
  const servers: Server[] = [];
  const close = async () => {
    for (const server of servers) await server.stop();
  };
  try {
    for (const name of names) servers.push(await startServer(name));
    if (rabbitMq !== undefined) servers.push(await rabbitMq.start());
    const sides: Record<string, Round> = {};
    for (const [place, server] of servers.entries()) sides[names[place] ?? "rabbitMq"] = await open(server);
    return { sides, close };
  } catch (error) {
    await close();
    throw error;
  }
}
