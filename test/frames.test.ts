import { ServiceBusClient } from "@azure/service-bus";
import { type Broker, createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { type Serializer, type Transport, WaybillClient } from "@waybill/core";
import { azureTransport } from "@waybill/transport-azure";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";

/** Frames and files of core at most, from the transport's callback to the serializer: a reader follows a message through them. */
const maxFrames = 14;
const maxFiles = 7;

interface Environment extends AsyncDisposable {
  readonly broker: Broker;
  readonly transport: Transport;
}

const environments = { local: localEnvironment, azure: azureEnvironment };

describe("a message received by subscribe", () => {
  it.each(["local", "azure"] as const)(
    "reaches the serializer in few frames, over the %s transport",
    async (name) => {
      await using environment = await environments[name]();
      const stack = await stackInSerializer(environment);
      const own = stack.filter((line) => line.includes("/packages/core/src/"));
      const files = new Set(own.map((line) => /\/packages\/core\/src\/([^:]+):/.exec(line)?.[1]));
      expect(own.length).toBeLessThanOrEqual(maxFrames);
      expect(files.size).toBeLessThanOrEqual(maxFiles);
    },
  );
});

/** The lines of the stack of an error that a serializer throws. */
async function stackInSerializer({ broker, transport }: Environment): Promise<string[]> {
  await broker.createQueue("orders");
  let stack = "";
  const limit = Error.stackTraceLimit;
  const throwing: Serializer = {
    name: "throwing",
    mediaTypes: ["application/x-throwing"],
    detection: "label",
    serialize: () => ({ bytes: Uint8Array.of(1) }),
    deserialize() {
      Error.stackTraceLimit = 200;
      const error = new Error("thrown by the serializer");
      Error.stackTraceLimit = limit;
      stack ||= error.stack ?? "";
      throw error;
    },
  };
  await using client = new WaybillClient(transport, { serializer: throwing });
  const message = { contentType: "application/x-throwing", body: Uint8Array.of(1) };
  await client.createSender("orders").sendEncodedMessages(message);
  await new Promise<void>((resolve) => {
    client.subscribe("orders", { processMessage() {}, processError: () => resolve() });
  });
  return stack.split("\n").filter((line) => line.startsWith("    at "));
}

async function localEnvironment(): Promise<Environment> {
  const broker = createBroker();
  return { broker, transport: localTransport(broker), [Symbol.asyncDispose]: () => broker.close() };
}

async function azureEnvironment(): Promise<Environment> {
  const broker = createBroker();
  const server = await serve(broker, { port: 0 });
  const sdk = new ServiceBusClient(server.connectionString);
  return {
    broker,
    transport: azureTransport(sdk),
    async [Symbol.asyncDispose]() {
      await sdk.close();
      await server.close();
      await broker.close();
    },
  };
}
