import type { CallOptions, EntityAddress, Transport } from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";

/** Which sessions to list. */
export interface ListSessionsOptions extends CallOptions {
  /** Only sessions whose state was set after this instant. Default: the sessions that have messages. */
  readonly updatedAfter?: Date | undefined;
}

const pageSize = 100;

/**
 * Lists the ids of an entity's sessions page by page; sessions that are created or deleted meanwhile may be missing or listed twice.
 * `requireOpen` throws when the client is closed.
 */
export async function* listSessions(
  transport: Transport,
  address: EntityAddress,
  requireOpen: () => void,
  { updatedAfter, abortSignal }: ListSessionsOptions = {},
): AsyncGenerator<string, void, undefined> {
  if (!transport.capabilities.has("sessionEnumeration") || transport.listSessions === undefined) {
    throw new WaybillError(
      "not-supported",
      "This transport cannot list sessions: it lacks the capability sessionEnumeration.",
      { entityPath: "queue" in address ? address.queue : address.topic },
    );
  }
  for (let skip = 0; ; skip += pageSize) {
    requireOpen();
    const ids = await transport.listSessions(address, { updatedAfter, skip, top: pageSize, abortSignal });
    yield* ids;
    if (ids.length < pageSize) return;
  }
}
