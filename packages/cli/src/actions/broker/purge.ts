import { createInterface } from "node:readline/promises";
import { type Broker, openBroker } from "@waybill/broker";
import { decodeWire } from "@waybill/broker-server/stored-messages";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { controlRequest } from "../../broker-host/control-request.js";
import { onlyStore } from "../../connection/data-directory.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";

/** Which broker to empty. */
export interface EmptyOptions {
  readonly data?: string;
  readonly managementPort?: number;
}

/** Which broker to empty, and whether all of it. */
export interface ResetOptions extends EmptyOptions {
  readonly all?: boolean;
}

export async function purge(entity: string, { data, managementPort }: EmptyOptions): Promise<ExitCode> {
  if (entity === "") throw new UsageError("Name the entity to empty. Nothing was changed.");
  const count =
    data === undefined
      ? ((await controlRequest("purge", entity, managementPort)) as { readonly purged: number }).purged
      : await withBroker(data, (broker) => broker.purge(entity));
  process.stdout.write(`${count} removed\n`);
  return exitCodes.ok;
}

export async function reset(
  entity: string | undefined,
  { data, managementPort, all = false }: ResetOptions,
): Promise<ExitCode> {
  // A script with an empty variable must not empty everything.
  if (entity === "" || (entity === undefined && !all && !(await isMeant())))
    throw new UsageError("Name the entity to empty, or give --all for every entity. Nothing was changed.");
  if (entity !== undefined && all) throw new UsageError("Give an entity or --all, not both.");
  if (data === undefined) await controlRequest("reset", entity, managementPort);
  else await withBroker(data, (broker) => broker.reset(entity));
  process.stdout.write("emptied\n");
  return exitCodes.ok;
}

/** Asks on a terminal. */
async function isMeant(): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question("Empty every entity? [y/N] ")).trim());
  } finally {
    lines.close();
  }
}

async function withBroker<Answer>(
  directory: string,
  work: (broker: Broker) => Promise<Answer>,
): Promise<Answer> {
  const storage = await openDurableStorage(onlyStore(directory), { mustExist: true });
  await using broker = await openBroker({ storage, wireDecoder: decodeWire });
  return await work(broker);
}
