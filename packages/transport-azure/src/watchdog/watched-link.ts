import type { LinkStall } from "@waybill/core/diagnostics";
import type { ReceiverWatch } from "./receiver-watch.js";

/** A link as the watchdog sees it. */
export interface WatchedLink {
  /** Shared with the other links of its receiver. */
  readonly watch: ReceiverWatch;
  /** How many messages it is ready for; 0 while no call is pending. */
  readonly credit: number;
  /** How long it has had credit and delivered nothing, in milliseconds. */
  readonly silenceInMs: number;
  /** Changes after each delivery and each restart. */
  readonly activityCount: number;
  /** Replaces the link, and reports the stall once it is certain. */
  restart(stall: LinkStall): void;
}
