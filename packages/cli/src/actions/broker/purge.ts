import { type Broker, openBroker } from "@waybill/broker";
import { decodeWire } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { controlRequest } from "../../broker-host/control-request.js";
import { onlyStore } from "../../connection/data-directory.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";

/** Which broker to empty. */
export interface EmptyOptions {
  readonly data?: string;
  readonly managementPort?: number;
}

export async function purge(entity: string, { data, managementPort }: EmptyOptions): Promise<ExitCode> {
  const count =
    data === undefined
      ? ((await controlRequest("purge", entity, managementPort)) as { readonly purged: number }).purged
      : await withBroker(data, (broker) => broker.purge(entity));
  process.stdout.write(`${count} removed\n`);
  return exitCodes.ok;
}

export async function reset(
  entity: string | undefined,
  { data, managementPort }: EmptyOptions,
): Promise<ExitCode> {
  if (data === undefined) await controlRequest("reset", entity, managementPort);
  else await withBroker(data, (broker) => broker.reset(entity));
  process.stdout.write("emptied\n");
  return exitCodes.ok;
}

async function withBroker<Answer>(
  directory: string,
  work: (broker: Broker) => Promise<Answer>,
): Promise<Answer> {
  const storage = await openDurableStorage(onlyStore(directory), { mustExist: true });
  await using broker = await openBroker({ storage, wireDecoder: decodeWire });
  return await work(broker);
}
