import { Buffer } from "node:buffer";
import { type AmqpValue, scanMessage } from "@waybill/amqp";
import type { MessageBody } from "@waybill/broker";
import type { WireDecoder } from "@waybill/broker/front-end";
import { fromAmqpProperties, fromAmqpValue } from "./application-properties.js";

/**
 * Reads messages that came over AMQP for receivers in the broker's own process. `serve` sets it; without a server it is the `wireDecoder` with
 * which to open a broker on the storage of one. Throws `AmqpDecodeError` for bytes that are no message.
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
