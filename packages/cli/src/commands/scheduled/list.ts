import { parseCount } from "../../input/parse-number.js";
import { brokerCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill scheduled list`: shows scheduled messages. */
export function listCommand(): WaybillCommand {
  return brokerCommand("list")
    .summary("show scheduled messages")
    .description(
      "Shows the scheduled messages of a queue or a topic, with the instant at which each becomes visible. Changes nothing.",
    )
    .argument("<queue-or-topic>", "orders, events")
    .option("-n, --max <number>", "how many messages", parseCount, 100)
    .option("--body", "show the bodies too")
    .examples(`
  waybill scheduled list orders
  waybill scheduled list events --json | jq -r .sequenceNumber

Exits with 1 when one of them cannot be deserialized.`)
    .runs(async () => (await import("../../actions/scheduled/list.js")).list);
}
