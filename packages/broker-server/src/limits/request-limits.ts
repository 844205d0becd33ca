/** Fixed limits of a client's requests. */
export interface RequestLimits {
  /** Tokens per connection: one for each entity that a client works with, and as many as sessions. 5,000. */
  readonly tokens: number;
  /** Bytes of a request to `$cbs`. 65,536. */
  readonly tokenRequestBytes: number;
  /** Values in the body of a request, at any depth. 100,000. */
  readonly requestValues: number;
  /** Pending requests per link. 100. */
  readonly requestsPerLink: number;
  /** Messages returned by one peek. 1,000. */
  readonly peekedMessages: number;
  /** Bytes of messages returned by one peek; a single message may be larger. 1,000,000. */
  readonly peekedBytes: number;
  /** Messages deleted by one batch delete. 4,000. */
  readonly deletedMessages: number;
  /** Rules listed by one request. 1,000. */
  readonly listedRules: number;
  /** Sessions listed by one request. 4,000. */
  readonly listedSessions: number;
  /** Open transactions per connection. 1,000. */
  readonly openTransactions: number;
}

export const requestLimits: RequestLimits = Object.freeze({
  tokens: 5_000,
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
