import { Buffer } from "node:buffer";
import { encodeMessage } from "@waybill/amqp";
import type { BrokerReceivedMessage, MessageBody } from "@waybill/broker";
import { toAmqpBody } from "../../messages/from-broker-message.js";
import type { HttpResponse } from "../http-request.js";
import { toBrokerProperties } from "./broker-properties.js";
import { toUserHeaders } from "./user-properties.js";

/** The header with the AMQP section of a body other than data. */
const sectionHeader = "x-ms-waybill-body-section";

/** A received message as a response; `location` is the URL of its lock. */
export function fromBrokerMessage(
  message: BrokerReceivedMessage,
  status: number,
  location?: string,
): HttpResponse {
  const { contentType, applicationProperties, body } = message;
  const headers: [string, string][] = [["BrokerProperties", toBrokerProperties(message)]];
  if (location !== undefined) headers.push(["Location", location]);
  // Headers cannot contain line breaks or non-ASCII characters.
  if (contentType !== undefined) headers.push(["Content-Type", contentType.replace(/[^\x20-\x7e]/g, "?")]);
  if (body.section !== "data") headers.push([sectionHeader, body.section]);
  return { status, headers: [...headers, ...toUserHeaders(applicationProperties)], body: toBytes(body) };
}

/** Binary and strings of a value body are sent unchanged; other values, and sequences, in AMQP encoding. */
function toBytes(body: MessageBody): Uint8Array {
  if (body.section === "data") return body.bytes;
  if (body.section === "value" && typeof body.value === "string") return Buffer.from(body.value);
  if (body.section === "value" && body.value instanceof Uint8Array) return body.value;
  return encodeMessage({ body: toAmqpBody(body) });
}
