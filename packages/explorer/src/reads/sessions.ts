import { WaybillClient, WaybillError } from "@waybill/core";
import type { EntityAddress } from "@waybill/core/transport";
import { peekPages } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { valueTree } from "../values/value-tree.js";
import { RequestError } from "../wire/request-error.js";
import { instant } from "./message-row.js";
import { withReceiver } from "./peek.js";

/** The sessions of an entity that have messages. */
export type SessionList = Awaited<ReturnType<typeof listSessions>>;

/** One session of a list. */
export type SessionRow = SessionList["sessions"][number];

/** The state of a session, read by the chain. */
export type SessionStateView = Awaited<ReturnType<typeof readSessionState>>;

const pageSize = 100;
/** How many messages are counted; what comes after them is not known. */
const maxCounted = 100_000;

interface Counted {
  count: number;
  readonly firstNumber: string;
  readonly oldestEnqueuedAt: string | undefined;
}

/** A page of the sessions from `skip` on, those with the most messages first. Peeks the messages to count them: locks and changes nothing. */
export async function listSessions(
  context: ExplorerContext,
  address: EntityAddress,
  skip: number,
  abortSignal?: AbortSignal,
) {
  const counted = new Map<string, Counted>();
  let peeked = 0;
  await withReceiver(context, address, async (receiver) => {
    for await (const page of peekPages(receiver, { abortSignal, maxMessages: maxCounted })) {
      peeked += page.length;
      for (const { sessionId = "", sequenceNumber, enqueuedTimeUtc } of page) {
        const known = counted.get(sessionId);
        if (known !== undefined) known.count++;
        else
          counted.set(sessionId, {
            count: 1,
            firstNumber: String(sequenceNumber),
            oldestEnqueuedAt: instant(enqueuedTimeUtc),
          });
      }
    }
  });
  const sessions = [...counted]
    .sort(([one, { count: first }], [two, { count: second }]) => second - first || one.localeCompare(two))
    .map(([sessionId, session]) => ({ sessionId, ...session }));
  return {
    sessions: sessions.slice(skip, skip + pageSize),
    total: sessions.length,
    peeked,
    /** Whether every message was counted. */
    isComplete: peeked < maxCounted,
  };
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
