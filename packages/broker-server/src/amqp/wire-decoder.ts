import { Buffer } from "node:buffer";
import { AmqpMap, type AmqpValue, isTyped, scanMessage } from "@waybill/amqp";
import type { MessageBody, WireDecoder } from "@waybill/broker";
import { fromAmqpProperties, fromAmqpValue, keyText } from "./application-properties.js";

/** Reads messages that came over AMQP for receivers in the broker's own process. */
export const decodeWire: WireDecoder = (wire) => {
  const sections = scanMessage(wire);
  return {
    applicationProperties: fromAmqpProperties(sections.decodeApplicationProperties()),
    body: toBody(sections.bodyKind, sections.decodeBody()),
  };
};

function toBody(kind: string, values: readonly AmqpValue[]): MessageBody {
  if (kind === "value") return { section: "value", value: toGraph(values[0] ?? null) };
  if (kind === "sequence") return { section: "sequence", value: values.flatMap((list) => toGraph(list)) };
  return { section: "data", bytes: Buffer.concat(values.filter((value) => value instanceof Uint8Array)) };
}

/** Maps become objects when their keys are text, else `Map`s. Depth is bounded by the decoder. */
function toGraph(value: AmqpValue): unknown {
  if (Array.isArray(value)) return value.map(toGraph);
  if (value instanceof AmqpMap) return toObject(value);
  if (isTyped(value) && value.type === "array") return value.values.map(toGraph);
  return fromAmqpValue(value);
}

function toObject(map: AmqpMap): unknown {
  if (map.entries.some(([key]) => keyText(key) === undefined)) {
    return new Map(map.entries.map(([key, value]) => [toGraph(key), toGraph(value)]));
  }
  // fromEntries defines own properties, so a key named __proto__ stays an ordinary key.
  return Object.fromEntries(map.entries.map(([key, value]) => [keyText(key)!, toGraph(value)]));
}
