import type {
  DeadLetterReason,
  DeserializationOutcome,
  EncodedMessage,
  Pipeline,
  ReasonCode,
  Transport,
} from "@waybill/core";
import { decisiveAttempt, type Stage } from "@waybill/core/pipeline";
import type { CallOptions, DeliveredMessage } from "@waybill/core/transport";
import { peekPages } from "../census/peek-pages.js";
import { earlier, later } from "../census/tally.js";
import { type DeadLetterKind, deadLetterKind } from "./dead-letter-kind.js";
import { type DeadLetterQueue, deadLetterAddress } from "./dead-letter-queue.js";
import { resubmitCountOf } from "./resubmission.js";

/** Which dead-letter queue to look into, and with which chain. */
export interface SurveyOptions extends CallOptions {
  readonly transport: Transport;
  /** The chain that consumers use now. */
  readonly pipeline: Pick<Pipeline, "deserialize">;
  /** The entity whose dead letters are read. */
  readonly from: DeadLetterQueue;
  /** How many messages to ask for at once. Default: 250. */
  readonly pageSize?: number | undefined;
  /** Called after each page with the number of messages so far. */
  readonly onProgress?: ((peeked: number) => void) | undefined;
}

/** What is in a dead-letter queue, and how today's chain reads it. */
export interface DeadLetterSurvey {
  /** How many messages were peeked. */
  readonly peeked: number;
  /** How many today's chain can read. */
  readonly decodable: number;
  /** The largest first. */
  readonly groups: readonly DeadLetterGroup[];
}

/** Dead-lettered messages that are alike. */
export interface DeadLetterGroup extends DeadLetterKind {
  /** The outcome with today's chain. */
  readonly status: DeserializationOutcome["status"];
  /** The serializer that reads them now. */
  readonly serializer: string | undefined;
  /** Why they are undeserializable. */
  readonly reason: DeadLetterReason | undefined;
  /** The attempt that got furthest: its serializer, stage and reason. */
  readonly failure:
    | { readonly serializer: string | undefined; readonly stage: Stage; readonly reason: ReasonCode }
    | undefined;
  /** What was wrong with the first message and where, without payload. */
  readonly detail: string | undefined;
  /** How many messages. */
  readonly count: number;
  /** Maximum number of times one of them was resubmitted before. */
  readonly resubmits: number;
  readonly oldestEnqueuedAt: Date | undefined;
  readonly newestEnqueuedAt: Date | undefined;
  /** The sequence numbers of the first few. */
  readonly examples: readonly bigint[];
}

/** How many groups are distinguished; further messages are counted in one more group. */
const maxGroups = 10_000;

/** Peeks a whole dead-letter queue and reports how today's chain reads it, grouped by cause. Locks and changes nothing. */
export async function surveyDeadLetters(options: SurveyOptions): Promise<DeadLetterSurvey> {
  const { transport, pipeline, from, pageSize, abortSignal, onProgress } = options;
  const receiver = transport.createReceiver(deadLetterAddress(from), "peekLock");
  const groups = new Map<string, Counted>();
  let peeked = 0;
  let decodable = 0;
  try {
    for await (const page of peekPages(receiver, { pageSize, abortSignal })) {
      for (const message of page) {
        const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
        if (outcome.status === "decoded") decodable++;
        count(groups, message, outcome);
      }
      peeked += page.length;
      onProgress?.(peeked);
    }
  } finally {
    await receiver.close();
  }
  return { peeked, decodable, groups: [...groups.values()].sort((one, two) => two.count - one.count) };
}

type Counted = { -readonly [Key in keyof DeadLetterGroup]: DeadLetterGroup[Key] };

function count(
  groups: Map<string, Counted>,
  message: DeliveredMessage,
  outcome: DeserializationOutcome,
): void {
  const kind = kindOf(message, outcome);
  const key = groups.size < maxGroups ? JSON.stringify(kind) : "";
  let group = groups.get(key);
  if (group === undefined) {
    const detail = outcome.status === "decoded" ? undefined : decisiveAttempt(outcome.report)?.detail;
    group = {
      ...kind,
      detail,
      count: 0,
      resubmits: 0,
      oldestEnqueuedAt: undefined,
      newestEnqueuedAt: undefined,
      examples: [],
    };
    groups.set(key, group);
  }
  group.count++;
  group.resubmits = Math.max(group.resubmits, resubmitCountOf(message));
  group.oldestEnqueuedAt = earlier(group.oldestEnqueuedAt, message.enqueuedTimeUtc);
  group.newestEnqueuedAt = later(group.newestEnqueuedAt, message.enqueuedTimeUtc);
  if (group.examples.length < 3) group.examples = [...group.examples, message.sequenceNumber];
}

function kindOf(message: DeliveredMessage, outcome: DeserializationOutcome) {
  const { report, status } = outcome;
  const decisive = status === "decoded" ? undefined : decisiveAttempt(report);
  return {
    ...deadLetterKind(message, report),
    status,
    serializer: report.serializer,
    reason: status === "undeserializable" ? outcome.reason : undefined,
    failure: decisive && {
      serializer: decisive.serializer,
      stage: decisive.stage,
      reason: decisive.reason,
    },
  };
}
