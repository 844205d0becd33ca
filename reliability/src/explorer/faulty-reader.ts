import { ServiceBusClient } from "@azure/service-bus";
import { createPipeline, type Serializer, WaybillClient } from "@waybill/core";
import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { azureTransport } from "@waybill/transport-azure";

/** A consumer that announces itself, and that can be made to fail at reading anything. */
export interface FaultyReader extends AsyncDisposable {
  /** Breaks it, and sends it messages, which it holds then. */
  breakAndReceive(count: number): Promise<void>;
  /** Lets it read what it holds. */
  mend(): void;
}

/** Starts it on a queue, over AMQP. It withdraws its beacon when it ends. */
export async function startReader(
  connectionString: string,
  { queue, beacons }: { readonly queue: string; readonly beacons: string },
): Promise<FaultyReader> {
  const sdk = new ServiceBusClient(connectionString);
  const transport = azureTransport(sdk);
  const healthy = json();
  let isBroken = false;
  const serializer: Serializer = {
    ...healthy,
    deserialize(bytes, context) {
      if (isBroken) throw new Error("A bug of this release.");
      return healthy.deserialize(bytes, context);
    },
  };
  const store = queueBeaconStore(transport, beacons);
  const announced = await announceReader(store, createPipeline({ serializer }), {
    reader: "billing",
    instance: "billing-1",
    entities: [queue],
  });
  const client = new WaybillClient(transport, {
    serializer,
    readerDirectory: announced,
    circuitBreaker: { windowSize: 2, failureRate: 0.5, decodedBefore: "all", probeIntervalInMs: 500 },
  });
  const sender = client.createSender(queue);
  const subscription = client
    .createReceiver(queue)
    .subscribe({ processMessage: () => {}, processError: () => {} });
  return {
    async breakAndReceive(count) {
      isBroken = true;
      for (let id = 0; id < count; id++)
        await sender.sendEncodedMessages([
          {
            subject: "order-placed",
            contentType: "application/json",
            body: new TextEncoder().encode(`{"id":${id}}`),
          },
        ]);
    },
    mend() {
      isBroken = false;
    },
    async [Symbol.asyncDispose]() {
      await subscription.close();
      await client.close();
      await announced.close();
      await store[Symbol.asyncDispose]();
      await transport.close();
      await sdk.close();
    },
  };
}
