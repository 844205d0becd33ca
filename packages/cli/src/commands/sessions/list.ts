import { parseInstant } from "../../input/parse-duration.js";
import { brokerCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill sessions list`: lists sessions. */
export function listCommand(): WaybillCommand {
  return brokerCommand("list")
    .summary("list sessions")
    .description(
      "Lists the ids of the sessions of an entity that have messages, sorted. Locks and changes nothing.",
    )
    .argument("<entity>", "billing, events/Subscriptions/billing")
    .option(
      "--state-set-after <instant>",
      "instead those whose state was set after this instant: 2026-11-05T12:00:00Z",
      parseInstant,
    )
    .examples(`
  waybill sessions list billing
  waybill sessions list billing --state-set-after 2026-11-05T12:00:00Z`)
    .runs(async () => (await import("../../actions/sessions/list.js")).list);
}
