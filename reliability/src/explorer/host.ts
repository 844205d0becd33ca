import { randomBytes } from "node:crypto";
import { type Broker, createBroker } from "@waybill/broker";
import { type BrokerServer, serve } from "@waybill/broker-server";
import { createPipeline } from "@waybill/core";
import { type EntityAddress, parseEntityPath } from "@waybill/core/transport";
import { startExplorer } from "@waybill/explorer";
import { localCatalog, localTransport } from "@waybill/transport-local";
import { openScratch } from "waybill-harness/waiting.js";
import { consumerSerializers } from "../../../examples/main-job/dist/serializers.js";
import { demoBeacons } from "./beacon-data.js";
import { fillDemo } from "./demo-data.js";
import { fillGapped, passThrough, sendFollowed, take } from "./gapped-data.js";
import { fillHostile } from "./hostile-data.js";
import { fillReasons } from "./letter-data.js";
import { fillMillion, flood, serveThousand, type ThousandQueues } from "./load-data.js";
import { deadLetterMixed, fillMixed } from "./mixed-data.js";
import { fillParcels, withParcels } from "./parcel-data.js";
import { fillRemovable } from "./removal-data.js";
import { fillSearched, largeCount, searchedCount } from "./search-data.js";
import { fillDataDirectory } from "./walk-data.js";

// The process of the explorer: a broker with the data of the tests, and the page for it. Obeys its parent over IPC.

/** What the parent asks. */
export type HostRequest =
  | { readonly ask: "link" }
  | { readonly ask: "ids"; readonly queue: string; readonly isDead?: boolean }
  /** A connection string for other processes. */
  | { readonly ask: "serve" }
  /** Another server of the same broker, whose address stays, and its connection string; its end. */
  | { readonly ask: "open-door" | "close-door" }
  /** One whose key may only listen. */
  | { readonly ask: "serve-listen" }
  /** The id and the content type of each message of an entity. */
  | { readonly ask: "labels"; readonly path: string }
  /** How many messages of an entity are locked. */
  | { readonly ask: "locked"; readonly path: string }
  | { readonly ask: "flood"; readonly perSecond: number; readonly seconds: number }
  /** The sequence numbers of a queue. */
  | { readonly ask: "numbers"; readonly queue: string }
  | { readonly ask: "send-followed" | "take-followed"; readonly count: number }
  | { readonly ask: "fill-million" | "fill-searched" | "fill-large" }
  /** Sends to the queue `passed`, and receives all of it. */
  | { readonly ask: "pass-through"; readonly count: number }
  /** Removes the oldest message of an entity, and locks the next one until it is released. */
  | { readonly ask: "disturb"; readonly path: string }
  | { readonly ask: "release" }
  /** Makes a queue: one whose messages are removed, an empty one, or one whose dead letters are repaired. */
  | { readonly ask: "fill-removable" | "create-queue"; readonly queue: string }
  | { readonly ask: "fill-mixed"; readonly queue: string; readonly lockDurationMs?: number }
  | { readonly ask: "add-mixed"; readonly queue: string }
  /** A connection string of another broker, with a thousand queues. */
  | { readonly ask: "serve-thousand" }
  /** The path of a data directory with the same data, which no process has opened. */
  | { readonly ask: "fill-data-directory" }
  | { readonly ask: "end" };

const scratch = openScratch("explorer-browser");
const directory = scratch.path;
const broker: Broker = createBroker();
const transport = localTransport(broker);
const facts = await fillDemo(broker, transport);
await fillHostile(broker, transport);
await fillGapped(broker, transport);
await fillReasons(broker, transport);
await fillParcels(broker, transport);
const explorer = await startExplorer({
  transport,
  pipeline: createPipeline(withParcels(consumerSerializers())),
  catalog: localCatalog(broker),
  namespace: "demo",
  directory,
  allowChanges: true,
  beacons: demoBeacons(),
});

let server: BrokerServer | undefined;
let door: BrokerServer | undefined;
let doorPort = 0;
let searched: Promise<void> | undefined;
/** The first key is that of the server's own connection string. */
const keys = [
  { name: "manages", key: randomBytes(32).toString("base64"), rights: ["Manage"] },
  { name: "listens", key: randomBytes(32).toString("base64"), rights: ["Listen"] },
] as const;

// The parent may be killed.
process.on("disconnect", () => process.exit());
process.on("message", (request: HostRequest) => void answer(request));
process.send?.({ ready: facts, directory });

async function answer(request: HostRequest): Promise<void> {
  process.send?.({ answer: (await work(request)) ?? null });
  if (request.ask === "end") process.disconnect?.();
}

async function work(request: HostRequest): Promise<unknown> {
  switch (request.ask) {
    case "link":
      return explorer.issueLink();
    case "ids":
      return await idsIn({
        queue: request.queue,
        ...(request.isDead === true ? { subQueue: "deadLetter" } : {}),
      });
    case "numbers":
      return await numbersIn(request.queue);
    case "send-followed":
      return await sendFollowed(transport, request.count);
    case "take-followed":
      return await take(transport, "followed", request.count);
    case "serve":
      return (await served()).connectionString;
    case "serve-listen":
      return listenConnectionString((await served()).connectionString);
    case "open-door":
      door = await serve(broker, { port: doorPort, keys });
      doorPort = door.port;
      return door.connectionString;
    case "close-door":
      return await door?.close();
    case "labels":
      return await labelsIn(request.path);
    case "locked":
      return lockedIn(request.path);
    case "serve-thousand":
      thousand ??= await serveThousand();
      return thousand.connectionString;
    case "fill-million":
      return await fillMillion(broker, transport);
    case "fill-searched":
      searched ??= fillSearched(broker, transport, "searched", searchedCount);
      return await searched;
    case "fill-large":
      return await fillSearched(broker, transport, "large", largeCount);
    case "pass-through":
      return await passThrough(transport, request.count);
    case "disturb":
      return await disturb(request.path);
    case "release":
      return await release?.();
    case "fill-removable":
      return await fillRemovable(broker, transport, request.queue);
    case "fill-mixed":
      return await fillMixed(broker, transport, request);
    case "add-mixed":
      return await deadLetterMixed(transport, request.queue);
    case "create-queue":
      return void (await broker.createQueue(request.queue));
    case "fill-data-directory":
      return await fillDataDirectory(directory);
    case "flood":
      // Answers at once: it goes on while the page is used, and ends with the broker at the latest.
      void flood(broker, transport, request.perSecond, request.seconds).catch(() => {});
      return undefined;
    case "end":
      await server?.close();
      await door?.close();
      await thousand?.[Symbol.asyncDispose]();
      await explorer.close();
      await transport.close();
      await broker.close();
      scratch[Symbol.dispose]();
      return undefined;
  }
}

let thousand: ThousandQueues | undefined;
let release: (() => Promise<void>) | undefined;

async function disturb(path: string): Promise<void> {
  const receiver = transport.createReceiver(parseEntityPath(path) as EntityAddress, "peekLock");
  const [first, second] = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 });
  await receiver.complete(first?.settlement ?? {});
  release = () => receiver.abandon(second?.settlement ?? {});
}

async function served(): Promise<BrokerServer> {
  server ??= await serve(broker, { port: 0, keys });
  return server;
}

function listenConnectionString(connectionString: string): string {
  const [manages, listens] = keys;
  return connectionString.replace(manages.name, listens.name).replace(manages.key, listens.key);
}

async function labelsIn(path: string): Promise<string[]> {
  const receiver = transport.createReceiver(parseEntityPath(path) as EntityAddress, "peekLock");
  const messages = await receiver.peek({ maxMessages: 10_000 });
  await receiver.close();
  return messages.map(({ messageId, contentType }) => `${messageId} ${contentType}`);
}

function lockedIn(path: string): number {
  const store = broker.snapshot().stores.find((each) => each.path.toLowerCase() === path.toLowerCase());
  return store?.messages.filter(({ isLocked }) => isLocked).length ?? 0;
}

async function numbersIn(queue: string): Promise<string[]> {
  const receiver = transport.createReceiver({ queue }, "peekLock");
  const messages = await receiver.peek({ maxMessages: 10_000 });
  await receiver.close();
  return messages.map(({ sequenceNumber }) => String(sequenceNumber));
}

async function idsIn(address: EntityAddress): Promise<string[]> {
  const receiver = transport.createReceiver(address, "peekLock");
  const messages = await receiver.peek({ maxMessages: 10_000 });
  await receiver.close();
  return messages.map(({ messageId }) => String(messageId));
}
