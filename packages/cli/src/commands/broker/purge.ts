import { withManagementPort } from "../common-options.js";
import { WaybillCommand } from "../waybill-command.js";

const where =
  "The broker is the running one of SERVICEBUS_CONNECTION_STRING, or one that is stopped, by its --data directory.";

/** `waybill broker purge`: removes all messages of one queue. */
export function purgeCommand(): WaybillCommand {
  return withManagementPort(new WaybillCommand("purge"))
    .summary("remove every message of a queue or subscription")
    .description(
      `Removes every message of a queue, a subscription or one of their sub-queues, locked, scheduled and deferred ones too. ${where}`,
    )
    .argument("<entity>", "orders, events/Subscriptions/billing, orders/$DeadLetterQueue")
    .option("-d, --data <directory>", "the data directory of a broker that is stopped")
    .runs(async () => (await import("../../actions/broker/purge.js")).purge);
}

/** `waybill broker reset`: empties one entity with its sub-queues, subscriptions and sessions, or all entities. */
export function resetCommand(): WaybillCommand {
  return withManagementPort(new WaybillCommand("reset"))
    .summary("empty an entity with its sub-queues, subscriptions and sessions, or all entities")
    .description(
      `Removes every message of an entity, its sub-queues and subscriptions, its sessions and its history of duplicate detection. Keeps entities and rules. ${where}`,
    )
    .argument("[entity]", "a queue, topic or topic/Subscriptions/name; without one it asks, or needs --all")
    .option("--all", "empty every entity, without asking")
    .option("-d, --data <directory>", "the data directory of a broker that is stopped")
    .runs(async () => (await import("../../actions/broker/purge.js")).reset);
}
