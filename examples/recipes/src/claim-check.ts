import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBroker } from "@waybill/broker";
import { fileClaimCheckStore } from "@waybill/claim-check";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const directory = await mkdtemp(join(tmpdir(), "bodies-"));
const broker = createBroker();
await broker.createQueue("scans", { maxMessageSizeInKilobytes: 256 });

// #region store
const store = fileClaimCheckStore(directory);
const client = new WaybillClient(localTransport(broker), { serializer: json(), claimCheck: { store } });
await client.createSender("scans").sendMessages({ body: { page: 1, pixels: "x".repeat(2_000_000) } });

const receiver = client.createReceiver("scans");
const [scan] = await receiver.receiveMessages<{ page: number; pixels: string }>(1);
if (scan === undefined) throw new Error("No scan was received.");
console.log(scan.body.pixels.length, "characters,", scan.deserialization.bytes, "bytes in the message");
await receiver.completeMessage(scan);
// #endregion
// #region delete
// The only consumer of a queue may delete a body when its message is completed.
const { claimCheck } = scan.deserialization;
if (claimCheck !== undefined) await store.delete(claimCheck);
// All others delete by age.
const weeksAgo = new Date(Date.now() - 28 * 24 * 3_600_000);
console.log(await store.deleteOlderThan(weeksAgo), "older bodies deleted");
// #endregion
await client.close();
await rm(directory, { recursive: true });
// 2000000 characters, 0 bytes in the message
// 0 older bodies deleted
