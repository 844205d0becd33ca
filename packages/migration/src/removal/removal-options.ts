import type { Transport } from "@waybill/core";
import { type OptionNames, requireInteger, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions, EntityAddress } from "@waybill/core/transport";
import type { LockedDeadLetters } from "../repair/repair-options.js";

/** Which messages to remove for good, and from where. */
export interface RemovalOptions extends CallOptions {
  /** The connection to the broker. Its key needs the Listen claim there, and Send to cancel scheduled messages. */
  readonly transport: Transport;
  /** A queue, a subscription or one of their sub-queues. */
  readonly from: EntityAddress;
  /**
   * Only these, by their sequence numbers. Active ones are then removed from sub-queues only: elsewhere all messages before one would have to be
   * received too, and would count that as a failed delivery. Default: all, in every state.
   */
  readonly numbers?: readonly bigint[] | undefined;
  /** Only messages that are not newer than these: one sequence number for each partition, as `rehearseRemoval` returns them. Default: any. */
  readonly upTo?: readonly bigint[] | undefined;
  /** How many to remove at most. Default: no limit. */
  readonly limit?: number | undefined;
  /** Whether the entity needs sessions; its sub-queues never do. Default: false. */
  readonly requiresSession?: boolean | undefined;
  /** How long to wait for messages before there are none, in milliseconds. Default: 2,000. */
  readonly maxWaitTimeInMs?: number | undefined;
  /** Called after each batch with the number removed so far. */
  readonly onProgress?: ((removed: number) => void) | undefined;
}

/** What was removed, and what was not. */
export interface RemovalResult {
  readonly removed: number;
  /** Those of `numbers` that were not there any more: somebody else received, moved or cancelled them. */
  readonly gone: readonly bigint[];
  /** Those of `numbers` that are active in an entity that is no sub-queue: they stay. */
  readonly active: readonly bigint[];
  /** Those that stay because another receiver holds their locks; undefined if there are none. */
  readonly locked: LockedDeadLetters | undefined;
}

const optionNames: OptionNames<RemovalOptions> = {
  transport: true,
  from: true,
  numbers: true,
  upTo: true,
  limit: true,
  requiresSession: true,
  maxWaitTimeInMs: true,
  onProgress: true,
  abortSignal: true,
};

/** Throws `TypeError` for invalid options; `own` are the names of further options of the caller. */
export function checkRemovalOptions<Options extends RemovalOptions>(
  where: string,
  options: Options,
  own: OptionNames<Omit<Options, keyof RemovalOptions>>,
): void {
  requireKnownOptions<object>(where, options, { ...optionNames, ...own });
  if (options.limit !== undefined) requireInteger("limit", options.limit, 1);
  if (options.maxWaitTimeInMs !== undefined) requireInteger("maxWaitTimeInMs", options.maxWaitTimeInMs, 0);
}
