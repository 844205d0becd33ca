import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { ServiceBusClient, type ServiceBusClientOptions } from "@azure/service-bus";
import { type BrokerOptions, createBroker, type QueueOptions } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { AmqpFrames, type Performative } from "./amqp-frames.test-support.js";
import { azureTransport } from "./azure-transport.js";
import type { AzureTransportOptions } from "./azure-transport-options.js";
import { azureRetryOptions } from "./sdk/retry-options.js";

/** A broker with a queue `orders`, its server, a network between server and SDK that can fail, and a transport. */
export async function openLossyFixture(
  queue: QueueOptions = {},
  retryOptions: ServiceBusClientOptions["retryOptions"] = azureRetryOptions,
  options: AzureTransportOptions = {},
  brokerOptions: BrokerOptions = {},
) {
  const broker = createBroker(brokerOptions);
  await broker.createQueue("orders", queue);
  const keys = [{ name: "root", key: "secret", rights: ["Manage"] }] as const;
  let server = await serve(broker, { port: 0, keys });
  const network = await openNetwork(server.port);
  const client = new ServiceBusClient(
    server.connectionString.replace(`:${server.port}`, `:${network.port}`),
    { retryOptions: { ...retryOptions } },
  );
  const transport = azureTransport(client, options);
  return {
    broker,
    connectionString: server.connectionString,
    network,
    client,
    transport,
    /** Closes every connection properly. Resolves when they have ended. */
    closeServer(): Promise<void> {
      return server.close();
    },
    /** Closes the server and opens it again at the same address. */
    async restartServer(): Promise<void> {
      const { port } = server;
      await server.close();
      server = await serve(broker, { port, keys });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      network.restore();
      await transport.close();
      const closed = client.close();
      // Without the patches, closing may take a minute or never end.
      if (options.sdkPatches !== false) await closed;
      network.close();
      await server.close();
      await broker.close();
    },
  };
}

/** Forwards connections to a port until switched to fail. */
async function openNetwork(port: number) {
  const sockets = new Set<Socket>();
  let isDown = false;
  let endDelayMs = 0;
  let openDelayMs = 0;
  let connectionCount = 0;
  let refusalCount = 0;
  let isHeld = (_performative: Performative) => false;
  const sent = new Map<Performative, number>();
  const toClients = new Set<AmqpFrames>();
  const fromClient = () =>
    new AmqpFrames((performative) => sent.set(performative, 1 + (sent.get(performative) ?? 0)));
  const fromServer = () => {
    const frames = new AmqpFrames(
      () => {},
      (performative) => isHeld(performative),
    );
    toClients.add(frames);
    return frames;
  };
  const listener = createServer({ allowHalfOpen: true }, (near) => {
    if (isDown) {
      refusalCount++;
      near.destroy();
      return;
    }
    connectionCount++;
    const far = connect(port, "127.0.0.1");
    near.on("end", () => (endDelayMs > 0 ? far : near).end());
    far.on("error", () => near.destroy());
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        if (socket === far && endDelayMs > 0) setTimeout(() => near.destroy(), endDelayMs);
        else other.destroy();
      });
      const frames = socket === near ? fromClient() : fromServer();
      const pass = () => socket.pipe(frames).pipe(other, { end: false });
      if (socket === near || openDelayMs === 0) pass();
      else setTimeout(pass, openDelayMs).unref();
    }
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (listener.address() as AddressInfo).port,
    /** How many connections were opened so far. */
    get connectionCount(): number {
      return connectionCount;
    },
    /** How many connections were refused. */
    get refusalCount(): number {
      return refusalCount;
    },
    /** How many frames with this performative clients have sent. */
    sent(performative: Performative): number {
      return sent.get(performative) ?? 0;
    },
    /** From now on, the server's frames that `isWanted` selects do not arrive, until `release`. */
    hold(isWanted: (performative: Performative) => boolean): void {
      isHeld = isWanted;
    },
    /** Delivers what was held. */
    release(): void {
      isHeld = () => false;
      for (const frames of toClients) frames.release();
    },
    /** Breaks every connection; new ones work. */
    drop,
    /** From now on, the client's side of a connection stays open for a while after the server closed its side. */
    slowDownEnds(): void {
      endDelayMs = 400;
    },
    /** From now on, the server's first bytes arrive late on each new connection. */
    slowDownOpening(delayMs: number): void {
      openDelayMs = delayMs;
    },
    /** From now on, existing connections silently drop all bytes. */
    swallow(): void {
      for (const socket of sockets) {
        socket.unpipe();
        socket.on("data", () => {});
      }
    },
    /** Breaks every connection and refuses new ones. */
    takeDown(): void {
      isDown = true;
      drop();
    },
    restore(): void {
      isDown = false;
    },
    close(): void {
      drop();
      listener.close();
    },
  };
}
