import type { LinkStall } from "@waybill/core/transport";

/** A link as the watchdog sees it. */
export interface WatchedLink {
  readonly entityPath: string;
  readonly sessionId: string | undefined;
  /** How many messages it is ready for; 0 while it waits for none. */
  readonly credit: number;
  /** How long it has been ready and has delivered nothing, in milliseconds. */
  readonly silenceInMs: number;
  /** Another number after each delivery, and after each time it was made again. */
  readonly progress: number;
  /** The first message, from a sequence number on, that waits and should have come; undefined when there is none. */
  findBacklog(fromSequenceNumber: bigint, signal: AbortSignal): Promise<bigint | undefined>;
  /** Makes the link again, and tells of the stall when it is sure of it. */
  restart(stall: LinkStall): void;
  /** Tells of the stall; the link is made again because its connection is. */
  onConnectionBroken(stall: LinkStall): void;
}

/** The connection on which all links are. */
export interface WatchedConnection {
  /** How much came over it so far; undefined where that cannot be seen. */
  readonly bytesRead: number | undefined;
  /** Breaks it, so that it is opened again. Returns whether that can be done. */
  break(): boolean;
}
