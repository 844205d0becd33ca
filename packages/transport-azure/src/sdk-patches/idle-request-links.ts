import { type ManagementClient, missingMethods } from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";

/** How many entities keep their links for requests while there are none. */
const maxIdle = 100;

/**
 * Closes the links for requests, such as those to peek, that were not used for the longest time when more than a hundred are idle. The SDK opens them
 * again when they are needed. Without this patch it keeps them for every queue, subscription and sub-queue until the client is closed
 * (`@azure/service-bus` 7.9.5): a session and two links each, whose tokens are renewed. A connection to Service Bus has at most 5,000 sessions,
 * and from 1,000 on Node warns of a leak of listeners when the client is closed.
 */
export function idleRequestLinks(): SdkPatch {
  /** Those that were used last come last. */
  const idle = new Set<ManagementClient>();
  const pending = new Map<ManagementClient, number>();
  const begin = (client: ManagementClient) => {
    idle.delete(client);
    pending.set(client, (pending.get(client) ?? 0) + 1);
  };
  const end = (client: ManagementClient) => {
    const left = (pending.get(client) ?? 1) - 1;
    if (left > 0) return void pending.set(client, left);
    pending.delete(client);
    idle.add(client);
    // Who found a link open sends its request before the next turn.
    if (idle.size > maxIdle) setImmediate(closeOldest, idle);
  };
  return {
    name: "idle-request-links",
    obstacle: ({ getManagementClient }) =>
      missingMethods("connection context", { getManagementClient }, ["getManagementClient"]),
    requestLink(link, client) {
      const { sendRequest } = link;
      link.sendRequest = async function (request, options) {
        begin(client);
        try {
          return await sendRequest.call(this, request, options);
        } finally {
          end(client);
        }
      };
    },
  };
}

function closeOldest(idle: Set<ManagementClient>): void {
  for (const client of idle) {
    if (idle.size <= maxIdle) return;
    idle.delete(client);
    // The SDK logs why a link could not be closed in order; it is gone all the same.
    client.close().catch(() => {});
  }
}
