/** Limits of a broker that no option changes. */
export interface BrokerLimits {
  /** SQL filters that all subscriptions of a topic have together, as the service has it; those that take everything or nothing are among them. 2,000. */
  readonly sqlFiltersPerTopic: number;
  /** Correlation filters that all subscriptions of a topic have together, as the service has it. 100,000. */
  readonly correlationFiltersPerTopic: number;
  /** What each message counts with against quotas besides its size, in bytes: more than the broker's own memory for one. 512. */
  readonly messageCost: number;
  /** Messages that the holder of a session may have without settling any. 5,000. */
  readonly heldPerSession: number;
  /** Sends and settlements of one transaction, as the service has it. 100. */
  readonly stepsPerTransaction: number;
  /** Comparisons that the LIKE predicates of one rule may make on one message, of up to 32 characters each: some 10 ms. 8,000,000. */
  readonly comparisonsPerRule: number;
}

export const BROKER_LIMITS: BrokerLimits = Object.freeze({
  sqlFiltersPerTopic: 2_000,
  correlationFiltersPerTopic: 100_000,
  messageCost: 512,
  heldPerSession: 5_000,
  stepsPerTransaction: 100,
  comparisonsPerRule: 8_000_000,
});
