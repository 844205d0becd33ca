import { type EntityAddress, entityPathOf, type TransportListSessionsOptions } from "@waybill/core/transport";
import type { ServiceBusCallOptions, ServiceBusClientLike } from "../sdk/service-bus-client.js";

/** Lists a page of an entity's sessions through the SDK. */
export type SessionLister = (
  address: EntityAddress,
  options: TransportListSessionsOptions,
) => Promise<string[]>;

/** The client for an entity's management node; private in the SDK. */
interface ManagementClientLike {
  listMessageSessions(
    skip: number,
    top: number,
    lastUpdatedTime: Date,
    options?: ServiceBusCallOptions,
  ): Promise<string[]>;
}

interface ClientInside {
  readonly _connectionContext?: { getManagementClient?(entityPath: string): Partial<ManagementClientLike> };
}

/** With .NET's maximum date, the service lists the sessions that have messages, regardless of when their state was set. */
const sessionsWithMessages = new Date(Date.UTC(9999, 11, 31, 23, 59, 59, 999));

/**
 * How to list sessions with this client: by its own `listMessageSessions` (later versions), else by the same method of its management
 * client, which 7.9.5 and 7.10.0-beta.2 keep private. Undefined if neither exists.
 */
export function sessionLister(client: ServiceBusClientLike): SessionLister | undefined {
  if (typeof client.listMessageSessions === "function") return (...call) => listPublicly(client, ...call);
  const { _connectionContext: context } = client as ClientInside;
  if (typeof context?.getManagementClient !== "function") return undefined;
  return async (address, { updatedAfter = sessionsWithMessages, skip, top, abortSignal }) => {
    const management = context.getManagementClient?.(entityPathOf(address));
    if (typeof management?.listMessageSessions !== "function") {
      throw new TypeError("This version of @azure/service-bus cannot list sessions.");
    }
    const options = abortSignal === undefined ? {} : { abortSignal };
    return management.listMessageSessions(skip, top, updatedAfter, options);
  };
}

async function listPublicly(
  client: ServiceBusClientLike,
  address: EntityAddress,
  { updatedAfter, skip, top, abortSignal }: TransportListSessionsOptions,
): Promise<string[]> {
  const options = {
    ...(updatedAfter !== undefined && { sessionStateUpdatedAfter: updatedAfter }),
    ...(abortSignal !== undefined && { abortSignal }),
  };
  const sessions =
    "queue" in address
      ? client.listMessageSessions?.(address.queue, options)
      : client.listMessageSessions?.(address.topic, address.subscription, options);
  const ids: string[] = [];
  let passed = 0;
  for await (const id of sessions ?? []) {
    if (passed++ >= skip) ids.push(id);
    if (ids.length >= top) break;
  }
  return ids;
}
