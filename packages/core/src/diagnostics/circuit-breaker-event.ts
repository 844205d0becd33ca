/** A message type and format, for which the circuit breaker has a circuit. */
export interface MessageFormat {
  /** The message's `subject`; undefined for messages without one. */
  readonly messageType?: string | undefined;
  /** The name of the serializer for the content type; the content type itself if there is none; undefined without a content type. */
  readonly format?: string | undefined;
}

/** Whether undeserializable messages of a circuit are dead-lettered (`closed`), held (`open`), or being read again (`halfOpen`). */
export type CircuitState = "closed" | "open" | "halfOpen";

/** A change of the state of a circuit. */
export interface CircuitBreakerEvent extends MessageFormat {
  /** The new state. */
  readonly state: CircuitState;
  /** How many messages of that type and format in a row were undeserializable. */
  readonly failures: number;
  readonly entityPath: string;
  /**
   * A sentence with the option that would make the messages readable; set if there is one, when a circuit opens before the client has decoded
   * anything.
   */
  readonly advice?: string | undefined;
}
