import type { EncodedMessage } from "@waybill/core";
import type { OptionNames } from "@waybill/core/serializer";
import type { DeliveredMessage } from "@waybill/core/transport";
import { peekPages } from "../census/peek-pages.js";
import { deadLetterAddress } from "./dead-letter-queue.js";
import { planResubmission } from "./plan-resubmission.js";
import {
  checkRepairOptions,
  type RepairCandidate,
  type RepairOptions,
  type RepairSkip,
} from "./repair-options.js";

/** A dead letter with the message that the repair would send for it, or the reason why it would stay. */
export interface RehearsedRepair extends RepairCandidate {
  /** What would be sent, or why it would stay. */
  readonly planned: EncodedMessage | RepairSkip;
}

/** The options of a repair, and callbacks to follow the rehearsal. */
export interface RehearseRepairOptions extends RepairOptions {
  /** Called after each page with the number of messages peeked so far. */
  readonly onPeeked?: ((peeked: number) => void) | undefined;
  /** Called for each message with what would be sent, for example to show the difference. */
  readonly onRehearsed?: ((rehearsed: RehearsedRepair) => void) | undefined;
}

/** What a repair would do. */
export interface RepairRehearsal {
  /** How many messages were peeked. */
  readonly peeked: number;
  /** How many would be sent again, within the limit. */
  readonly resubmittable: number;
  /** How many would stay, by reason. */
  readonly skipped: Readonly<Partial<Record<RepairSkip, number>>>;
}

/**
 * Reports what {@link repairDeadLetters} would do with the same options: peeks, changes nothing, and writes no receipts. It does not see what only
 * sending shows, such as a message that is too large for its target.
 */
export async function rehearseRepair(options: RehearseRepairOptions): Promise<RepairRehearsal> {
  checkRepairOptions("rehearseRepair", options, ownNames);
  const { transport, from, abortSignal, limit = Number.POSITIVE_INFINITY, onPeeked } = options;
  const receiver = transport.createReceiver(deadLetterAddress(from), "peekLock");
  const skipped: Partial<Record<RepairSkip, number>> = {};
  let peeked = 0;
  let resubmittable = 0;
  try {
    for await (const page of peekPages(receiver, { abortSignal })) {
      for (const message of page) {
        if (resubmittable >= limit) return { peeked, resubmittable, skipped };
        peeked++;
        const skip = await rehearsed(message, options);
        if (skip === undefined) resubmittable++;
        else skipped[skip] = (skipped[skip] ?? 0) + 1;
      }
      onPeeked?.(peeked);
    }
  } finally {
    await receiver.close();
  }
  return { peeked, resubmittable, skipped };
}

const ownNames: OptionNames<Omit<RehearseRepairOptions, keyof RepairOptions>> = {
  onPeeked: true,
  onRehearsed: true,
};

async function rehearsed(
  message: DeliveredMessage,
  options: RehearseRepairOptions,
): Promise<RepairSkip | undefined> {
  const { pipeline, abortSignal, onRehearsed } = options;
  const outcome = await pipeline.deserialize(message as EncodedMessage, { abortSignal });
  const plan = await planResubmission({ message, outcome }, options, "rehearse");
  onRehearsed?.({ message, outcome, planned: plan });
  return typeof plan === "string" ? plan : undefined;
}
