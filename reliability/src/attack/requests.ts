import { createHmac } from "node:crypto";
import { type AmqpValue, encodeMessage, int, stringMap } from "@waybill/amqp";
import { type KeyName, keys } from "./keys.js";

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

/** A request to `$cbs` with a valid token for an entity, which expires after the given time. */
export function putToken(name: KeyName, entity: string, expiresInS: number): Uint8Array {
  const audience = `sb://localhost/${entity}`;
  const token = tokenFor(name, audience, expiresInS);
  return encodeMessage({
    properties: { messageId: "m", replyTo: "none" },
    applicationProperties: stringMap({
      operation: "put-token",
      type: "servicebus.windows.net:sastoken",
      name: audience,
    }),
    body: { kind: "value", value: token },
  });
}

/** A token of a key for a resource. */
export function tokenFor(name: KeyName, audience: string, expiresInS: number): string {
  const resource = encodeURIComponent(audience);
  const expiry = Math.floor(Date.now() / 1000) + expiresInS;
  const { name: keyName, key } = keys[name];
  const signature = createHmac("sha256", key).update(`${resource}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${keyName}`;
}
