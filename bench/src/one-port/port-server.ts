import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";

// The server of one side in a separate process. "one-port" accepts every protocol, as `serve` does; "amqp-alone" passes each socket directly to
// AMQP. Reports its port, and answers every message with the resources used since the last one.

/** The resources that a server used between two requests. */
export interface PortUsage {
  readonly cpuUs: number;
  readonly residentMb: number;
  /** The delay of its event loop. */
  readonly loopMedianMs: number;
  readonly loopP99Ms: number;
}

/** Queues that the clients use, and others that stay unused. */
const [usedQueues, otherQueues, topics] = [500, 500, 500];

const broker = createBroker();
for (let number = 0; number < usedQueues + otherQueues; number++) await broker.createQueue(`queue-${number}`);
for (let number = 0; number < topics; number++) {
  await broker.createTopic(`topic-${number}`);
  await broker.createSubscription(`topic-${number}`, "all");
}
const { port } = await serve(broker, { port: 0, acceptAnyone: true });
const delay: IntervalHistogram = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let cpuBefore = cpuUs();
process.on("message", () => process.send?.(usage()));
process.on("disconnect", () => process.exit());
process.send?.({ port: process.argv[2] === "amqp-alone" ? await serveAmqpAlone() : port });

function usage(): PortUsage {
  const now = cpuUs();
  const used = {
    cpuUs: now - cpuBefore,
    residentMb: process.memoryUsage.rss() / 2 ** 20,
    loopMedianMs: delay.percentile(50) / 1e6,
    loopP99Ms: delay.percentile(99) / 1e6,
  };
  cpuBefore = now;
  delay.reset();
  return used;
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** `serve` without a router: the same connections, on an AMQP-only port. These are internals of the package. */
async function serveAmqpAlone(): Promise<number> {
  const inner = new URL("../../../packages/broker-server/dist/", import.meta.url).href;
  const [{ ClientConnection }, { Admission }, { Departures }, { Turns }, { resolveServeOptions }] =
    await Promise.all([
      import(`${inner}amqp/connection/client-connection.js`),
      import(`${inner}limits/admission.js`),
      import(`${inner}limits/departures.js`),
      import(`${inner}limits/turns.js`),
      import(`${inner}options/serve-options.js`),
    ]);
  const options = resolveServeOptions({ port: 0, acceptAnyone: true });
  const context = { broker, limits: options.limits, turns: new Turns() };
  const admission = new Admission(options.limits);
  const departures = new Departures(100, options.closeTimeoutMs);
  const connections = new Set<object>();
  const server = createServer((socket) => {
    socket.setNoDelay();
    socket.on("error", () => socket.destroy());
    const connection = new ClientConnection(
      socket,
      "alone",
      context,
      options,
      admission,
      departures,
    ) as object;
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
  });
  server.listen({ host: "127.0.0.1", port: 0, backlog: 128 });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
