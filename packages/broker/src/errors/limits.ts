/** Limits of a broker that no option changes. */
export interface BrokerLimits {
  /** Maximum SQL filters of all subscriptions of a topic together, true and false filters included, as in the service. 2,000. */
  readonly sqlFiltersPerTopic: number;
  /** Maximum correlation filters of all subscriptions of a topic together, as in the service. 100,000. */
  readonly correlationFiltersPerTopic: number;
  /** Bytes that each message adds to its quota besides its size, more than the broker's own memory per message. 512. */
  readonly messageCost: number;
  /** Maximum unsettled messages of a session's holder. 5,000. */
  readonly heldPerSession: number;
  /** Maximum sends and settlements of one transaction, as in the service. 100. */
  readonly stepsPerTransaction: number;
  /**
   * Maximum comparisons, of up to 32 characters each, that the LIKE predicates of one rule may make for one message: about 10 ms.
   * 8,000,000.
   */
  readonly comparisonsPerRule: number;
}

export const brokerLimits: BrokerLimits = Object.freeze({
  sqlFiltersPerTopic: 2_000,
  correlationFiltersPerTopic: 100_000,
  messageCost: 512,
  heldPerSession: 5_000,
  stepsPerTransaction: 100,
  comparisonsPerRule: 8_000_000,
});
