import { parseSequenceNumber } from "../../input/parse-number.js";
import { brokerCommand, repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill scheduled cancel`: cancels scheduled messages. */
export function cancelCommand(): WaybillCommand {
  return brokerCommand("cancel")
    .summary("cancel scheduled messages")
    .description(
      "Removes scheduled messages of a queue or a topic before they become visible: all that are named, or none if one of them is not scheduled any more.",
    )
    .argument("<queue-or-topic>", "orders, events")
    .argument(
      "<numbers...>",
      "their sequence numbers, as `waybill scheduled list` shows them",
      repeatable(parseSequenceNumber),
    )
    .examples(`
  waybill scheduled cancel orders 23 24`)
    .runs(async () => (await import("../../actions/scheduled/cancel.js")).cancel);
}
