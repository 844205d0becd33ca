import type { CircuitBreaker } from "../circuit-breaker/circuit-breaker.js";
import type { Awaitable } from "../contracts/serializer.js";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { IntakeAction, IntakePolicy } from "../delivery/intake.js";
import { afterwards } from "../foundation/is-promise.js";

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
  return breakerPolicy(breaker, onDecoded, (delivered, report) =>
    afterwards(breaker.onUndeserializable(delivered, report), (circuit) => {
      if (isBlocking) return "block";
      return circuit === undefined ? "deadLetter" : whileOpen(delivered);
    }),
  );
}

/** The policy of `receiveMessages` and similar calls: undeserializable messages are held only until the consumer has decoded something. */
export function receiverPolicy(breaker: CircuitBreaker, onDecoded: () => void): IntakePolicy {
  return breakerPolicy(breaker, onDecoded, (delivered, report) =>
    afterwards(breaker.onUndeserializableByCall(delivered, report), (circuit) =>
      circuit === undefined ? "deadLetter" : "hold",
    ),
  );
}

function breakerPolicy(
  breaker: CircuitBreaker,
  onDecoded: () => void,
  onUndeserializable: IntakePolicy["onUndeserializable"],
): IntakePolicy {
  return {
    get openings() {
      return breaker.openings;
    },
    onDecoded(delivered, report, openings) {
      breaker.onDecoded(delivered, report, openings);
      onDecoded();
    },
    onUndeserializable,
  };
}
