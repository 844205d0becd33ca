import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ServiceBusClient } from "@azure/service-bus";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { azureRetryOptions, azureTransport } from "@waybill/transport-azure";
import type { FillRequest } from "./azure-server.js";
import type { Comparison } from "./compare.js";
import { order } from "./payloads.js";

const batchSize = 100;
const maxConcurrentCalls = 32;
/** Messages that one call of the work handles, and those that wait for it beforehand. */
const handledPerCall = 320;
const waiting = 10_000;

/**
 * The client through the official SDK, against the official SDK alone that does the same work with bodies in wire form: both against one
 * broker server in a process of its own. `close` ends it all.
 */
export async function openAzureComparisons(): Promise<{
  comparisons: Comparison[];
  close: () => Promise<void>;
}> {
  const server = fork(fileURLToPath(new URL("./azure-server.js", import.meta.url)));
  const [connectionString] = (await once(server, "message")) as [string];
  const retryOptions = azureRetryOptions;
  const raw = new ServiceBusClient(connectionString, { retryOptions });
  const beneath = new ServiceBusClient(connectionString, { retryOptions });
  const client = new WaybillClient(azureTransport(beneath), { serializer: json() });
  const gates = { raw: new Gate(), waybill: new Gate() };
  return {
    comparisons: [sending(raw, client), await subscribing(server, raw, client, gates)],
    async close() {
      // Closing waits for the handlers that are held back.
      for (const gate of Object.values(gates)) void gate.let(Number.POSITIVE_INFINITY);
      await client.close();
      await Promise.all([beneath.close(), raw.close()]);
      server.kill();
    },
  };
}

function sending(raw: ServiceBusClient, client: WaybillClient): Comparison {
  const body = order(2_000);
  const bytes = Buffer.from(JSON.stringify(body));
  const rawSender = raw.createSender("raw-sink");
  const sender = client.createSender("waybill-sink");
  const rawMessages = Array.from({ length: batchSize }, () => ({
    body: bytes,
    contentType: "application/json",
  }));
  const messages = Array.from({ length: batchSize }, () => ({ body }));
  return {
    name: "2 KB JSON: send batches of 100, against the SDK alone without serialization",
    baseline: () => rawSender.sendMessages(rawMessages),
    subject: () => sender.sendMessages(messages),
    unit: "rate",
    target: 0.95,
  };
}

async function subscribing(
  server: ChildProcess,
  raw: ServiceBusClient,
  client: WaybillClient,
  gates: { readonly raw: Gate; readonly waybill: Gate },
): Promise<Comparison> {
  const body = JSON.stringify(order(2_000));
  for (const queue of ["raw", "waybill"]) {
    server.send({ queue, count: waiting, body } satisfies FillRequest);
    await once(server, "message");
  }
  raw
    .createReceiver("raw", { skipParsingBodyAsJson: true })
    .subscribe(
      { processMessage: () => gates.raw.pass(), processError: async ({ error }) => gates.raw.fail(error) },
      { maxConcurrentCalls },
    );
  client
    .createReceiver("waybill")
    .subscribe(
      { processMessage: () => gates.waybill.pass(), processError: ({ error }) => gates.waybill.fail(error) },
      { maxConcurrentCalls },
    );
  const handle = (queue: string, of: Gate) => async () => {
    await of.let(handledPerCall);
    server.send({ queue, count: handledPerCall, body } satisfies FillRequest);
  };
  return {
    name: "2 KB JSON: subscribe with 32 concurrent calls, against the SDK alone without serialization",
    baseline: handle("raw", gates.raw),
    subject: handle("waybill", gates.waybill),
    unit: "rate",
    target: 0.95,
  };
}

/** Holds handlers back between measurements, so that only one side works at a time. */
class Gate {
  readonly #held: (() => void)[] = [];
  #open = 0;
  #done: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  /** Lets so many handlers through and resolves when the last has gone. */
  let(count: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = { resolve, reject };
      this.#open = count;
      while (this.#open > 0 && this.#held.length > 0) this.#release(this.#held.shift()!);
    });
  }

  pass(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#open > 0) this.#release(resolve);
      else this.#held.push(resolve);
    });
  }

  fail(error: unknown): void {
    this.#done?.reject(error);
  }

  #release(resolve: () => void): void {
    this.#open -= 1;
    resolve();
    if (this.#open === 0) this.#done?.resolve();
  }
}
