import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
import { createPipeline } from "@waybill/core";
import {
  queueReadStore,
  type RetirementVerdict,
  retirementVerdict,
  takeCensus,
} from "@waybill/migration/census";
import { queueBeaconStore } from "@waybill/migration/plan";
import { type RepairOptions, rehearseRepair, repairDeadLetters } from "@waybill/migration/repair";
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

/** The same with Avro as its main format, in which a repair writes. */
const bothToAvro = createPipeline({
  serializer: avro(),
  additionalDeserializers: [json()],
  messageTypes: [orderPlaced],
  contentTypePolicies: { missing: { assume: "json" } },
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

/** Repairs the dead letters of the orders; first says how many it would send again. */
export async function repairOrders(
  connectionString: string,
  options: Pick<RepairOptions, "body" | "limit">,
): Promise<{ readonly rehearsed: number; readonly resubmitted: number }> {
  return await connected(connectionString, async (transport) => {
    const repair = { ...options, transport, pipeline: bothToAvro, from: { queue: "orders" } };
    const { resubmittable } = await rehearseRepair(repair);
    const { resubmitted } = await repairDeadLetters(repair);
    return { rehearsed: resubmittable, resubmitted };
  });
}

/** The names of the instances that have announced themselves. */
export async function announcedInstances(connectionString: string): Promise<string[]> {
  return await connected(connectionString, async (transport) => {
    const beacons = await queueBeaconStore(transport, "capabilities").list();
    return beacons.map(({ instance }) => instance);
  });
}

/** Withdraws the beacons of instances that will not do so themselves. */
export async function withdrawBeacons(
  connectionString: string,
  isDead: (instance: string) => boolean,
): Promise<void> {
  await connected(connectionString, async (transport) => {
    const store = queueBeaconStore(transport, "capabilities");
    for (const beacon of await store.list())
      if (isDead(beacon.instance)) await store.announce({ ...beacon, isWithdrawn: true });
  });
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
