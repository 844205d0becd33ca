import { Option } from "commander";
import { parseDuration } from "../input/parse-duration.js";
import { withManagementPort } from "./common-options.js";
import { WaybillCommand } from "./waybill-command.js";

/** `waybill token`: a shared access signature for HTTP requests. */
export function tokenCommand(): WaybillCommand {
  return withManagementPort(new WaybillCommand("token"))
    .summary("make a token for requests with curl")
    .description(
      "Writes a shared access signature for the namespace of SERVICEBUS_CONNECTION_STRING, or for one of its entities: the value of the Authorization " +
        "header. Whoever has it has the rights of the key until it expires. Sends nothing.",
    )
    .argument("[entity]", "orders, events/Subscriptions/billing; default: the whole namespace")
    .addOption(
      new Option("--expires-in <duration>", "how long it is valid")
        .argParser(parseDuration)
        .default(3_600_000, "1h"),
    )
    .option("--url", "write the address of the entity before it, in a line of its own")
    .examples(`
  waybill token orders --expires-in 10m
  waybill token orders --url`)
    .runs(async () => (await import("../actions/token.js")).token);
}
