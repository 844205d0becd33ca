import { randomBytes } from "node:crypto";
import { createBroker } from "@waybill/broker";
import { type EncryptionKeyProvider, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("payments");
const transport = localTransport(broker);

// #region ring
// In place of your key vault: the current key encrypts, older keys still decrypt.
const current = { id: "2026-11", key: randomBytes(32) };
const vault = new Map([
  ["2026-10", randomBytes(32)],
  [current.id, current.key],
]);
const keys: EncryptionKeyProvider = {
  currentKey: async () => current,
  findKey: async (id) => vault.get(id),
};
const client = new WaybillClient(transport, { serializer: json(), encryption: { keys } });
await client
  .createSender("payments")
  .sendMessages({ subject: "payment", body: { iban: "DE02", amount: 12 } });
// #endregion

const withoutKeys = new WaybillClient(transport, { serializer: json() });
for (const { failure, deserialization } of await withoutKeys.createReceiver("payments").peekMessages(1))
  console.log(failure?.status, deserialization.attempts[0]?.reason);
const receiver = client.createReceiver("payments");
for (const payment of await receiver.receiveMessages(1)) {
  console.log(payment.body, "decrypted with key", payment.deserialization.encryptionKeyId);
  await receiver.completeMessage(payment);
}
await client.close();
// undeserializable encryption-unsupported
// { iban: 'DE02', amount: 12 } decrypted with key 2026-11
