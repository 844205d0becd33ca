import { createBroker } from "@waybill/broker";
import { type ClaimCheckStore, WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { required } from "@waybill/foundation";
import { openTelemetry } from "@waybill/opentelemetry";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { comparison } from "./harness/comparison.js";
import type { Suite } from "./harness/probe.js";
import type { Work } from "./harness/sample.js";
import { order } from "./payloads.js";

const messagesPerCall = 10;

const plain = { serializer: json() };

/** Everything the client does besides sending and receiving must cost little. */
export const clientSuite: Suite = {
  extras: async () =>
    comparison({
      name: "2 KB, send + receive + complete: OpenTelemetry without SDK and claim check, over plain",
      baseline: await roundTrips(plain),
      subject: await roundTrips({ ...plain, diagnostics: openTelemetry(), claimCheck: { store: noStore } }),
      unit: "time",
      target: 1.03,
    }),
};

/** Never called: no body is large enough. */
const noStore: ClaimCheckStore = {
  put: () => Promise.reject(new Error("The body is small.")),
  get: () => Promise.reject(new Error("The body is small.")),
  delete: () => Promise.reject(new Error("The body is small.")),
};

async function roundTrips(options: WaybillClientOptions): Promise<Work> {
  const broker = createBroker();
  await broker.createQueue("orders");
  const client = new WaybillClient(localTransport(broker), options);
  const sender = client.createSender("orders");
  const receiver = client.createReceiver("orders", { maxAutoLockRenewalDurationInMs: 0 });
  const message = { body: order(2_000), subject: "order", applicationProperties: { tenant: "shop" } };
  return async () => {
    for (let n = 0; n < messagesPerCall; n++) {
      await sender.sendMessages(message);
      const received = required((await receiver.receiveMessages(1))[0]);
      await receiver.completeMessage(received);
    }
  };
}
