import { type Broker, openBroker } from "@waybill/broker";
import { decodeWire } from "@waybill/broker-server";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { Command } from "commander";
import { controlRequest } from "../../broker-host/control-request.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { exiting } from "../common-options.js";

interface EmptyOptions {
  readonly data?: string;
}

const WHERE =
  "The broker is the running one of SERVICEBUS_CONNECTION_STRING, or one that is stopped, by its --data directory.";

/** `waybill broker purge`: removes all messages of one queue. */
export function purgeCommand(): Command {
  return new Command("purge")
    .summary("remove every message of a queue or subscription")
    .description(
      `Removes every message of a queue, a subscription or one of their sub-queues, locked, scheduled and deferred ones too. ${WHERE}`,
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, orders/$DeadLetterQueue")
    .option("-d, --data <directory>", "the data directory of a broker that is stopped")
    .action(exiting(purge));
}

/** `waybill broker reset`: empties one entity with all that belongs to it, or all. */
export function resetCommand(): Command {
  return new Command("reset")
    .summary("empty an entity with all that belongs to it, or all entities")
    .description(
      `Removes every message of an entity, its sub-queues and subscriptions, its sessions and what it remembers of duplicates. Entities and rules stay. ${WHERE}`,
    )
    .argument("[entity]", "a queue, topic or topic/Subscriptions/name; default: all")
    .option("-d, --data <directory>", "the data directory of a broker that is stopped")
    .action(exiting(reset));
}

async function purge(entity: string, { data }: EmptyOptions): Promise<ExitCode> {
  const count =
    data === undefined
      ? ((await controlRequest("purge", entity)) as { readonly purged: number }).purged
      : await withBroker(data, (broker) => broker.purge(entity));
  process.stdout.write(`${count} removed\n`);
  return exitCodes.ok;
}

async function reset(entity: string | undefined, { data }: EmptyOptions): Promise<ExitCode> {
  if (data === undefined) await controlRequest("reset", entity);
  else await withBroker(data, (broker) => broker.reset(entity));
  process.stdout.write("emptied\n");
  return exitCodes.ok;
}

async function withBroker<Answer>(
  directory: string,
  work: (broker: Broker) => Promise<Answer>,
): Promise<Answer> {
  const storage = await openDurableStorage(directory, { mustExist: true });
  await using broker = await openBroker({ storage, wireDecoder: decodeWire });
  return await work(broker);
}
