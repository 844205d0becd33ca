import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { required } from "@waybill/foundation";
import { freePorts } from "waybill-harness/ports.js";
import { openScratch } from "waybill-harness/waiting.js";
import { RawClient } from "./raw-client.js";
import type { Server } from "./start-server.js";

const library = "/usr/lib/rabbitmq/lib";
const startsWithinMs = 60_000;

/** RabbitMQ as it is installed on this machine, with its AMQP 1.0 plugin. */
export interface RabbitMq {
  readonly version: string;
  /** Starts a node of its own, with empty directories and on loopback ports; resolves when it has accepted a connection. */
  start(): Promise<Server>;
}

let found: { readonly rabbitMq: RabbitMq | undefined } | undefined;

/** Finds the RabbitMQ of Debian's package `rabbitmq-server`, and says so; `undefined` where it is not installed. */
export function findRabbitMq(): RabbitMq | undefined {
  if (found !== undefined) return found.rabbitMq;
  const rabbitMq = installed();
  found = { rabbitMq };
  console.error(
    rabbitMq === undefined
      ? 'server: no RabbitMQ here, so its lines are missing (Debian: "apt-get install rabbitmq-server")'
      : `server: RabbitMQ ${rabbitMq.version}`,
  );
  return rabbitMq;
}

function installed(): RabbitMq | undefined {
  const home = entriesOf(library).find((name) => name.startsWith("rabbitmq_server-"));
  if (home === undefined) return undefined;
  const plugins = entriesOf(join(library, home, "plugins"));
  if (!plugins.some((name) => name.startsWith("rabbitmq_amqp1_0-"))) return undefined;
  const version = home.replace("rabbitmq_server-", "");
  return { version, start: () => start(join(library, home, "sbin/rabbitmq-server"), `RabbitMQ ${version}`) };
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

async function start(binary: string, name: string): Promise<Server> {
  const scratch = openScratch("bench-rabbitmq");
  const [port, distributionPort, mapperPort] = (await freePorts(3)) as [number, number, number];
  const env = configure(scratch.path, { port, distributionPort, mapperPort });
  const mapper = spawn("epmd", ["-port", String(mapperPort), "-address", "127.0.0.1"], {
    env,
    stdio: "ignore",
  });
  // A process group of its own, so that all of it can be ended.
  const node = spawn(binary, { env, stdio: "ignore", detached: true });
  const stop = async (): Promise<void> => {
    await Promise.all([
      end(node, () => process.kill(-required(node.pid), "SIGKILL")),
      end(mapper, () => mapper.kill("SIGKILL")),
    ]);
    scratch[Symbol.dispose]();
  };
  try {
    await untilOpen(port, node);
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, port, address: (queue) => `/amq/queue/${queue}`, stop };
}

/** Writes what the node reads at its start; returns its environment. */
function configure(
  directory: string,
  { port, distributionPort, mapperPort }: { port: number; distributionPort: number; mapperPort: number },
): NodeJS.ProcessEnv {
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  };
  const transient = (name: string) => ({
    name,
    vhost: "/",
    durable: false,
    auto_delete: false,
    arguments: {},
  });
  const definitions = file(
    "definitions.json",
    JSON.stringify({
      vhosts: [{ name: "/" }],
      users: [{ name: "guest", password_hash: "", tags: "" }],
      permissions: [{ user: "guest", vhost: "/", configure: ".*", write: ".*", read: ".*" }],
      queues: [
        // A quorum queue is its fastest for throughput, a transient one for round trips.
        { ...transient("orders"), durable: true, arguments: { "x-queue-type": "quorum" } },
        transient("requests"),
        transient("replies"),
      ],
    }),
  );
  return {
    ...process.env,
    HOME: directory,
    ERL_EPMD_PORT: String(mapperPort),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_NODENAME: "waybill-bench@localhost",
    RABBITMQ_DIST_PORT: String(distributionPort),
    RABBITMQ_MNESIA_BASE: join(directory, "mnesia"),
    RABBITMQ_LOG_BASE: join(directory, "log"),
    RABBITMQ_CONF_ENV_FILE: file("rabbitmq-env.conf", ""),
    RABBITMQ_ENABLED_PLUGINS_FILE: file("enabled_plugins", "[rabbitmq_amqp1_0].\n"),
    RABBITMQ_CONFIG_FILE: file(
      "rabbitmq.conf",
      `listeners.tcp.1 = 127.0.0.1:${port}\nload_definitions = ${definitions}\nlog.console = false\n`,
    ),
  };
}

async function untilOpen(port: number, node: ChildProcess): Promise<void> {
  for (const deadlineMs = performance.now() + startsWithinMs; performance.now() < deadlineMs; ) {
    if (node.exitCode !== null)
      throw new Error(`RabbitMQ ended with code ${node.exitCode} while it started.`);
    const client = await RawClient.open(port).catch(() => undefined);
    client?.close();
    if (client !== undefined) return;
    await sleep(10);
  }
  throw new Error("RabbitMQ did not accept a connection within a minute.");
}

async function end(child: ChildProcess, kill: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  kill();
  await exit;
}
