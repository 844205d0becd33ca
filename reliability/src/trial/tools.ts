import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { createPipeline } from "@waybill/core";
import {
  queueReadStore,
  type RetirementVerdict,
  retirementVerdict,
  takeCensus,
} from "@waybill/migration/census";
import { repairDeadLetters } from "@waybill/migration/repair";
import { avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { azureCatalog, azureTransport, speakPlainHttp } from "@waybill/transport-azure";
import { orderPlaced } from "../../../examples/coming-from-azure/dist/4-read-both/order-placed.js";

/** The chain of the guide's step 4, with which an operator looks at the system. */
const both = createPipeline({
  serializer: json(),
  additionalDeserializers: [avro()],
  messageTypes: [orderPlaced],
});

/** The verdicts on JSON and on version 1, as an operator asks for them, who states when the last producer of JSON stopped. */
export async function verdicts(
  connectionString: string,
  writersStoppedAt: Date,
): Promise<RetirementVerdict[]> {
  return await connected(connectionString, async (transport) => {
    const administrationClient = new ServiceBusAdministrationClient(connectionString);
    speakPlainHttp(administrationClient);
    const catalog = azureCatalog(administrationClient);
    const census = await takeCensus({ transport, catalog, pipeline: both });
    await using store = queueReadStore(transport, "capabilities");
    const evidence = {
      writersStoppedAt,
      reads: await store.list(),
      readers: ["warehouse"],
      unrelated: ["events"],
    };
    return [{ serializer: "json" }, { messageType: orderPlaced.name, version: 1 }].map((target) =>
      retirementVerdict(target, census, evidence),
    );
  });
}

/** Sends the dead letters of the orders again, byte for byte. */
export async function repairOrders(connectionString: string): Promise<void> {
  await connected(connectionString, (transport) =>
    repairDeadLetters({ transport, pipeline: both, from: { queue: "orders" } }),
  );
}

async function connected<Result>(
  connectionString: string,
  work: (transport: ReturnType<typeof azureTransport>) => Promise<Result>,
): Promise<Result> {
  const client = new ServiceBusClient(connectionString);
  try {
    return await work(azureTransport(client));
  } finally {
    await client.close();
  }
}
