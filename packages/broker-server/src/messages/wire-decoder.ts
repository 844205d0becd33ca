import { Buffer } from "node:buffer";
import { type AmqpValue, scanMessage } from "@waybill/amqp";
import type { MessageBody } from "@waybill/broker";
import type { WireDecoder } from "@waybill/broker/front-end";
import { fromAmqpProperties, fromAmqpValue } from "./application-properties.js";

/**
 * Decodes messages received over AMQP for receivers in the broker's own process. `serve` sets it; without a server, pass it as
 * `wireDecoder` when opening a broker on the storage of a served one. Throws `AmqpDecodeError` for malformed bytes.
 */
export const decodeWire: WireDecoder = (wire) => {
  const sections = scanMessage(wire);
  return {
    applicationProperties: fromAmqpProperties(sections.decodeApplicationProperties()),
    body: toBody(sections.bodyKind, sections.decodeBody()),
  };
};

function toBody(kind: string, values: readonly AmqpValue[]): MessageBody {
  if (kind === "value") return { section: "value", value: fromAmqpValue(values[0] ?? null) };
  if (kind === "sequence")
    return { section: "sequence", value: values.flatMap((list) => fromAmqpValue(list)) };
  return { section: "data", bytes: Buffer.concat(values.filter((value) => value instanceof Uint8Array)) };
}
