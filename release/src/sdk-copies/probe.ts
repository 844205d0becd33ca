import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { azureTransport } from "@waybill/transport-azure";

// Runs where the SDK and waybill are installed or bundled in some way, and shows that each patch reaches the libraries which that SDK uses,
// and no others. Prints what it saw as JSON. A patch that did not reach them ends the process, or leaves it waiting.

/** The first integer that a number cannot hold. */
const big = 2n ** 53n + 1n;
const body = { section: "data", bytes: new Uint8Array([123, 125]) } as const;
const broker = createBroker();
await broker.createQueue("orders");
const server = await serve(broker, { port: 0 });
const proxy = await openProxy(server.port);
const connectionString = server.connectionString.replace(`:${server.port}`, `:${portOf(proxy)}`);
const options = { retryOptions: { maxRetries: 1, retryDelayInMs: 1, timeoutInMs: 1_000, mode: 1 } };
const client = new ServiceBusClient(connectionString, options);
const other = new ServiceBusClient(connectionString, options);
const transport = azureTransport(client);

await broker.sender("orders").send({ body, applicationProperties: { big } });
const exact = await transport.createReceiver({ queue: "orders" }, "peekLock").peek({ maxMessages: 1 });
const rounded = await other.createReceiver("orders").peekMessages(1);
const [received] = await transport
  .createReceiver({ queue: "orders" }, "receiveAndDelete")
  .receive({ maxMessages: 1, maxWaitTimeInMs: 5_000 });
await other.close();
const closed = await closeUnderASend();
console.log(
  JSON.stringify({
    report: transport.sdkPatches,
    peeked: String(exact[0]?.applicationProperties.big),
    received: String(received?.applicationProperties.big),
    byOthers: String(rounded[0]?.applicationProperties?.big),
    sendWhoseConnectionWasClosed: closed,
  }),
);
await transport.close();
await client.close();
proxy.close();
await broker.close();

/** Without the patches, the send ends the process at its time-out. */
async function closeUnderASend(): Promise<string> {
  const sender = client.createSender("orders");
  await sender.sendMessages({ body: 1 });
  broker.faults.delay("orders", 2_000);
  let outcome = "pending";
  sender.sendMessages({ body: 2 }).then(
    () => (outcome = "sent"),
    () => (outcome = "rejected"),
  );
  void server.close();
  while (outcome === "pending") {
    // Every call that needs a link opens the connection.
    sender.sendMessages({ body: 3 }).catch(() => {});
    await sleep(20);
  }
  return outcome;
}

/** Passes connections on; the client's side stays for a while when the server has ended its own. */
async function openProxy(port: number): Promise<Server> {
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect(port, "127.0.0.1");
    for (const socket of [near, far]) socket.on("error", () => {});
    near.pipe(far);
    far.pipe(near, { end: false });
    far.on("close", () => setTimeout(() => near.destroy(), 400));
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

function portOf(listener: Server): number {
  return (listener.address() as AddressInfo).port;
}
