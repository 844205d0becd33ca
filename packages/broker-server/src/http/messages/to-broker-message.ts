import { Buffer } from "node:buffer";
import type { BrokerMessage } from "@waybill/broker";
import { HttpRefusal } from "../http-refusal.js";
import type { HttpRequest } from "../http-request.js";
import { fromBrokerProperties } from "./broker-properties.js";
import { type JsonItem, splitJsonArray } from "./split-json-array.js";
import { fromUserHeaders, fromUserJson, parseJson } from "./user-properties.js";

/** The content type of a batch. */
const batch = /^application\/vnd\.microsoft\.servicebus\.json\s*(?:;|$)/i;

/** Values in a message of a batch at any depth. More properties do not fit into its 64 KiB, if they have more than three bytes each. */
const maxValues = 10_000;

/** Whether a request sends a batch. */
export function isBatch({ headers }: HttpRequest): boolean {
  return batch.test(headers["content-type"] ?? "");
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

/** The messages of a batch, at most `maxMessages`, in slices between which `pause` is awaited. Throws an `HttpRefusal`. Source: "Send message batch". */
export async function toBrokerMessages(
  bytes: Uint8Array,
  maxMessages: number,
  pause: () => Promise<void>,
): Promise<BrokerMessage[]> {
  const messages: BrokerMessage[] = [];
  for (const item of itemsOf(bytes)) {
    if (messages.length === maxMessages) throw badCount(maxMessages);
    await pause();
    messages.push(fromItem(parseItem(item)));
  }
  if (messages.length === 0) throw badCount(maxMessages);
  return messages;
}

function* itemsOf(bytes: Uint8Array): Generator<JsonItem> {
  try {
    yield* splitJsonArray(bytes);
  } catch (error) {
    throw error instanceof SyntaxError ? badBatch() : error;
  }
}

function parseItem({ bytes, values }: JsonItem): unknown {
  if (values > maxValues)
    throw new HttpRefusal(400, `SubCode=40000. A message of a batch must have at most ${maxValues} values.`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    // The error must not quote the body.
    throw badBatch();
  }
}

function fromItem(item: unknown): BrokerMessage {
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
}

function badBatch(): HttpRefusal {
  return new HttpRefusal(400, "SubCode=40000. The body of a batch must be a JSON array of messages.");
}

function badCount(maxMessages: number): HttpRefusal {
  return new HttpRefusal(400, `SubCode=40000. A batch must have 1 to ${maxMessages} messages.`);
}

function badItem(): HttpRefusal {
  return new HttpRefusal(400, "SubCode=40000. A message of a batch must be an object whose Body is text.");
}
