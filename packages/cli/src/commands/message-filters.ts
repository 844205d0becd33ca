import { Option } from "commander";
import { repeatable } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** Adds the options that leave messages out by their content; a message must meet all that are given. */
export function withContentFilters(command: WaybillCommand): WaybillCommand {
  return command
    .option(
      "--where <property[=value]>",
      "a property such as subject, sessionId or contentType, or an application property; can be repeated",
      repeatable(String),
    )
    .option("--reason <text>", "the dead-letter reason, or why the message cannot be deserialized")
    .option(
      "--text <text>",
      "a part of a text anywhere in a message, in any letter case; or a regular expression: /…/",
    )
    .option(
      "--path <path[=value]>",
      "a JSON path into the decoded body: '$.customer.id=7', '$.lines[*].sku'",
    );
}

/** Adds the options that leave messages out. */
export function withFilters(command: WaybillCommand): WaybillCommand {
  return withContentFilters(command)
    .addOption(new Option("--state <state>", "its state").choices(["active", "deferred", "scheduled"]))
    .option("--undeserializable", "only what cannot be deserialized");
}
