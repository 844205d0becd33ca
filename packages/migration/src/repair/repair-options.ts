import type { DeserializationOutcome, Pipeline, Transport } from "@waybill/core";
import { type OptionNames, requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import type { CallOptions, DeliveredMessage } from "@waybill/core/transport";
import type { DeadLetterQueue } from "./dead-letter-queue.js";
import type { ReceiptLog } from "./receipt-log.js";

/** Where repaired messages go. With a subscription, each subscription of the topic needs a rule with {@link resubmitFilter}. */
export type RepairTarget =
  | { readonly queue: string }
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
  /** Default: the entity they were dead-lettered in; for a subscription its topic, addressed to that subscription only. */
  readonly to?: RepairTarget | undefined;
  /** `"as-is"` sends the original bytes; `"transcode"` writes the value again, in the chain's main format and current version. Default: `"as-is"`. */
  readonly body?: "as-is" | "transcode" | undefined;
  /** Returns whether to send a message again. Default: all. */
  readonly select?: ((candidate: RepairCandidate) => boolean) | undefined;
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
  /** Maximum number of messages to send. Default: no limit. */
  readonly limit?: number | undefined;
  /** How long to wait for messages before the queue counts as empty, in milliseconds. Default: 2,000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Records what was done; a repair with the receipts of an interrupted one resumes where that stopped. Default: in memory. */
  readonly receipts?: ReceiptLog | undefined;
  /** Called after each batch. */
  readonly onProgress?: ((result: RepairResult) => void) | undefined;
}

const optionNames: OptionNames<RepairOptions> = {
  transport: true,
  pipeline: true,
  from: true,
  to: true,
  body: true,
  select: true,
  includeUndeserializable: true,
  targetDetectsDuplicates: true,
  maxResubmits: true,
  maxPerSecond: true,
  limit: true,
  maxWaitTimeInMs: true,
  receipts: true,
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
  | "not-writable";

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
}

/** Throws `TypeError` for invalid options; `own` are the names of further options of the caller. */
export function checkRepairOptions<Options extends RepairOptions>(
  where: string,
  options: Options,
  own: OptionNames<Omit<Options, keyof RepairOptions>>,
): void {
  requireKnownOptions<object>(where, options, { ...optionNames, ...own });
  const { maxResubmits = 1, maxPerSecond = 1, limit = 1, body = "as-is", includeUndeserializable } = options;
  for (const [name, value] of Object.entries({ maxResubmits, maxPerSecond, limit })) {
    if (!(value > 0)) throw new TypeError(`${name} must be above 0, not ${String(value)}.`);
  }
  requireOneOf("body", body, ["as-is", "transcode"]);
  if (body === "transcode" && includeUndeserializable === true)
    throw new TypeError("Undeserializable messages cannot be transcoded: leave includeUndeserializable out.");
}

/** Where repaired messages go: to `to`, or else to where they were dead-lettered. */
export function targetOf({ from, to }: Pick<RepairOptions, "from" | "to">): RepairTarget {
  if (to !== undefined) return to;
  return "queue" in from ? { queue: from.queue } : { topic: from.topic, subscription: from.subscription };
}
