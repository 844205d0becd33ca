import { type IntakePolicy, type IntakeResult, isUndeserializableEvent } from "../delivery/intake.js";
import { abandonUndecoded } from "../delivery/settle-undecoded.js";
import { isPromise } from "../foundation/is-promise.js";
import type { HeldMessage } from "../holding/held-messages.js";
import type { Holding } from "../holding/holding.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { ErrorReporter } from "./error-reporter.js";
import type { Handling } from "./handling.js";
import type { InFlightMessage } from "./in-flight-message.js";
import type { PendingWaits } from "./pending-waits.js";
import type { BlockCause, ProcessorSettings } from "./processor-settings.js";
import { readInPlace } from "./read-in-place.js";

/** What running messages works with. */
export interface MessageRunnerParts {
  readonly settings: ProcessorSettings;
  readonly reporter: ErrorReporter;
  readonly handling: Handling;
  /** Undefined in a session, whose order leaves nothing to hold beside it. */
  readonly holding: Holding | undefined;
  readonly policy: IntakePolicy | undefined;
  readonly waits: PendingWaits;
  /** Stops the processor at a message. */
  readonly block: (cause: BlockCause) => void;
  /** Gives a message back that no handler has seen. */
  readonly letGo: (inFlight: InFlightMessage) => Promise<void>;
}

/** Runs one message of a processor: reads it, hands it to its handler, and concludes what could not be read. */
export class MessageRunner {
  readonly #parts: MessageRunnerParts;

  constructor(parts: MessageRunnerParts) {
    this.#parts = parts;
  }

  /** Without a frame of its own, which would show: most messages are read at once and only wait for their handler. */
  run(inFlight: InFlightMessage): Promise<void> {
    const { settings, policy, handling } = this.#parts;
    const reading = settings.intake.read(inFlight.delivered, inFlight.delivery, policy);
    const pass = (result: IntakeResult) => {
      if (isUndeserializableEvent(result)) return this.#conclude(result, inFlight);
      inFlight.onRead?.();
      // It may have been given back while it was read.
      return inFlight.isAborted ? Promise.resolve() : handling.handle(result, inFlight);
    };
    return isPromise(reading) ? (reading as Promise<IntakeResult>).then(pass) : pass(reading as IntakeResult);
  }

  /** Reports a message that was not read, to the client's hook and as an error. Never rejects. */
  async notify(event: UndeserializableEvent): Promise<void> {
    const { settings, reporter } = this.#parts;
    const { message, disposition, error, settlementError } = event;
    settings.onUndeserializable(event);
    if (settlementError !== undefined) {
      const source = disposition === "unsettled" ? "deadLetter" : "quarantine";
      await reporter.report(settlementError, source, message.messageId);
    }
    const explained = settings.breaker?.explain(error) ?? error;
    await reporter.report(explained, "deserialize", message.messageId, event);
  }

  async #conclude(event: UndeserializableEvent, inFlight: InFlightMessage): Promise<void> {
    const { settings, reporter, waits, block } = this.#parts;
    if (event.disposition === "held") return this.#hold(event, inFlight);
    // Before anything that takes time: what comes behind it must not overtake it.
    if (event.disposition === "blocked") block(settings.isBlocking ? "undeserializable" : "circuitOpen");
    else if (inFlight.delivery === undefined) this.#holdPlace(event, inFlight);
    await this.notify(event);
    if (event.disposition !== "abandoned" || inFlight.delivery === undefined) return;
    await abandonUndecoded(inFlight.delivery, waits.abandons, (error) => {
      void reporter.report(error, "abandon", event.message.messageId);
    });
  }

  /** Keeps a message that cannot be read now: beside the others, or in its place where order counts. */
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

  /** What the broker has deleted already cannot be held, but keeps the next from being deleted too. */
  #holdPlace(event: UndeserializableEvent, inFlight: InFlightMessage): void {
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

  /** Reads a message of a session again and again: what lies behind it waits. */
  async #readInPlace(inFlight: InFlightMessage, event: UndeserializableEvent): Promise<void> {
    const { settings, policy, waits, handling, letGo } = this.#parts;
    const { intake, breaker, backoff, session } = settings;
    const result = await readInPlace(inFlight, event.error, {
      intake,
      breaker,
      backoff,
      keepLock: session?.keepLock,
      policy,
      signal: waits.inPlace,
    });
    if (result === undefined) {
      if (waits.isEnded && !inFlight.isAborted) await letGo(inFlight);
    } else if (isUndeserializableEvent(result)) await this.#conclude(result, inFlight);
    else await handling.handle(result, inFlight);
  }
}
