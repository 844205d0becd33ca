import { connect } from "node:net";
import {
  type AmqpValue,
  acceptedState,
  type DeliveryState,
  described,
  encodeMessage,
  stringMap,
  symbolMap,
} from "@waybill/amqp";
import { joinBatch } from "@waybill/amqp/batches";
import { type Broker, createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { randomFrom } from "waybill-harness/random.js";
import { pause } from "waybill-harness/waiting.js";
import { mutate } from "../fuzz/mutate.js";
import { speakOddly } from "../fuzz/odd-client.js";
import { openConnection, openSession } from "../fuzz/open-connection.js";

// Mutates what a client sends to the broker server, over sockets; some clients keep to the protocol and send odd values. A healthy client sends
// continuously. The server logs warnings about its own defects, and any such warning fails the run.

const clientsAtOnce = 32;
const probeEvery = 2000;
/** One in this many clients keeps to the protocol. */
const oddEvery = 10;
/** How long a mutated client waits for the server to close before it goes away by itself. */
const patienceMs = 10;

const { runs: mutations, seed } = readOptions({ runs: 100_000, seed: newSeed() });
const random = randomFrom(seed);
console.log(`${mutations} mutations, seed ${seed}`);

process.on("warning", (warning) => {
  if ("code" in warning && warning.code === "WAYBILL_ACCEPT_ANYONE") return;
  console.error(warning);
  process.exitCode = 1;
});

await using broker = createBroker();
await broker.createQueue("orders");
await broker.createQueue("sessions", { requiresSession: true });
await broker.createQueue("health");
await broker.createTopic("events");
await broker.createSubscription("events", "odd");
const filter = { type: "sql", expression: "n > 1 OR n IS NULL OR tag LIKE 'a%' OR t - g < n" } as const;
await broker.createRule("events", "odd", {
  name: "tagged",
  filter,
  action: { expression: "SET seen = n + 1; SET tag = tag + t; SET sys.Label = g" },
});
await broker.sender("orders").send({ body: { section: "data", bytes: Buffer.from("x") } });
await using server = await serve(broker, { port: 0, acceptAnyone: true, closeTimeoutMs: 200 });

const recorded = await record(server.port);
const startBytes = process.memoryUsage.rss();
let done = 0;
await Promise.all(Array.from({ length: clientsAtOnce }, attack));
const grownMb = (process.memoryUsage.rss() - startBytes) / 2 ** 20;
console.log(`${done} mutations of ${recorded.length} bytes, memory grew by ${grownMb.toFixed(0)} MB`);

async function attack(): Promise<void> {
  while (done < mutations) {
    done++;
    if (done % probeEvery === 0) await probe(broker, server.port);
    if (done % oddEvery === 0) await speakOddly(server.port, random, patienceMs);
    else await say(mutate(recorded, random));
  }
}

async function say(bytes: Uint8Array): Promise<void> {
  const socket = connect(server.port, "127.0.0.1");
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => {});
  socket.resume();
  socket.write(bytes);
  const patience = setTimeout(() => socket.destroy(), patienceMs);
  await closed;
  clearTimeout(patience);
}

/** A well-behaved client whose messages must arrive, whatever the others do. */
async function probe(broker: Broker, port: number): Promise<void> {
  const { connection, socket } = openConnection(port);
  const link = (await openSession(connection)).openSender({
    name: "probe",
    target: { kind: "target", address: "health" },
  });
  await new Promise<void>((resolve) => {
    link.handler.onCredit = () => {
      link.handler = { onDisposition: () => resolve() };
      link.send(encodeMessage({ body: { kind: "value", value: "alive" } }), {
        deliveryTag: Buffer.from("1"),
      });
    };
  });
  socket.destroy();
  const [message] = await broker
    .receiver("health", { mode: "receiveAndDelete" })
    .receive(1, { maxWaitMs: 5000 });
  if (message === undefined) throw new Error("The healthy client's message did not arrive");
  await readAll(broker);
  await broker.purge("sessions");
}

/** Messages that the server accepted must be readable in its own process, too. */
async function readAll(broker: Broker): Promise<void> {
  for (const path of ["orders", "orders/$deadletterqueue", "events/subscriptions/odd"]) {
    const receiver = broker.receiver(path, { mode: "receiveAndDelete" });
    for (;;) {
      const messages = await receiver.receive(1000, { maxWaitMs: 0 });
      if (messages.length === 0) break;
      for (const { body, applicationProperties } of messages) {
        if (body === undefined || applicationProperties === undefined)
          throw new Error("A message has no content");
      }
    }
  }
}

/** The traffic of a client that uses every kind of link. */
async function record(port: number): Promise<Buffer> {
  const said: Buffer[] = [];
  const { connection, socket } = openConnection(port, (part) => said.push(part));
  const session = await openSession(connection);
  const tag = Buffer.from("t");
  const sender = session.openSender({ name: "s", target: { kind: "target", address: "orders" } });
  const body = encodeMessage({
    properties: { messageId: "m" },
    body: { kind: "data", sections: [Buffer.from("x")] },
  });
  sender.send(body, { deliveryTag: tag });
  sender.send(joinBatch([body, body]), { deliveryTag: tag, format: 0x80013700 });
  const events = session.openSender({ name: "e", target: { kind: "target", address: "events" } });
  const applicationProperties = stringMap({ n: 2, tag: "a1" });
  events.send(encodeMessage({ applicationProperties, body: { kind: "value", value: "x" } }), {
    deliveryTag: tag,
  });
  const receiver = session.openReceiver({
    name: "r",
    source: { kind: "source", address: "orders" },
    rcvSettleMode: 1,
  });
  const modified: DeliveryState = { kind: "modified", messageAnnotations: symbolMap({ seen: true }) };
  receiver.handler.onTransfer = (delivery) =>
    receiver.propose(delivery, delivery.id % 2 === 0 ? acceptedState : modified);
  receiver.addCredit(4);
  const filter = symbolMap({ "com.microsoft:session-filter": "a" });
  session.openReceiver({ name: "q", source: { kind: "source", address: "sessions", filter } });
  const control = session.openSender({ name: "c", target: { kind: "coordinator" } });
  control.send(value(described(0x31n, [])), { deliveryTag: tag });
  for (const node of ["$cbs", "orders/$management"]) {
    const source = { kind: "source", address: node } as const;
    session.openReceiver({ name: `reply ${node}`, source, creditWindow: 5 });
    const requests = session.openSender({ name: `ask ${node}`, target: { kind: "target", address: node } });
    for (const operation of ["put-token", "com.microsoft:peek-message", "com.microsoft:schedule-message"]) {
      requests.send(request(operation), { deliveryTag: tag });
    }
  }
  await pause(200);
  socket.destroy();
  return Buffer.concat(said);
}

function request(operation: string): Uint8Array {
  return encodeMessage({
    properties: { messageId: "id", replyTo: "reply" },
    applicationProperties: stringMap({ operation, name: "sb://host/orders" }),
    body: {
      kind: "value",
      value: stringMap({ "from-sequence-number": 1, "message-count": 1, messages: [] }),
    },
  });
}

function value(body: AmqpValue): Uint8Array {
  return encodeMessage({ body: { kind: "value", value: body } });
}
