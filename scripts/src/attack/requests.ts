import { type AmqpValue, encodeMessage, int, stringMap } from "@waybill/amqp";

/** A request to a management node. Numbers are ints. */
export function request(
  operation: string,
  body: Readonly<Record<string, AmqpValue>>,
  replyTo: string,
): Uint8Array {
  const entries = Object.entries(body).map(
    ([name, value]) => [name, typeof value === "number" ? int(value) : value] as const,
  );
  return encodeMessage({
    properties: { messageId: "m", replyTo },
    applicationProperties: stringMap({ operation }),
    body: { kind: "value", value: stringMap(Object.fromEntries(entries)) },
  });
}
