import { join } from "node:path";
import { openBroker } from "@waybill/broker";
import { decodeWire } from "@waybill/broker-server/stored-messages";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { localTransport } from "@waybill/transport-local";
import { fillDemo } from "./demo-data.js";
import { fillGapped } from "./gapped-data.js";
import { fillReasons } from "./letter-data.js";

/** Fills a data directory below another directory as the broker of the checks is filled. Returns its path. */
export async function fillDataDirectory(directory: string): Promise<string> {
  const data = join(directory, "data");
  const broker = await openBroker({ storage: await openDurableStorage(data), wireDecoder: decodeWire });
  const transport = localTransport(broker);
  await fillDemo(broker, transport);
  await fillGapped(broker, transport);
  await fillReasons(broker, transport);
  await transport.close();
  await broker.close();
  return data;
}
