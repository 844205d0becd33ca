/** Limits of what one client asks for that no option changes. */
export interface RequestLimits {
  /** Tokens that a connection holds. 1,000. */
  readonly tokens: number;
  /** Bytes of a request to `$cbs`. 65,536. */
  readonly tokenRequestBytes: number;
  /** Values in the body of a request, however they nest. 100,000. */
  readonly requestValues: number;
  /** Requests that are in progress on one link. 100. */
  readonly requestsPerLink: number;
  /** Messages that one peek returns. 1,000. */
  readonly peekedMessages: number;
  /** Bytes of messages that one peek returns, or one message that is larger. 1,000,000. */
  readonly peekedBytes: number;
  /** Messages that one batch delete deletes. 4,000. */
  readonly deletedMessages: number;
  /** Rules that one request lists. 1,000. */
  readonly listedRules: number;
  /** Sessions that one request lists. 4,000. */
  readonly listedSessions: number;
  /** Transactions that a connection has open. 1,000. */
  readonly openTransactions: number;
}

export const REQUEST_LIMITS: RequestLimits = Object.freeze({
  tokens: 1_000,
  tokenRequestBytes: 65_536,
  requestValues: 100_000,
  requestsPerLink: 100,
  peekedMessages: 1_000,
  peekedBytes: 1_000_000,
  deletedMessages: 4_000,
  listedRules: 1_000,
  listedSessions: 4_000,
  openTransactions: 1_000,
});
