import { randomBytes } from "node:crypto";
import { createBroker } from "@waybill/broker";
import { type EncryptionKeyProvider, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("payments");
const transport = localTransport(broker);

// #region ring
// Stands for your key vault: the current key encrypts, older ones still decrypt.
const vault = new Map([
  ["2026-10", randomBytes(32)],
  ["2026-11", randomBytes(32)],
]);
const keys: EncryptionKeyProvider = {
  currentKey: async () => ({ id: "2026-11", key: vault.get("2026-11")! }),
  findKey: async (id) => vault.get(id),
};
const client = new WaybillClient(transport, { serializer: json(), encryption: { keys } });
await client
  .createSender("payments")
  .sendMessages({ subject: "payment", body: { iban: "DE02", amount: 12 } });
// #endregion

const stranger = new WaybillClient(transport, { serializer: json() });
const [transformed] = await stranger.createReceiver("payments").peekMessages(1);
console.log(transformed!.failure?.status, transformed!.deserialization.attempts[0]?.reason);
const receiver = client.createReceiver("payments");
const [payment] = await receiver.receiveMessages(1);
console.log(payment!.body, "under the key", payment!.deserialization.encryptionKeyId);
await receiver.completeMessage(payment!);
await client.close();
// undeserializable encryption-unsupported
// { iban: 'DE02', amount: 12 } under the key 2026-11
