import type { Circuit } from "../circuit-breaker/circuit.js";
import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { UnreadableAction, UnreadablePolicy } from "../delivery/intake.js";
import { isPromise } from "../foundation/is-promise.js";

/** A session that stops at what cannot be read dead-letters nothing. */
export const blockingPolicy: UnreadablePolicy = {
  openings: 0,
  onDecoded() {},
  onUnreadable: () => "block",
};

/** What a processor does with messages that cannot be read. */
export interface ProcessorPolicySettings {
  readonly breaker: CircuitBreaker | undefined;
  /** Whether a session stops at such a message for good. */
  readonly isBlocking: boolean;
  readonly onDecoded: () => void;
  /** What to do with a message whose circuit is open. */
  readonly whileOpen: (delivered: DeliveredMessage) => Awaitable<UnreadableAction>;
}

/** The policy of a processor; undefined when it dead-letters everything. */
export function processorPolicy({
  breaker,
  isBlocking,
  onDecoded,
  whileOpen,
}: ProcessorPolicySettings): UnreadablePolicy | undefined {
  if (breaker === undefined) return isBlocking ? blockingPolicy : undefined;
  const decide = (circuit: Circuit | undefined, delivered: DeliveredMessage): Awaitable<UnreadableAction> => {
    if (isBlocking) return "block";
    return circuit === undefined ? "deadLetter" : whileOpen(delivered);
  };
  return {
    get openings() {
      return breaker.openings;
    },
    onDecoded(delivered, report, openings) {
      breaker.onDecoded(delivered, report, openings);
      onDecoded();
    },
    onUnreadable(delivered, report) {
      const circuit = breaker.onUnreadable(delivered, report);
      return isPromise(circuit)
        ? (circuit as Promise<Circuit | undefined>).then((opened) => decide(opened, delivered))
        : decide(circuit, delivered);
    },
  };
}

/** The policy of calls that receive: what cannot be read is held only as long as the consumer has read nothing. */
export function receiverPolicy(breaker: CircuitBreaker, onDecoded: () => void): UnreadablePolicy {
  const decide = (circuit: Circuit | undefined): UnreadableAction =>
    circuit === undefined ? "deadLetter" : "hold";
  return {
    get openings() {
      return breaker.openings;
    },
    onDecoded(delivered, report, openings) {
      breaker.onDecoded(delivered, report, openings);
      onDecoded();
    },
    onUnreadable(delivered, report) {
      const circuit = breaker.onUnreadableByCall(delivered, report);
      return isPromise(circuit) ? (circuit as Promise<Circuit | undefined>).then(decide) : decide(circuit);
    },
  };
}
