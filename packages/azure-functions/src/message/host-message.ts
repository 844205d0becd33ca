import type { DeliveredMessage } from "@waybill/core/transport";
import type { BoundMessage } from "./bound-message.js";

/** A delivered message without the handle by which it is settled. */
export type UnhandledDelivery = Omit<DeliveredMessage, "settlement">;

/** One message of an invocation, from its arrival to its settlement: the settlement handle of what the client gets. */
export class HostMessage {
  readonly delivered: DeliveredMessage;
  /** The message of the SDK binding, which its actions take; undefined without it. */
  readonly bound: BoundMessage | undefined;
  readonly arrivedAtMs = Date.now();
  /** `failed` if the last settlement failed while the lock may still be held. */
  state: "open" | "settled" | "failed" | "lost" = "open";

  constructor(delivery: UnhandledDelivery, bound?: BoundMessage) {
    this.delivered = { ...delivery, settlement: this };
    this.bound = bound;
  }

  /** The duration of its lock, in milliseconds; undefined if the host does not tell it. */
  get lockMs(): number | undefined {
    const untilMs = this.delivered.lockedUntilUtc?.getTime();
    return untilMs === undefined ? undefined : Math.max(untilMs - this.arrivedAtMs, 1_000);
  }
}
