import { WaybillError } from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import { UsageError } from "../errors/usage-error.js";
import type { BrokerContext } from "./action-context.js";

const sessionHint =
  "Name a session with --session-id ID, or take the next one that has messages with --next-session.";

/** A session that no sender names. */
const unusedSession = "waybill receive: are there sessions?";

/** Recognises the error of Service Bus and of the local broker. */
export function withSessionHint(error: unknown): unknown {
  if (!(error instanceof WaybillError) || !/requires sessions/i.test(error.message)) return error;
  return new UsageError(`${error.message}\n${sessionHint}`);
}

/** Throws `UsageError` for an entity with sessions. Peeking does not tell while it is empty; that a session can be accepted does, and uses no delivery. */
export async function refuseSessions(
  { transport, abortSignal }: BrokerContext,
  address: EntityAddress,
): Promise<void> {
  const session = await transport
    .acceptSession(address, unusedSession, { receiveMode: "peekLock", maxWaitTimeInMs: 0, abortSignal })
    .catch(() => undefined);
  if (session === undefined) return;
  await session.close();
  throw new UsageError(`${session.entityPath} requires sessions.\n${sessionHint}`);
}
