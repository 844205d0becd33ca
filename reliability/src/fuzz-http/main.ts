import { connect } from "node:net";
import { type Broker, createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { newSeed, readOptions } from "waybill-harness/options.js";
import { pick, randomFrom } from "waybill-harness/random.js";
import { mutateText } from "./mutate-text.js";
import { type SampleRequest, samples, toBytes } from "./requests.js";

// Mutates requests of HTTP over sockets: the bytes of whole requests, their heads and their bodies alone, and first bytes of no protocol. A
// healthy client works all along. An answer of 500, an answer that reports the server's insides, and any warning fail the run.

const clientsAtOnce = 32;
const probeEvery = 2_000;
/** How long a client waits for its answer before it goes away by itself. */
const patienceMs = 200;
/** What responses must not contain: paths, stacks, names of JavaScript errors. */
const insides = /node_modules|\bat \S+ \(|\.js:\d|file:\/\/|TypeError|RangeError|undefined is|Cannot read/;

const { runs: mutations, seed } = readOptions({ runs: 100_000, seed: newSeed() });
const random = randomFrom(seed);
const statuses = new Map<string, number>();
console.log(`${mutations} mutations, seed ${seed}`);

process.on("warning", (warning) => {
  if ("code" in warning && warning.code === "WAYBILL_ACCEPT_ANYONE") return;
  fail(String(warning.stack));
});

await using broker = createBroker();
await broker.createQueue("orders");
await broker.createQueue("alive");
await broker.createTopic("events");
await broker.createSubscription("events", "odd");
await using server = await serve(broker, { port: 0, acceptAnyone: true, closeTimeoutMs: 200 });

const startBytes = process.memoryUsage.rss();
let done = 0;
await Promise.all(Array.from({ length: clientsAtOnce }, attack));
const grownMb = (process.memoryUsage.rss() - startBytes) / 2 ** 20;
const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
console.log(`${done} mutations, memory grew by ${grownMb.toFixed(0)} MB; responses: ${counts.join(", ")}`);

async function attack(): Promise<void> {
  while (done < mutations) {
    done++;
    if (done % probeEvery === 0) await probe(broker);
    check(await say(next()));
  }
}

function next(): Buffer {
  const sample = pick(samples, random);
  const kind = random(100);
  if (kind < 5) return randomBytes();
  if (kind < 35) return mutated(toBytes(sample));
  return toBytes(kind < 70 ? withBody(sample) : withHead(sample));
}

function withBody(sample: SampleRequest): SampleRequest {
  return { ...sample, body: mutated(Buffer.from(sample.body, "latin1")).toString("latin1") };
}

/** Line breaks stay, so that the rest is still a request. */
function withHead(sample: SampleRequest): SampleRequest {
  const change = (text: string) =>
    mutated(Buffer.from(text))
      .toString("latin1")
      .replace(/[\r\n]/g, " ");
  const [method = "", path = ""] = sample.line.split(" ");
  const isPath = random(2) === 0 || sample.headers.length === 0;
  if (isPath) return { ...sample, line: `${method} /${change(path.slice(1))}` };
  return { ...sample, headers: sample.headers.map((header) => (random(2) === 0 ? change(header) : header)) };
}

function mutated(bytes: Uint8Array): Buffer {
  return mutateText(bytes, random);
}

function randomBytes(): Buffer {
  return Buffer.from(Array.from({ length: 1 + random(40) }, () => random(256)));
}

function say(bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1");
    let answer = "";
    const patience = setTimeout(() => socket.destroy(), patienceMs);
    socket.setEncoding("latin1").on("error", () => {});
    socket.on("data", (text: string) => {
      answer += text;
      // One response is enough.
      if (answer.includes("\r\n\r\n")) socket.destroy();
    });
    socket.on("close", () => {
      clearTimeout(patience);
      resolve(answer);
    });
    socket.write(bytes);
  });
}

function check(answer: string): void {
  const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? (answer === "" ? "none" : "other");
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  if (status === "500" || insides.test(answer)) fail(answer);
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}

/** A well-behaved client whose messages must arrive, whatever the others do. */
async function probe(broker: Broker): Promise<void> {
  const address = `http://127.0.0.1:${server.port}/alive/messages`;
  let isAlive = false;
  // A mutated request may have emptied or disabled the queue meanwhile, as it may.
  for (let attempt = 0; attempt < 5 && !isAlive; attempt++) {
    const sent = await fetch(address, { method: "POST", body: "alive" });
    const received = await fetch(`${address}/head?timeout=1`, { method: "DELETE" });
    isAlive = sent.status === 201 && (await received.text()) === "alive";
  }
  if (!isAlive) fail("The healthy client's message did not arrive.");
  await broker.reset();
  for (const { path, kind } of broker.listEntities()) {
    const isOurs = ["orders", "alive", "events", "events/Subscriptions/odd"].includes(path);
    if (!isOurs && kind !== "subscription") await broker.deleteEntity(path);
  }
  for (const queue of ["orders", "alive"]) await restore(queue, () => broker.createQueue(queue));
  await restore("events", () => broker.createTopic("events"));
  await restore("events/Subscriptions/odd", () => broker.createSubscription("events", "odd"));
}

/** Recreates what was deleted by chance, and restores what was changed. */
async function restore(path: string, create: () => Promise<unknown>): Promise<void> {
  const isThere = broker.listEntities().some((entity) => entity.path === path);
  if (!isThere) await create();
  else if (path === "orders" || path === "alive")
    await broker.updateEntity(path, { status: "Active", forwardTo: undefined });
}
