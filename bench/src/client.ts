import { createBroker } from "@waybill/broker";
import { type ClaimCheckStore, WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { required } from "@waybill/foundation";
import { openTelemetry } from "@waybill/opentelemetry";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { type SidedComparisons, sideOpener, suiteTogether } from "./harness/comparison.js";
import type { Side } from "./harness/side.js";
import { order } from "./payloads.js";

const messagesPerCall = 10;

const plain = { serializer: json() };

/** Everything the client does besides sending and receiving must cost little. */
const comparisons: SidedComparisons = {
  extras: {
    name: "2 KB, send + receive + complete: OpenTelemetry without SDK and claim check, over plain",
    baseline: () => roundTrips(plain),
    subject: () => roundTrips({ ...plain, diagnostics: openTelemetry(), claimCheck: { store: noStore } }),
    unit: "time",
    target: 1.03,
  },
};

/** Both sides in the same process. */
export const clientSuite = suiteTogether(import.meta.url, comparisons);
/** Opens a side of a part, in its own process. @public */
export const openSide = sideOpener(comparisons);

/** Never called: no body is large enough. */
const noStore: ClaimCheckStore = {
  put: () => Promise.reject(new Error("The body is small.")),
  get: () => Promise.reject(new Error("The body is small.")),
  delete: () => Promise.reject(new Error("The body is small.")),
};

async function roundTrips(options: WaybillClientOptions): Promise<Side> {
  const broker = createBroker();
  await broker.createQueue("orders");
  const client = new WaybillClient(localTransport(broker), options);
  const sender = client.createSender("orders");
  const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 });
  const message = { body: order(2_000), subject: "order", applicationProperties: { tenant: "shop" } };
  return {
    async work() {
      for (let n = 0; n < messagesPerCall; n++) {
        await sender.sendMessages(message);
        const received = required((await receiver.receiveMessages(1))[0]);
        await receiver.completeMessage(received);
      }
    },
  };
}
