import type {
  AcceptSessionOptions,
  EntityAddress,
  Transport,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import { onAbort } from "../foundation/abort-signals.js";
import { closedError, type OpenParts } from "./open-parts.js";

/** Locks a session, unless the client is closed before; that waits until no session can come any more. */
export async function acceptSession(
  transport: Transport,
  parts: OpenParts,
  address: EntityAddress,
  sessionId: string | undefined,
  { abortSignal, ...options }: AcceptSessionOptions,
): Promise<TransportSessionReceiver> {
  const givingUp = new AbortController();
  const giveUp = () => givingUp.abort();
  const stopListening = onAbort(abortSignal, giveUp);
  const accept = async () => {
    const accepting = { ...options, abortSignal: givingUp.signal };
    const session = await transport.acceptSession(address, sessionId, accepting);
    if (!parts.isClosed) return session;
    await session.close();
    throw closedError();
  };
  const accepted = accept();
  const part = parts.add({
    async close() {
      giveUp();
      await accepted.catch(() => {});
    },
  });
  try {
    return await accepted;
  } catch (error) {
    throw parts.isClosed ? closedError() : error;
  } finally {
    parts.forget(part);
    stopListening();
  }
}
