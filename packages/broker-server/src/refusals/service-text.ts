import { randomUUID } from "node:crypto";
import type { Broker, BrokerError } from "@waybill/broker";

/** Where an error occurred: the texts contain the namespace that the client connected to. */
export interface ErrorOrigin {
  readonly broker: Broker;
  /** The host name of the client's open frame. */
  readonly namespace: string;
}

const subscription = /^(.+)\/subscriptions\/([^/]+)(?:\/|$)/i;

/** A text with details that support asks for: an id of this error, its place and its time. */
export function tracked(text: string, { broker, namespace }: ErrorOrigin, entity?: string): string {
  const system = entity === undefined ? "NoSystemTracker" : `${namespace}:${entity}`;
  const timestamp = new Date(broker.clock.now()).toISOString().slice(0, 19);
  return `${text} TrackingId:${randomUUID()}_G0, SystemTracker:${system}, Timestamp:${timestamp}`;
}

/** The text of a broker error, in the service's wording where known: SDKs and users rely on it. */
export function brokerText(error: BrokerError, origin: ErrorOrigin): string {
  const { code, message, entity = "" } = error;
  switch (code) {
    case "entity-not-found":
      return `The messaging entity '${missingOf(entity, origin)}' could not be found. To know more visit https://aka.ms/sbResourceMgrExceptions. `;
    case "entity-disabled":
      return `Messaging entity '${addressOf(entity, origin)}' is currently disabled. ${message}`;
    case "message-lock-lost":
      return (
        "The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue. " +
        `For more information please see https://aka.ms/ServiceBusExceptions . Reference:${randomUUID()},`
      );
    case "session-lock-lost":
      return "The session lock has expired on the MessageSession. Accept a new MessageSession.";
    default:
      return message;
  }
}

/** The name of a missing entity: its address or, below an existing topic, the service's form for subscriptions. */
function missingOf(path: string, origin: ErrorOrigin): string {
  const match = subscription.exec(path);
  if (match === null || !hasEntity(origin.broker, match[1] ?? "")) return addressOf(path, origin);
  return `${origin.namespace.split(".")[0]}:topic:${match[1]}|${match[2]}`;
}

function hasEntity(broker: Broker, path: string): boolean {
  try {
    return broker.getEntity(path).kind === "topic";
  } catch {
    return false;
  }
}

/** The full address of an entity. */
export function addressOf(path: string, { namespace }: ErrorOrigin): string {
  return `sb://${namespace}/${path}`;
}
