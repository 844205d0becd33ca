import type {
  CallOptions,
  SubQueue,
  TransportPeekOptions,
  TransportReceiver,
} from "../contracts/transport.js";
import { WaybillError } from "../errors/error.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type { RehearsalReport } from "./rehearsal-report.js";
import { RehearsalTally } from "./rehearsal-tally.js";

/** Which messages to rehearse. */
export interface RehearseOptions extends CallOptions {
  /** How many messages are read, beginning with the oldest. Default: 100. */
  readonly maxMessageCount?: number | undefined;
  /** Reads the dead-letter queue or the transfer dead-letter queue of the entity. Default: the entity itself. */
  readonly subQueueType?: SubQueue | undefined;
  /** Reads only messages of this session. Default: of all sessions. */
  readonly sessionId?: string | undefined;
}

/** The defaults of {@link RehearseOptions}. */
export const defaultRehearseOptions = Object.freeze({
  maxMessageCount: 100,
  subQueueType: undefined,
  sessionId: undefined,
  abortSignal: undefined,
});

/** A rehearsal of one session ends after this many messages of other sessions. */
const maxOtherMessages = 100_000;

const pageSize = 100;

/**
 * Reads the waiting messages as a client would and reports what would happen to them. It does not lock or settle them, and counts no
 * delivery. Bodies in a claim-check store are fetched; nothing is written.
 */
export async function rehearse(
  receiver: Pick<TransportReceiver, "entityPath" | "peek">,
  pipeline: Pipeline,
  options: RehearseOptions & { readonly maxMessageCount: number },
): Promise<RehearsalReport> {
  const { maxMessageCount, sessionId } = options;
  const { entityPath } = receiver;
  const tally = new RehearsalTally(pipeline);
  let otherMessages = 0;
  for await (const message of walk(receiver, options)) {
    if (tally.messageCount === maxMessageCount || otherMessages === maxOtherMessages) {
      return { entityPath, isWhole: false, ...tally.toCounts() };
    }
    if (sessionId === undefined || message.sessionId === sessionId) await tally.read(message);
    else otherMessages += 1;
  }
  return { entityPath, isWhole: true, ...tally.toCounts() };
}

async function* walk(
  receiver: Pick<TransportReceiver, "entityPath" | "peek">,
  { maxMessageCount, sessionId, abortSignal }: RehearseOptions & { readonly maxMessageCount: number },
) {
  // One more than requested, to know whether there are more.
  const maxMessages = sessionId === undefined ? Math.min(maxMessageCount + 1, pageSize) : pageSize;
  let fromSequenceNumber: bigint | undefined;
  for (;;) {
    const options: TransportPeekOptions = { maxMessages, fromSequenceNumber, abortSignal };
    const messages = await receiver.peek(options);
    yield* messages;
    const last = messages.at(-1);
    if (last === undefined) return;
    if (fromSequenceNumber !== undefined && last.sequenceNumber < fromSequenceNumber) {
      throw new WaybillError(
        "internal",
        "The broker returned messages with lower sequence numbers than requested.",
        {
          entityPath: receiver.entityPath,
        },
      );
    }
    fromSequenceNumber = last.sequenceNumber + 1n;
  }
}
