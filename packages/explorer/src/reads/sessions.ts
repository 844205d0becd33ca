import { WaybillClient, WaybillError } from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import type { ExplorerContext } from "../options/explorer-options.js";
import { valueTree } from "../values/value-tree.js";
import { RequestError } from "../wire/request-error.js";

/** The sessions of an entity that have messages. */
export type SessionList = Awaited<ReturnType<typeof listSessions>>;

/** The state of a session, read by the chain. */
export type SessionStateView = Awaited<ReturnType<typeof readSessionState>>;

const pageSize = 100;

/** Lists a page of sessions from `skip` on, if the broker can list them. */
export async function listSessions(
  { transport }: ExplorerContext,
  address: EntityAddress,
  skip: number,
  abortSignal?: AbortSignal,
) {
  if (transport.listSessions === undefined) return { isSupported: false, sessions: [] };
  const sessions = await transport.listSessions(address, { skip, top: pageSize, abortSignal });
  return { isSupported: true, sessions };
}

/** Reads the state of a session. Locks the session for that moment, which Service Bus requires. */
export async function readSessionState(
  { transport, pipeline }: ExplorerContext,
  address: EntityAddress,
  sessionId: string,
) {
  if (address.subQueue !== undefined) throw new RequestError(400, "A dead-letter queue has no sessions.");
  await using client = new WaybillClient(transport, { pipeline });
  try {
    const options = { maxWaitTimeInMs: 2_000 };
    await using receiver =
      "queue" in address
        ? await client.acceptSession(address.queue, sessionId, options)
        : await client.acceptSession(address.topic, address.subscription, sessionId, options);
    const state = await receiver.getSessionState();
    return { sessionId, hasState: state !== undefined, value: valueTree(state), problem: undefined };
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
    // The session is locked by another receiver, or the chain cannot read the state.
    return { sessionId, hasState: true, value: undefined, problem: error.text };
  }
}
