import { createBroker } from "@waybill/broker";
import { WaybillClient, WaybillError } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("readings", { maxSizeInMegabytes: 1 });
const client = new WaybillClient(localTransport(broker), { serializer: json() });
const sender = client.createSender("readings");

// #region batch
const readings = [{ celsius: 21 }, { celsius: 22 }, { celsius: 23 }];
let batch = await sender.createMessageBatch();
for (const body of readings) {
  if (batch.tryAddMessage({ body })) continue;
  await sender.sendMessages(batch);
  batch = await sender.createMessageBatch();
  if (!batch.tryAddMessage({ body })) throw new Error("One reading is larger than a whole batch.");
}
await sender.sendMessages(batch);
console.log(batch.count, "messages in", batch.sizeInBytes, "bytes");
// #endregion

// #region split
const photos = ["a", "b", "c", "d", "e"].map((messageId) => ({ messageId, body: "x".repeat(400_000) }));
try {
  await sender.sendMessages(photos);
} catch (error) {
  if (!(error instanceof WaybillError) || error.sendResults === undefined) throw error;
  for (const { messageId, status } of error.sendResults) console.log(messageId, status);
  console.log((error.cause as WaybillError).code);
}
// #endregion
await client.close();
// 3 messages in 198 bytes
// a sent
// b sent
// c failed
// d failed
// e unsent
// quota-exceeded
