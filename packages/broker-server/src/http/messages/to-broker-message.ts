import { Buffer } from "node:buffer";
import type { BrokerMessage } from "@waybill/broker";
import { HttpRefusal } from "../http-refusal.js";
import type { HttpRequest } from "../http-request.js";
import { fromBrokerProperties } from "./broker-properties.js";
import { fromUserHeaders, fromUserJson, parseJson } from "./user-properties.js";

/** The content type of a batch. */
const BATCH = /^application\/vnd\.microsoft\.servicebus\.json\s*(?:;|$)/i;

/** Whether a request sends a batch. */
export function isBatch({ headers }: HttpRequest): boolean {
  return BATCH.test(headers["content-type"] ?? "");
}

/** The message in a request. Throws an `HttpRefusal`. Source: "Send message". */
export function toBrokerMessage({ headers, rawHeaders }: HttpRequest, bytes: Uint8Array): BrokerMessage {
  const { brokerproperties } = headers;
  const properties =
    brokerproperties === undefined
      ? {}
      : fromBrokerProperties(parseJson(brokerproperties, "BrokerProperties"));
  return {
    ...properties,
    contentType: headers["content-type"] ?? properties.contentType,
    applicationProperties: fromUserHeaders(rawHeaders),
    body: { section: "data", bytes },
  };
}

/** The messages of a batch, at most `maxMessages`. Throws an `HttpRefusal`. Source: "Send message batch". */
export function toBrokerMessages(bytes: Uint8Array, maxMessages: number): BrokerMessage[] {
  const items = parseBatch(bytes);
  if (items.length === 0 || items.length > maxMessages)
    throw new HttpRefusal(400, `SubCode=40000. A batch must have 1 to ${maxMessages} messages.`);
  return items.map((item) => {
    if (typeof item !== "object" || item === null) throw badItem();
    const { Body, BrokerProperties, UserProperties } = item as Readonly<Record<string, unknown>>;
    if (Body !== undefined && Body !== null && typeof Body !== "string") throw badItem();
    return {
      ...(BrokerProperties !== undefined &&
        BrokerProperties !== null &&
        fromBrokerProperties(BrokerProperties)),
      ...(UserProperties !== undefined &&
        UserProperties !== null && { applicationProperties: fromUserJson(UserProperties) }),
      body: { section: "data", bytes: Buffer.from(Body ?? "") },
    };
  });
}

function parseBatch(bytes: Uint8Array): unknown[] {
  try {
    const json: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (Array.isArray(json)) return json;
  } catch {
    // The error below must not quote the body.
  }
  throw new HttpRefusal(400, "SubCode=40000. The body of a batch must be a JSON array of messages.");
}

function badItem(): HttpRefusal {
  return new HttpRefusal(400, "SubCode=40000. A message of a batch must be an object whose Body is text.");
}
