import type { DeliveredMessage, MessageState } from "@waybill/core/transport";
import { checkRemovalOptions, type RemovalOptions } from "./removal-options.js";
import { RemovalSelection, withNewest } from "./removal-selection.js";

/** The options of a removal, and a callback to follow the rehearsal. */
export interface RehearseRemovalOptions extends RemovalOptions {
  /** Called for each message that would be removed, the oldest first. */
  readonly onFound?: ((message: DeliveredMessage) => void) | undefined;
}

/** What a removal would do. */
export interface RemovalRehearsal {
  /** How many would be removed, within the limit, unless another receiver holds their locks then. */
  readonly removable: number;
  /** The same by state. */
  readonly states: Readonly<Record<MessageState, number>>;
  /** Those of `numbers` that are not there. */
  readonly gone: readonly bigint[];
  /** Those of `numbers` that would stay, because they are active in an entity that is no sub-queue. */
  readonly active: readonly bigint[];
  /** The newest of them in each partition: with it as `upTo`, the removal leaves what arrives meanwhile. */
  readonly upTo: readonly bigint[];
}

/** Reports what {@link removeMessages} would do with the same options: peeks, and changes nothing. Locks cannot be seen by peeking. */
export async function rehearseRemoval(options: RehearseRemovalOptions): Promise<RemovalRehearsal> {
  checkRemovalOptions("rehearseRemoval", options, { onFound: true });
  const { transport, from, abortSignal, limit = Number.POSITIVE_INFINITY, onFound } = options;
  const selection = new RemovalSelection(options);
  const states = { active: 0, deferred: 0, scheduled: 0 };
  const missing = new Set(selection.numbers);
  const active: bigint[] = [];
  const newest = new Map<bigint, bigint>();
  let removable = 0;
  const receiver = transport.createReceiver(from, "peekLock");
  try {
    for await (const page of selection.peek(receiver, abortSignal)) {
      for (const message of page) {
        missing.delete(message.sequenceNumber);
        if (message.state === "active" && !selection.isReceiving) {
          active.push(message.sequenceNumber);
        } else if (removable < limit) {
          removable++;
          states[message.state]++;
          withNewest(newest, message);
          onFound?.(message);
        }
      }
    }
  } finally {
    await receiver.close();
  }
  return { removable, states, gone: [...missing], active, upTo: [...newest.values()] };
}
