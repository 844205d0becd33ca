import { onAbort } from "@waybill/foundation";
import type {
  EntityAddress,
  Transport,
  TransportAcceptSessionOptions,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import { closedError, type OpenParts } from "./open-parts.js";

/** Locks a session, unless the client closes before; closing waits until no session can be accepted any more. */
export async function acceptSession(
  transport: Transport,
  parts: OpenParts,
  address: EntityAddress,
  sessionId: string | undefined,
  { abortSignal, ...options }: TransportAcceptSessionOptions,
): Promise<TransportSessionReceiver> {
  const aborting = new AbortController();
  const abort = () => aborting.abort();
  const stopListening = onAbort(abortSignal, abort);
  const accept = async () => {
    const accepting = { ...options, abortSignal: aborting.signal };
    const session = await transport.acceptSession(address, sessionId, accepting);
    if (!parts.isClosed) return session;
    await session.close();
    throw closedError();
  };
  const accepted = accept();
  const part = parts.add({
    async close() {
      abort();
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
