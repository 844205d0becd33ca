import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { required } from "@waybill/foundation";
import { takeCensus } from "@waybill/migration/census";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localCatalog, localTransport } from "@waybill/transport-local";
import { openScratch } from "waybill-harness/waiting.js";
import { order } from "./payloads.js";

// Prints, as JSON, what a census over a durable queue of 100,000 mixed messages takes: seconds, and the heap and the resident memory that it
// adds at most. The broker's own memory is there before and after: what counts is how it grows while the census is taken.

const count = 100_000;
using scratch = openScratch("census");
const store = join(scratch.path, "store");
const pipeline = createPipeline({
  serializer: avro({ schema: { type: "map", values: "string" } }),
  additionalDeserializers: [json(), msgpack()],
});
const kinds = mixedKinds();

await fill();
// The broker is reopened, so that its caches are empty.
const broker = await openBroker({ storage: await openDurableStorage(store) });
const transport = localTransport(broker);
const idle = memory();
const heap: number[] = [];
const resident: number[] = [];
let sampledMs = 0;
const startedAt = performance.now();
const census = await takeCensus({
  transport,
  catalog: localCatalog(broker),
  pipeline,
  onProgress({ peeked }) {
    if (peeked % 10_000 !== 0) return;
    const before = performance.now();
    const now = memory();
    heap.push(now.heap - idle.heap);
    resident.push(now.resident - idle.resident);
    sampledMs += performance.now() - before;
  },
});
const seconds = (performance.now() - startedAt - sampledMs) / 1000;
const counted = census.groups.reduce((sum, group) => sum + group.count, 0);
if (counted !== count) throw new Error(`The census counted ${counted} of ${count} messages.`);
await broker.close();
console.log(JSON.stringify({ seconds, groups: census.groups.length, heap, resident }));

/** Bodies of three formats with a right, missing or wrong content type, compressed ones, and garbage. */
function mixedKinds(): EncodedMessage[] {
  const body = order(1_000);
  const asJson = pipeline.serialize({ body, contentType: "application/json" }) as EncodedMessage;
  const asMsgpack = pipeline.serialize({ body, contentType: "application/vnd.msgpack" }) as EncodedMessage;
  const asAvro = pipeline.serialize({ body: { order: "1", note: "x".repeat(900) } }) as EncodedMessage;
  return [
    asJson,
    asMsgpack,
    asAvro,
    { ...asJson, contentType: undefined },
    { ...asMsgpack, contentType: "application/json" },
    {
      ...asJson,
      body: gzipSync(asJson.body as Uint8Array),
      applicationProperties: { "Content-Encoding": "gzip" },
    },
    { ...asAvro, contentType: "text/nonsense" },
    { body: new Uint8Array(1_000).fill(0xff), contentType: "application/json" },
  ];
}

/** A tenth is scheduled, a tenth deferred, a tenth dead-lettered; the rest is active. */
async function fill(): Promise<void> {
  await using filling = await openBroker({ storage: await openDurableStorage(store) });
  await filling.createQueue("orders", { maxSizeInMegabytes: 5120 });
  const to = localTransport(filling);
  const sender = to.createSender("orders");
  const receiver = to.createReceiver({ queue: "orders" }, "peekLock");
  const later = new Date(Date.now() + 86_400_000);
  const some = (length: number, from: number) =>
    Array.from({ length }, (_, index) => required(kinds[(from + index) % kinds.length]));
  for (let sent = 0; sent < count; sent += 500) {
    await sender.send(some(450, sent));
    await sender.schedule(some(50, sent), later);
    if (sent >= count / 5) continue;
    // Of the first fifth, half is deferred and half dead-lettered.
    const taken = await receiver.receive({ maxMessages: 500, maxWaitTimeInMs: 0 });
    await Promise.all(
      taken.map(({ settlement }, index) =>
        index % 2 === 0
          ? receiver.defer(required(settlement))
          : receiver.deadLetter(required(settlement), { deadLetterReason: "HandlerFailed" }),
      ),
    );
  }
  await to.close();
}

/** Bytes of the heap, and of resident memory without file pages: the store maps its file, whose pages stay cached. */
function memory(): { heap: number; resident: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return { heap: heapUsed, resident: anonymousBytes() ?? rss };
}

function anonymousBytes(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
