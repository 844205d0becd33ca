import { chainCommand } from "./common-options.js";
import type { WaybillCommand } from "./waybill-command.js";

/** `waybill types`: TypeScript types from the schemas of message types. */
export function typesCommand(): WaybillCommand {
  return chainCommand("types")
    .summary("write TypeScript types of the message types")
    .description(
      "Writes the TypeScript type of every version of every message type from its Avro, JSON or Protobuf schema, exactly as the serializers deliver values: bigint for " +
        "64 bits, Date for timestamps, texts for decimals, Uint8Array for bytes. Give them to defineMessage: body: bodyType<OrderPlacedV2>().",
    )
    .argument("<file>", "the file to write")
    .option("--check", "write nothing; exit with 1 if the file is not up to date")
    .examples(`
  waybill types src/message-types.ts
  waybill types src/message-types.ts --check     in CI`)
    .runs(async () => (await import("../actions/types.js")).types);
}
