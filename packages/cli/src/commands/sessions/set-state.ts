import { Option } from "commander";
import { brokerCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill sessions set-state`: sets or clears the state of a session. */
export function setStateCommand(): WaybillCommand {
  return brokerCommand("set-state")
    .summary("set or clear the state of a session")
    .description(
      "Sets the state of a session, which is given as JSON and written in the format of the chain's main serializer. Nobody else may hold the session.",
    )
    .argument("<entity>", "billing, events/Subscriptions/billing")
    .argument("<session-id>", "the session")
    .argument("[file]", "the state as JSON; default: the standard input")
    .option("-b, --body <json>", "the state, instead of a file")
    .addOption(new Option("--clear", "remove the state").conflicts("body"))
    .examples(`
  waybill sessions set-state billing customer-7 --body '{"step":2}'
  waybill sessions set-state billing customer-7 --clear`)
    .runs(async () => (await import("../../actions/sessions/set-state.js")).setState);
}
