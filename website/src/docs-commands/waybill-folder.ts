import { execFileSync } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createBroker, openBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { createPipeline, type EncodedMessage, type Pipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";
import { openScratch } from "waybill-harness/waiting.js";

/** A folder with everything that the examples of the `waybill` command name. */
export interface WaybillFolder extends Disposable {
  readonly path: string;
  /** Contains `waybill`, and a `jq` that supports what the examples use. */
  readonly bin: string;
}

const schema = {
  type: "record",
  name: "OrderPlaced",
  fields: [
    { name: "id", type: "int" },
    { name: "total", type: "int", default: 0 },
  ],
} as const;

const config = `import { bodyType, defineMessage } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

const orderPlaced = defineMessage("order-placed", {
  version: 2,
  schemas: { 1: bodyType(), 2: bodyType() },
  upcasters: { 1: (body) => body },
});

export default {
  serializer: json(),
  additionalDeserializers: [msgpack(), avro({ schemas: { "order-placed": ${JSON.stringify(schema)} } })],
  messageTypes: [orderPlaced],
  contract: {
    service: "orders",
    sends: ["orders"],
    environments: { production: { contracts: "contracts/production" } },
  },
};
`;

/** The filters that stand in the examples: `.`, `.name` and `.[].name`, with or without `-r`. */
const jq = `#!/usr/bin/env node
import { readFileSync } from "node:fs";
const filter = process.argv.filter((word) => word.startsWith(".")).at(-1) ?? ".";
const values = readFileSync(0, "utf8").trim();
const parsed = (() => { try { return [JSON.parse(values)]; } catch { return values.split("\\n").filter(Boolean).map((line) => JSON.parse(line)); } })();
for (const value of parsed) {
  const name = filter.split(".").at(-1);
  const found = filter === "." ? [value] : filter.startsWith(".[]") ? value.map((one) => one[name]) : [value[name]];
  for (const one of found) console.log(JSON.stringify(one) ?? "null");
}
`;

/** Makes the folder, with a data directory `broker` that holds what the examples look at. `root` is the workspace. */
export async function makeWaybillFolder(root: string): Promise<WaybillFolder> {
  const scratch = openScratch("docs");
  // Beside it is the repository of another service.
  const path = join(scratch.path, "orders");
  const bin = join(path, "bin");
  await mkdir(bin, { recursive: true });
  const executable = { mode: 0o755 };
  await symlink(join(root, "node_modules"), join(path, "node_modules"));
  const command = join(root, "packages/cli/dist/bin.js");
  await writeFile(join(bin, "waybill"), `#!/bin/sh\nexec node ${JSON.stringify(command)} "$@"\n`, executable);
  await writeFile(join(bin, "jq.mjs"), jq, executable);
  await writeFile(
    join(bin, "jq"),
    `#!/bin/sh\nexec node ${JSON.stringify(join(bin, "jq.mjs"))} "$@"\n`,
    executable,
  );
  await writeFile(join(path, "waybill.config.mjs"), config);
  await writeFile(
    join(path, "Config.json"),
    '{"UserConfig":{"Namespaces":[{"Queues":[{"Name":"orders"}]}]}}',
  );
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [msgpack(), avro({ schemas: { "order-placed": schema } })],
  });
  for (const [file, format] of Object.entries(files)) {
    await writeFile(join(path, file), (await order(pipeline, format)).body as Uint8Array);
  }
  await writeFile(join(path, "orders.ndjson"), '{"id":1}\n{"id":2}\n');
  await mkdir(join(path, "bodies"));
  await writeFile(join(path, "bodies", "first.json"), '{"id":1}');
  await fillBroker(join(path, "broker"), pipeline);
  await addContracts(path, command);
  return { ...scratch, path, bin };
}

/** Makes the folder a repository with a contract, which is also that of everything else the examples compare it with. */
async function addContracts(path: string, command: string): Promise<void> {
  const run = (program: string, ...args: readonly string[]) => execFileSync(program, args, { cwd: path });
  const contract = "waybill.contract.json";
  run(process.execPath, command, "contract", "write");
  for (const copy of [
    "before.json",
    "after.json",
    "contracts/production/orders.json",
    `../billing/${contract}`,
  ]) {
    const target = join(path, copy);
    await mkdir(dirname(target), { recursive: true });
    await copyFile(join(path, contract), target);
  }
  await mkdir(join(path, "src"));
  run("git", "init", "--quiet", "--initial-branch", "main");
  run("git", "add", contract);
  const author = ["-c", "user.name=docs", "-c", "user.email=docs@example.org"];
  run("git", ...author, "commit", "--quiet", "--message", "Add the contract");
  run("git", "update-ref", "refs/remotes/origin/main", "main");
}

const files = {
  "body.bin": "json",
  "old.bin": "msgpack",
  "order.json": "json",
  "order.msgpack": "msgpack",
  "order.avro": "avro",
} as const;

async function order(
  pipeline: Pipeline,
  serializer: string,
  properties: Partial<EncodedMessage> = {},
): Promise<EncodedMessage> {
  const message = {
    body: { id: 1, total: 20 },
    subject: "order-placed",
    applicationProperties: { messageVersion: 2 },
  };
  return { ...(await pipeline.serialize(message, { writeAs: { serializer } })), ...properties };
}

async function fillBroker(data: string, pipeline: Pipeline): Promise<void> {
  await using broker = await openBroker({ storage: await openDurableStorage(data) });
  await broker.createQueue("orders");
  await broker.createQueue("waybill-reads");
  await broker.createQueue("capabilities", { maxMessageSizeInKilobytes: 102_400 });
  await broker.createQueue("jobs", { requiresSession: true });
  await broker.createQueue("billing", { requiresSession: true });
  await broker.createQueue("billing-again");
  await broker.createTopic("events");
  await broker.createSubscription("events", "billing");
  await using transport = localTransport(broker);
  const orders = transport.createSender("orders");
  const events = transport.createSender("events");
  const dead = { deadLetterReason: "DeserializationFailed" };
  for (const [sender, address] of [
    [orders, { queue: "orders" }],
    [events, { topic: "events", subscription: "billing" }],
  ] as const) {
    await sender.send([await order(pipeline, "json"), await order(pipeline, "msgpack")]);
    const receiver = transport.createReceiver(address, "peekLock");
    for (const { settlement } of await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 0 })) {
      if (settlement !== undefined) await receiver.deadLetter(settlement, dead);
    }
    const waiting = Array.from({ length: 20 }, () => order(pipeline, "json"));
    await sender.send(await Promise.all(waiting));
  }
  const later = await order(pipeline, "json");
  await orders.schedule([later, later], new Date("2050-01-01"));
  await transport.createSender("billing").send([await order(pipeline, "json", { sessionId: "s-1" })]);
}

/** Connection strings in the environment variables that the examples name. */
export interface ServedNamespaces extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
}

/** Serves two namespaces, each with a queue `orders` that holds a message. */
export async function serveNamespaces(): Promise<ServedNamespaces> {
  const [shop, billing] = [await serveNamespace(), await serveNamespace()];
  return {
    env: { SHOP_CONNECTION: shop.connectionString, BILLING_CONNECTION: billing.connectionString },
    async [Symbol.asyncDispose]() {
      await Promise.all([shop.close(), billing.close()]);
    },
  };
}

async function serveNamespace() {
  const broker = createBroker();
  await broker.createQueue("orders");
  await using transport = localTransport(broker);
  await transport.createSender("orders").send([await order(createPipeline({ serializer: json() }), "json")]);
  const { connectionString, close } = await serve(broker, { port: 0 });
  return {
    connectionString,
    async close() {
      await close();
      await broker.close();
    },
  };
}
