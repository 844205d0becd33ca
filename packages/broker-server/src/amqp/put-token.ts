import { type AmqpValue, encodeMessage, int, stringMap } from "@waybill/amqp";
import { type Broker, BrokerError } from "@waybill/broker";
import { splitEntityPath } from "@waybill/broker/front-end";
import { textOf } from "../messages/application-properties.js";
import { parseAddress } from "../refusals/address.js";
import { AmqpRefusal, badRequest, notFound, toRefusal } from "../refusals/error.js";
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
  requireEntity(peer, audience);
}

/** Only a client with rights on it learns that an entity does not exist, and before it attaches a link. Throws `entity-not-found`. */
function requireEntity({ broker, claims }: Peer, audience: string): void {
  const address = parseAddress(audience);
  if (address === undefined || address.kind === "cbs" || address.path === "") return;
  const { entity } = splitEntityPath(address.path);
  if (!hasEntity(broker, entity) || claims.isHidden(address.path)) throw notFound(address.path);
}

function hasEntity(broker: Broker, path: string): boolean {
  try {
    broker.getEntity(path);
    return true;
  } catch (error) {
    if (error instanceof BrokerError && error.code === "entity-not-found") return false;
    throw error;
  }
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
