import type { LinkStall } from "@waybill/core/transport";

/** A link as the watchdog sees it. */
export interface WatchedLink {
  readonly entityPath: string;
  readonly sessionId: string | undefined;
  /** How many messages it is ready for; 0 while no call is pending. */
  readonly credit: number;
  /** How long it has had credit and delivered nothing, in milliseconds. */
  readonly silenceInMs: number;
  /** Changes after each delivery and each restart. */
  readonly activityCount: number;
  /** The first waiting message, from a sequence number on, that should have been delivered; undefined if there is none. */
  findBacklog(fromSequenceNumber: bigint, signal: AbortSignal): Promise<bigint | undefined>;
  /** Replaces the link, and reports the stall once it is certain. */
  restart(stall: LinkStall): void;
  /** Reports the stall; the link is replaced along with its connection. */
  onConnectionBroken(stall: LinkStall): void;
}

/** The connection that carries all links. */
export interface WatchedConnection {
  /** Bytes received so far; undefined if unknown. */
  readonly bytesRead: number | undefined;
  /** Closes the socket, so that the client reconnects. Returns whether that is possible. */
  break(): boolean;
}
