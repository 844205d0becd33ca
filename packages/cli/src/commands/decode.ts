import { chainCommand, withLabels } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill decode`: reads one body with the chain. */
export function decodeCommand(): WaybillCommand {
  return withLabels(chainCommand("decode"))
    .summary("read one body and show what read it")
    .description(
      "Reads one body with the chain: its value, the serializer that read it, the attempts before, and where the body probably comes from.",
    )
    .argument("[file]", "the body; default: the standard input")
    .examples(`
  waybill decode body.bin
  waybill decode body.bin --content-type application/json --subject order-placed -p messageVersion=1
  curl -s https://example.com/order | waybill decode --json | jq .value

Exits with 1 when the body cannot be deserialized.`)
    .runs(async () => (await import("../actions/decode.js")).decode);
}
