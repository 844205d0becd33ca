import { type AmqpValue, encodeMessage, int, stringMap } from "@waybill/amqp";
import { textOf } from "../messages/application-properties.js";
import { AmqpRefusal, badRequest, toRefusal } from "../refusals/error.js";
import type { NodeRequest } from "./node-request.js";
import type { Peer } from "./peer.js";

/**
 * Handles a request to `$cbs`, whose only operation is put-token. Its status keys are spelled with hyphens, unlike in management responses.
 */
export async function putToken(peer: Peer, request: NodeRequest, messageId: AmqpValue): Promise<Uint8Array> {
  try {
    take(peer, request);
    return encode(messageId, 202, "Accepted");
  } catch (error) {
    const { statusCode, description, condition } = toRefusal(error, peer);
    return encode(messageId, statusCode, description, condition);
  }
}

function take(peer: Peer, { applicationProperties, body }: NodeRequest): void {
  const operation = textOf(applicationProperties?.get("operation"));
  if (operation !== "put-token") {
    throw new AmqpRefusal(
      "amqp:not-implemented",
      `$cbs does not know the operation '${operation ?? ""}'.`,
      501,
    );
  }
  const audience = textOf(applicationProperties?.get("name"));
  if (audience === undefined) throw badRequest("put-token has no application property 'name'.");
  peer.claims.putToken(typeof body === "string" ? body : "", audience);
}

function encode(
  correlationId: AmqpValue,
  status: number,
  description: string,
  condition?: string,
): Uint8Array {
  return encodeMessage({
    properties: { correlationId },
    applicationProperties: stringMap({
      "status-code": int(status),
      "status-description": description,
      ...(condition !== undefined && { "error-condition": condition }),
    }),
    body: { kind: "value", value: null },
  });
}
