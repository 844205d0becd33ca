import { type IntakePolicy, type IntakeResult, isUndeserializableEvent } from "../delivery/intake.js";
import type { WaybillError } from "../errors/error.js";
import { isPromise } from "../foundation/is-promise.js";
import type { HeldMessage } from "../holding/held-messages.js";
import type { Holding } from "../holding/holding.js";
import { backoffDelayMs } from "../holding/unavailable-backoff.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { ErrorReporter } from "./error-reporter.js";
import type { Handling } from "./handling.js";
import type { InFlightMessage } from "./in-flight-message.js";
import type { PendingWaits } from "./pending-waits.js";
import type { BlockCause, ProcessorSettings } from "./processor-settings.js";

/** The parts of a processor that are needed to run messages. */
export interface MessageRunnerParts {
  readonly settings: ProcessorSettings;
  readonly report: ErrorReporter;
  readonly handling: Handling;
  /** Undefined in a session in peek-lock mode: its order does not allow holding a message while others go on. */
  readonly holding: Holding | undefined;
  readonly policy: IntakePolicy | undefined;
  readonly waits: PendingWaits;
  /** Stops the processor at the current message. */
  readonly block: (cause: BlockCause) => void;
  /** Abandons a message that no handler has received. */
  readonly abandon: (inFlight: InFlightMessage) => Promise<void>;
}

/** Runs one message of a processor: reads it and calls its handler, or holds, blocks or reports it if it cannot be read. */
export class MessageRunner {
  readonly #parts: MessageRunnerParts;

  constructor(parts: MessageRunnerParts) {
    this.#parts = parts;
  }

  /** Not an async function, which would cost measurable time: most messages are read synchronously and only wait for their handler. */
  run(inFlight: InFlightMessage): Promise<void> {
    const { settings, policy, handling } = this.#parts;
    const reading = settings.intake.read(inFlight.delivered, inFlight.delivery, policy);
    const pass = (result: IntakeResult) => {
      if (isUndeserializableEvent(result)) return this.#conclude(result, inFlight);
      inFlight.onRead?.();
      // It may have been abandoned while it was read.
      return inFlight.isAborted ? Promise.resolve() : handling.handle(result, inFlight);
    };
    return isPromise(reading) ? reading.then(pass) : pass(reading);
  }

  /** Reports an unread message to the client's hook and to `processError`. Never rejects. */
  async notify(event: UndeserializableEvent): Promise<void> {
    const { settings, report } = this.#parts;
    const { message, disposition, error, settlementError } = event;
    settings.onUndeserializable(event);
    if (settlementError !== undefined) {
      const source = disposition === "unsettled" ? "deadLetter" : "quarantine";
      await report(settlementError, source, message.messageId);
    }
    const explained = settings.breaker?.explain(error) ?? error;
    await report(explained, "deserialize", message.messageId, event);
  }

  async #conclude(event: UndeserializableEvent, inFlight: InFlightMessage): Promise<void> {
    const { settings, report, waits, block } = this.#parts;
    if (event.disposition === "held") return this.#hold(event, inFlight);
    // Before any await, so that later messages cannot overtake it.
    if (event.disposition === "blocked") block(settings.isBlocking ? "undeserializable" : "circuitOpen");
    else if (inFlight.delivery === undefined) this.#holdSlot(event, inFlight);
    await this.notify(event);
    if (event.disposition !== "abandoned" || inFlight.delivery === undefined) return;
    await waits.abandons.abandon(inFlight.delivery).catch((error: unknown) => {
      void report(error, "abandon", event.message.messageId);
    });
  }

  /** Holds a message that cannot be read now: outside the slots, while other messages are processed, or in its slot if their order must be kept. */
  async #hold(event: UndeserializableEvent, inFlight: InFlightMessage): Promise<void> {
    const { settings, holding, block } = this.#parts;
    if (settings.session?.keeper !== undefined) {
      block("unavailable");
      return this.notify({ ...event, disposition: "blocked" });
    }
    if (holding === undefined) {
      await this.notify(event);
      return this.#readInPlace(inFlight, event);
    }
    inFlight.isHeld = true;
    const outcome = await holding.hold(this.#toHeld(event, inFlight));
    if (outcome !== undefined && !(inFlight.wasHeld && outcome.disposition === "held"))
      await this.notify(outcome);
  }

  /** A message that the broker has deleted is not read again, but its slot is held, so that no further message is deleted. */
  #holdSlot(event: UndeserializableEvent, inFlight: InFlightMessage): void {
    const { settings, holding, block } = this.#parts;
    const held = this.#toHeld(event, inFlight);
    if (held.circuit === undefined) return;
    if (settings.session?.keeper !== undefined) block("circuitOpen");
    if (holding === undefined) return;
    inFlight.isHeld = true;
    void holding.hold(held);
  }

  #toHeld({ message }: UndeserializableEvent, inFlight: InFlightMessage): HeldMessage {
    const { delivered, delivery, end: free } = inFlight;
    const outcome = message.failure;
    const circuit =
      outcome.status === "undeserializable"
        ? this.#parts.settings.breaker?.openCircuitOf(delivered, outcome.report)
        : undefined;
    return { delivered, delivery, outcome, circuit, opening: circuit?.opening ?? 0, free };
  }

  /** Reads a message of a session repeatedly until the result is not `held` any more, while the messages behind it wait. */
  async #readInPlace(inFlight: InFlightMessage, { error }: UndeserializableEvent): Promise<void> {
    const { settings, policy, waits, handling, abandon } = this.#parts;
    const { intake, breaker, session } = settings;
    let lastError = error;
    for (let attempts = 0; ; attempts += 1) {
      const mayGoOn = await waits.waitInPlace(this.#delayMs(lastError, attempts));
      if (inFlight.isAborted) return;
      if (!mayGoOn) return waits.isEnded ? abandon(inFlight) : undefined;
      session?.keepLock?.();
      breaker?.beginProbe();
      const result = await intake.read(inFlight.delivered, inFlight.delivery, policy);
      if (!isUndeserializableEvent(result)) return handling.handle(result, inFlight);
      if (result.disposition !== "held") return this.#conclude(result, inFlight);
      lastError = result.error;
    }
  }

  #delayMs({ code }: WaybillError, attempts: number): number {
    const { breaker, backoff } = this.#parts.settings;
    return code === "unavailable" || breaker === undefined
      ? backoffDelayMs(backoff, attempts)
      : breaker.options.probeIntervalInMs;
  }
}
