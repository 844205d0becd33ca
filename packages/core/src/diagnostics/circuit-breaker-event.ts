/** A message type in a format, by which the circuit breaker keeps messages apart. */
export interface MessageFormat {
  /** The message's `subject`; undefined for messages without one. */
  readonly messageType?: string | undefined;
  /** The name of the serializer that the content type names; the content type itself if it names none; undefined without one. */
  readonly format?: string | undefined;
}

/** Whether messages of a format are handled, held, or being tried again. */
export type CircuitState = "closed" | "open" | "halfOpen";

/** Says that the circuit of a message type in a format changed its state. */
export interface CircuitBreakerEvent extends MessageFormat {
  readonly state: CircuitState;
  /** How many of that type and format in a row could not be read. */
  readonly failures: number;
  readonly entityPath: string;
  /**
   * What was seen, and the option that would read it, in a sentence; set when the circuit of a client opens that has read nothing yet, if
   * there is such an option.
   */
  readonly advice?: string | undefined;
}
