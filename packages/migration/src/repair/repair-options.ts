import type { DeserializationOutcome, Pipeline, Transport } from "@waybill/core";
import { type OptionNames, requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import type { CallOptions, DeliveredMessage } from "@waybill/core/transport";
import type { DeadLetterQueue } from "./dead-letter-queue.js";
import type { ReceiptLog } from "./receipt-log.js";
import type { DeadLetterCriteria } from "./select-dead-letters.js";

/** Where repaired messages go. With a subscription, each subscription of the topic needs a rule with {@link resubmitFilter}. */
export type RepairTarget =
  | { readonly queue: string; readonly subscription?: undefined }
  | { readonly topic: string; readonly subscription?: string | undefined };

/** A dead-lettered message, and how today's chain reads it. */
export interface RepairCandidate {
  readonly message: DeliveredMessage;
  readonly outcome: DeserializationOutcome;
}

/** Which messages to send again, where and how. */
export interface RepairOptions extends CallOptions {
  /** The connection to the broker. It receives the dead letters and sends them. */
  readonly transport: Transport;
  /** The chain that consumers use now. */
  readonly pipeline: Pick<Pipeline, "deserialize" | "serialize">;
  /** The entity whose dead letters are repaired. */
  readonly from: DeadLetterQueue;
  /**
   * Default: the queue they were dead-lettered in. Dead letters of a subscription need it, or `throughTopic`, because a subscription cannot be
   * sent to.
   */
  readonly to?: RepairTarget | undefined;
  /**
   * Sends the dead letters of a subscription to its topic, addressed to that subscription: the topic's other subscriptions get them too, unless
   * each has a rule with {@link resubmitFilter}. Default: false.
   */
  readonly throughTopic?: boolean | undefined;
  /** `"as-is"` sends the original bytes; `"transcode"` writes the value again, in the chain's main format and current version. Default: `"as-is"`. */
  readonly body?: "as-is" | "transcode" | undefined;
  /** Which messages to send again: criteria, which the receipts keep, or a function. Default: all. */
  readonly select?: DeadLetterCriteria | ((candidate: RepairCandidate) => boolean) | undefined;
  /** Also sends messages that today's chain cannot read, with `body: "as-is"` only. Default: false. */
  readonly includeUndeserializable?: boolean | undefined;
  /**
   * Whether the target detects duplicates. If so, each message gets a new id that is the same on every attempt: the target does not drop it as
   * a duplicate of the original, and drops it if a crash made the repair send it twice. An application property keeps the original id. Default:
   * false, with which a target that detects duplicates drops every message that it has received within its history window: it is lost.
   */
  readonly targetDetectsDuplicates?: boolean | undefined;
  /** Messages that were resubmitted this often stay in the dead-letter queue. Default: 3. */
  readonly maxResubmits?: number | undefined;
  /** Maximum number of messages to send per second. Default: no limit. */
  readonly maxPerSecond?: number | undefined;
  /** Maximum number of messages to send, those before an interruption included. Default: no limit. */
  readonly limit?: number | undefined;
  /** How long to wait for messages before the queue counts as empty, in milliseconds. Default: 2,000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /**
   * Keeps the plan and what was done; a repair with the receipts of an interrupted one resumes where that stopped. Default: in memory.
   */
  readonly receipts?: ReceiptLog | undefined;
  /**
   * If the receipts hold an interrupted repair of this queue: `"resume"` continues it, and rejects with `configuration-invalid` if its plan was
   * another one; `"replace"` gives it up and begins this one. Default: `"resume"`.
   */
  readonly interrupted?: "resume" | "replace" | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((result: RepairResult) => void) | undefined;
}

const optionNames: OptionNames<RepairOptions> = {
  transport: true,
  pipeline: true,
  from: true,
  to: true,
  throughTopic: true,
  body: true,
  select: true,
  includeUndeserializable: true,
  targetDetectsDuplicates: true,
  maxResubmits: true,
  maxPerSecond: true,
  limit: true,
  maxWaitTimeInMs: true,
  receipts: true,
  interrupted: true,
  onProgress: true,
  abortSignal: true,
};

/** Why a message stays in the dead-letter queue. */
export type RepairSkip =
  | "not-selected"
  | "undeserializable"
  | "unavailable"
  | "resubmitted-too-often"
  /** It was resubmitted by this repair and dead-lettered again. */
  | "failed-again"
  | "too-large"
  | "not-writable"
  /** It can be read now, and as it would be sent it could not. */
  | "would-be-unreadable"
  /** As it would be sent, it would be read as another value. */
  | "would-differ";

/** Messages that a repair was to send and did not get. */
export interface LockedDeadLetters {
  readonly count: number;
  /** The sequence numbers of the first few. */
  readonly examples: readonly bigint[];
  /** When their locks expire at the latest, unless a running receiver renews them. Run the repair again then. */
  readonly until: Date;
}

/** What a repair did. */
export interface RepairResult {
  /** Sent by this repair. */
  readonly resubmitted: number;
  /** Sent by an interrupted repair and only removed by this one. */
  readonly resumed: number;
  /** How many stayed, by reason. */
  readonly skipped: Readonly<Partial<Record<RepairSkip, number>>>;
  /**
   * Messages that were sent again although an interrupted repair may have sent them before: their sequence numbers in the dead-letter queue, those
   * of earlier repairs with the same receipts first. Always empty with `targetDetectsDuplicates`.
   */
  readonly possibleDuplicates: readonly bigint[];
  /**
   * Messages of the plan that could not be received, because a repair that was killed or another receiver holds their locks; undefined if there
   * are none. The repair has not come to its end then.
   */
  readonly locked: LockedDeadLetters | undefined;
}

/** Throws `TypeError` for invalid options; `own` are the names of further options of the caller. */
export function checkRepairOptions<Options extends RepairOptions>(
  where: string,
  options: Options,
  own: OptionNames<Omit<Options, keyof RepairOptions>>,
): void {
  requireKnownOptions<object>(where, options, { ...optionNames, ...own });
  const { maxResubmits, maxPerSecond, limit, body = "as-is", includeUndeserializable } = options;
  for (const [name, value] of Object.entries({ maxResubmits, maxPerSecond, limit })) {
    if (value !== undefined && !(value > 0))
      throw new TypeError(`${name} must be above 0, not ${String(value)}.`);
  }
  requireOneOf("body", body, ["as-is", "transcode"]);
  requireOneOf("interrupted", options.interrupted ?? "resume", ["resume", "replace"]);
  requireReach(options);
  if (body === "transcode" && includeUndeserializable === true)
    throw new TypeError("Undeserializable messages cannot be transcoded: leave includeUndeserializable out.");
}

/** A repair of one subscription must not reach its siblings by omission. */
function requireReach({ from, to, throughTopic }: Pick<RepairOptions, "from" | "to" | "throughTopic">): void {
  if (to !== undefined && throughTopic === true)
    throw new TypeError("Set either to or throughTopic, not both.");
  if (from === undefined || "queue" in from || to !== undefined || throughTopic === true) return;
  throw new TypeError(
    `The dead letters of ${from.subscription} cannot be sent to that subscription, only to its topic ${from.topic}, whose other subscriptions would ` +
      "get them too. Set to, for example to a queue; or set throughTopic, after each subscription has a rule with resubmitFilter.",
  );
}

/** Where repaired messages go: to `to`, or else to where they were dead-lettered. */
export function targetOf({ from, to }: Pick<RepairOptions, "from" | "to">): RepairTarget {
  if (to !== undefined) return to;
  return "queue" in from ? { queue: from.queue } : { topic: from.topic, subscription: from.subscription };
}
