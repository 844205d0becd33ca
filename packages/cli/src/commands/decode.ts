import type { Command } from "commander";
import { chainCommand, withLabels } from "./common-options.js";
import { exiting } from "./exiting.js";

/** `waybill decode`: reads one body with the chain. */
export function decodeCommand(): Command {
  return withLabels(chainCommand("decode"))
    .summary("read one body and show what read it")
    .description(
      "Reads one body with the chain: its value, the serializer that read it, the attempts before, and where the body probably comes from.",
    )
    .argument("[file]", "the body; default: the standard input")
    .addHelpText(
      "after",
      `
Examples:
  waybill decode body.bin
  waybill decode body.bin --content-type application/json --subject order-placed -p messageVersion=1
  curl -s https://example.com/order | waybill decode --json | jq .value

Exits with 1 when the body cannot be deserialized.`,
    )
    .action(exiting(async () => (await import("../actions/decode.js")).decode));
}
