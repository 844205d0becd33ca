import { brokerCommand } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill sessions state`: shows the state of a session. */
export function stateCommand(): WaybillCommand {
  return brokerCommand("state")
    .summary("show the state of a session")
    .description(
      "Shows the state of a session as the chain reads it. Service Bus requires the lock of the session, so nobody else may hold it at that moment.",
    )
    .argument("<entity>", "billing, events/Subscriptions/billing")
    .argument("<session-id>", "the session")
    .option("--raw", "write its bytes as they are on the broker")
    .examples(`
  waybill sessions state billing customer-7
  waybill sessions state billing customer-7 --raw > state.bin

Exits with 1 when the session has no state, or one that cannot be deserialized.`)
    .runs(async () => (await import("../../actions/sessions/state.js")).state);
}
