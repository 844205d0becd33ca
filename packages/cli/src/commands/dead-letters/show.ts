import { parseCount } from "../../input/parse-number.js";
import { brokerCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";
import { withSelection } from "./selection.js";

/** `waybill dead-letters show`: shows single messages, why they were dead-lettered and how today's chain reads them. */
export function showCommand(): WaybillCommand {
  return withSelection(brokerCommand("show"))
    .summary("show single messages: why they are there, and how today's chain reads them")
    .description(
      "Shows dead-lettered messages one by one: the reason, waybill's record of the attempts then, and how today's chain reads them.",
    )
    .argument("<entity>", "orders, events/Subscriptions/billing")
    .option("-n, --max <number>", "how many messages", parseCount, 10)
    .option("--body", "show the bodies too")
    .examples(`
  waybill dead-letters show orders --reason DeserializationFailed
  waybill dead-letters show orders --number 4711 --body

On a pipe each message is one line of JSON. Exits with 1 when one of them cannot be deserialized.`)
    .runs(async () => (await import("../../actions/dead-letters/show.js")).show);
}
