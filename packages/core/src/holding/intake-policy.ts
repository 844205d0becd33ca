import type { Circuit } from "../circuit-breaker/circuit.js";
import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { IntakeAction, IntakePolicy } from "../delivery/intake.js";
import { isPromise } from "../foundation/is-promise.js";

/** The policy of a session that stops at an undeserializable message instead of dead-lettering it. */
export const blockingPolicy: IntakePolicy = {
  openings: 0,
  onDecoded() {},
  onUndeserializable: () => "block",
};

/** What a processor does with undeserializable messages. */
export interface ProcessorPolicySettings {
  readonly breaker: CircuitBreaker | undefined;
  /** Whether a session stops at such a message. */
  readonly isBlocking: boolean;
  readonly onDecoded: () => void;
  /** What to do with a message whose circuit is open. */
  readonly whileOpen: (delivered: DeliveredMessage) => Awaitable<IntakeAction>;
}

/** The policy of a processor; undefined when it dead-letters every undeserializable message. */
export function processorPolicy({
  breaker,
  isBlocking,
  onDecoded,
  whileOpen,
}: ProcessorPolicySettings): IntakePolicy | undefined {
  if (breaker === undefined) return isBlocking ? blockingPolicy : undefined;
  const decide = (circuit: Circuit | undefined, delivered: DeliveredMessage): Awaitable<IntakeAction> => {
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
    onUndeserializable(delivered, report) {
      const circuit = breaker.onUndeserializable(delivered, report);
      return isPromise(circuit)
        ? (circuit as Promise<Circuit | undefined>).then((opened) => decide(opened, delivered))
        : decide(circuit, delivered);
    },
  };
}

/** The policy of `receiveMessages` and similar calls: undeserializable messages are held only until the consumer has decoded something. */
export function receiverPolicy(breaker: CircuitBreaker, onDecoded: () => void): IntakePolicy {
  const decide = (circuit: Circuit | undefined): IntakeAction =>
    circuit === undefined ? "deadLetter" : "hold";
  return {
    get openings() {
      return breaker.openings;
    },
    onDecoded(delivered, report, openings) {
      breaker.onDecoded(delivered, report, openings);
      onDecoded();
    },
    onUndeserializable(delivered, report) {
      const circuit = breaker.onUndeserializableByCall(delivered, report);
      return isPromise(circuit) ? (circuit as Promise<Circuit | undefined>).then(decide) : decide(circuit);
    },
  };
}
