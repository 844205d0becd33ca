import { parseCount } from "../input/parse-number.js";
import { chainCommand, withLabels } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill transcode`: writes a body in another format. */
export function transcodeCommand(): WaybillCommand {
  return withLabels(chainCommand("transcode"))
    .summary("write one body in another format or version")
    .description(
      "Reads one body with the chain and writes it in the main serializer's format and the current version, or as the options say. Its new properties are written to " +
        "the standard error. To transcode messages, see: waybill dead-letters repair --transcode.",
    )
    .argument("[file]", "the body; default: the standard input")
    .option("--as <serializer>", "the serializer that writes, by its name; default: the main one")
    .option(
      "--to-version <number>",
      "the version to write, if there are downcasters to it; default: the current one",
      parseCount,
    )
    .option("-o, --out <file>", "where to write; default: the standard output")
    .examples(`
  waybill transcode order.json --as msgpack --out order.msgpack
  waybill transcode order.avro --content-type avro/binary --subject order-placed --as json | jq .

Exits with 1 when the body cannot be deserialized.`)
    .runs(async () => (await import("../actions/transcode.js")).transcode);
}
