import { brokerCommand, withListTimeout } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill dead-letters list`: groups dead letters by cause, and shows how today's chain reads them. */
export function listCommand(): WaybillCommand {
  return withListTimeout(brokerCommand("list"))
    .summary("group dead letters by cause, with what would read them now")
    .description(
      "Groups dead-lettered messages by reason, content type, type and version, and shows which serializer would read them now. Changes nothing.",
    )
    .argument(
      "[entities...]",
      "queues and topic/Subscriptions/name; default: every entity, which needs the Manage claim on Azure",
    )
    .examples(`
  waybill dead-letters list
  waybill dead-letters list orders events/Subscriptions/billing --json | jq '.[].decodable'

Exits with 1 when some of them cannot be deserialized.`)
    .runs(async () => (await import("../../actions/dead-letters/list.js")).list);
}
