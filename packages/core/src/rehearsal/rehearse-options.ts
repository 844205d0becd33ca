import type { CallOptions, SubQueue } from "../contracts/transport.js";

/** Which messages to rehearse. */
export interface RehearseOptions extends CallOptions {
  /** How many messages are read, beginning with the oldest. Default: 100, or with `watchForInMs` no limit. */
  readonly maxMessageCount?: number | undefined;
  /** Reads the dead-letter queue or the transfer dead-letter queue of the entity. Default: the entity itself. */
  readonly subQueueType?: SubQueue | undefined;
  /**
   * Goes on peeking for this long, in milliseconds, and reads what arrives meanwhile. A message that is received and completed between two looks, half
   * a second apart, is missed: on a topic, watch a subscription made for it, whose messages nobody takes; `waybill rehearse --mirror` makes and removes
   * one. Default: 0, only what waits.
   */
  readonly watchForInMs?: number | undefined;
  /** Reads only messages of this session. Default: of all sessions. */
  readonly sessionId?: string | undefined;
}

/** The defaults of {@link RehearseOptions}. */
export const defaultRehearseOptions = Object.freeze({
  maxMessageCount: undefined,
  watchForInMs: 0,
  subQueueType: undefined,
  sessionId: undefined,
  abortSignal: undefined,
});
