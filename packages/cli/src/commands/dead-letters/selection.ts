import { parseSequenceNumber } from "../../input/parse-number.js";
import { repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** Adds the options that select dead letters: every option given must match, each with any one of its values. */
export function withSelection(command: WaybillCommand): WaybillCommand {
  return command
    .option("--reason <name>", "only with this dead-letter reason; can be repeated", repeatable(String))
    .option(
      "--message-type <name>",
      "only of this message type or subject; can be repeated",
      repeatable(String),
    )
    .option(
      "--format <name>",
      "only what this serializer reads now, or of this content type; can be repeated",
      repeatable(String),
    )
    .option(
      "--number <sequence-number>",
      "only this message; can be repeated",
      repeatable(parseSequenceNumber),
    );
}
