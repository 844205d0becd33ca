import { cut } from "@waybill/foundation";
import type { SettlementVerb } from "../../contracts/settlement.js";
import type {
  ModifyingOptions,
  OutcomeOptions,
  TransportDeadLetterOptions,
  TransportSender,
} from "../../contracts/transport.js";
import { maxDeadLetterTextLength } from "../../message/broker-properties.js";
import { checkApplicationProperties } from "../../message/check-message.js";
import type { MessageId, ReceivedMessage, UndecodedMessage } from "../../message/message.js";
import type { Delivery } from "../delivery/delivery.js";
import type { ReceiverContext } from "../delivery/receiver-context.js";
import type { ErrorReporter } from "./error-reporter.js";
import { isSettlingError, type SettlingError } from "./handler-errors.js";
import type { InFlightMessage, MessageContext } from "./in-flight-message.js";
import type { MessageHandlers } from "./processor-options.js";
import { retriesOf, retryCopy } from "./retry.js";
import type { ResolvedRetryOptions } from "./retry-options.js";

/** The retry options, and the sender of the copies. */
export interface RetrySettings extends ResolvedRetryOptions {
  readonly sender: () => TransportSender;
}

/** How messages are handled. */
export interface HandlingSettings {
  readonly isAutoCompleting: boolean;
  readonly retry: RetrySettings | undefined;
  /** Creates the handler's second argument; undefined if that is the message in flight. */
  readonly keeper: { toContext(inFlight: InFlightMessage): MessageContext } | undefined;
}

/** Calls the handler for each message, and settles the message according to the result. */
export class Handling {
  readonly #processMessage: MessageHandlers<unknown, UndecodedMessage>["processMessage"];
  readonly #report: ErrorReporter;
  readonly #context: ReceiverContext;
  readonly #settings: HandlingSettings;

  constructor(
    context: ReceiverContext,
    handlers: MessageHandlers<unknown, UndecodedMessage>,
    report: ErrorReporter,
    settings: HandlingSettings,
  ) {
    this.#context = context;
    this.#processMessage = (message, argument) => handlers.processMessage(message, argument);
    this.#report = report;
    this.#settings = settings;
  }

  /** Resolves when the handler has finished and its message is settled, is being completed, or was left unsettled on purpose; never rejects. */
  async handle(message: ReceivedMessage | UndecodedMessage, inFlight: InFlightMessage): Promise<void> {
    const { delivery } = inFlight;
    const ended = this.#beginReport(inFlight);
    try {
      await this.#processMessage(message, this.#settings.keeper?.toContext(inFlight) ?? inFlight);
      ended?.(undefined);
    } catch (error) {
      ended?.(error);
      return this.#onThrown(error, message.messageId, delivery);
    }
    if (delivery === undefined) return;
    if (this.#settings.isAutoCompleting) {
      // Frees the body for garbage collection, because many completions may be pending.
      delivery.handOver(undefined);
      inFlight.completing = this.#settle(delivery, "complete");
      // The slot stays taken until the lock is no longer needed; otherwise closing would not wait for it.
    } else if (delivery.state === "settling") await this.outlast(delivery);
  }

  /** Returns the function that reports the handler's result; undefined without diagnostics. */
  #beginReport({ delivered }: InFlightMessage): ((error: unknown) => void) | undefined {
    const { observer, entityPath } = this.#context;
    if (observer === undefined || !observer.isOn) return undefined;
    return observer.processing(entityPath, delivered);
  }

  /** Abandons a message even if its handler is running. Never rejects. */
  async abandon(delivery: Delivery): Promise<void> {
    if (delivery.state === "open" || delivery.state === "settling") await this.#settle(delivery, "abandon");
  }

  /** Waits for a settlement that the handler began without awaiting it. Its error is left to the handler. */
  async outlast(delivery: Delivery): Promise<void> {
    try {
      await delivery.settling;
    } catch {
      this.#context.renewal.forget(delivery);
    }
  }

  /** A handler may throw anything: if even inspecting the value throws, its message is abandoned. */
  async #onThrown(
    error: unknown,
    messageId: MessageId | undefined,
    delivery: Delivery | undefined,
  ): Promise<void> {
    try {
      const asked = isSettlingError(error) ? settlementFor(error) : undefined;
      if (asked?.verb !== "defer") await this.#report(error, "processMessageCallback", messageId);
      if (delivery === undefined) return;
      const { retry } = this.#settings;
      if (asked !== undefined) await this.#settleAsAsked(delivery, asked);
      else if (retry !== undefined) await this.#retryLater(delivery, error, retry);
      else await this.#settle(delivery, "abandon");
    } catch (fault) {
      await this.#report(fault, "processMessageCallback", messageId);
      if (delivery !== undefined) await this.#settle(delivery, "abandon");
    }
  }

  /** If the broker refuses the settlement, for example because of its properties, the message is abandoned. */
  async #settleAsAsked(delivery: Delivery, { verb, options }: AskedSettlement): Promise<void> {
    const { message, receiver } = delivery;
    try {
      if (options.propertiesToModify !== undefined) {
        checkApplicationProperties(options.propertiesToModify, {
          messageId: message.messageId,
          entityPath: receiver.entityPath,
        });
      }
    } catch (error) {
      await this.#report(error, verb, message.messageId);
      return this.#settle(delivery, "abandon");
    }
    await this.#settle(delivery, verb, options);
    // The broker refused it and the lock still lasts: without this the message would wait for its end.
    if (delivery.state === "open") await this.#settle(delivery, "abandon");
  }

  async #retryLater(delivery: Delivery, error: unknown, retry: RetrySettings): Promise<void> {
    if (delivery.state !== "open") return this.#settle(delivery, "abandon");
    const { message } = delivery;
    const retries = retriesOf(message);
    if (retries >= retry.maxRetries) {
      const options = {
        deadLetterReason: "RetriesExhausted",
        deadLetterErrorDescription: `The handler failed ${retries + 1} times, the last time with ${kindOf(error)}.`,
      };
      return this.#settleAsAsked(delivery, { verb: "deadLetter", options });
    }
    try {
      const { delayInMs } = retry;
      const delayMs = typeof delayInMs === "function" ? delayInMs(retries + 1, error) : delayInMs;
      if (delayMs > 0) {
        const atMs = this.#context.scheduler.now() + delayMs;
        // First the copy, then the original: a crash in between duplicates the message instead of losing it.
        await retry.sender().schedule([retryCopy(message, atMs)], new Date(atMs));
        return await this.#settle(delivery, "complete");
      }
    } catch (retryError) {
      await this.#report(retryError, "retry", message.messageId);
    }
    await this.#settle(delivery, "abandon");
  }

  /** Settles a message that the handler did not settle. If that fails, its lock expires and the message is delivered again. */
  #settle(delivery: Delivery, verb: SettlementVerb, options?: TransportDeadLetterOptions): Promise<void> {
    if (delivery.state === "settled") return Promise.resolve();
    if (delivery.state === "settling") return this.outlast(delivery);
    return delivery.settle(verb, options).catch((error: unknown) => {
      this.#context.renewal.forget(delivery);
      return this.#report(error, verb, delivery.message.messageId);
    });
  }
}

/** How a handler asked for its message to be settled. */
interface AskedSettlement {
  readonly verb: Exclude<SettlementVerb, "complete" | "abandon">;
  readonly options: TransportDeadLetterOptions;
}

function settlementFor(error: SettlingError): AskedSettlement {
  const { propertiesToModify } = error;
  switch (error.name) {
    case "DeadLetterError": {
      const { reason, description } = error;
      const options = {
        deadLetterReason: cut(reason, maxDeadLetterTextLength),
        deadLetterErrorDescription:
          description === undefined ? undefined : cut(description, maxDeadLetterTextLength),
        propertiesToModify,
      } satisfies OutcomeOptions;
      return { verb: "deadLetter", options };
    }
    case "DeferError":
      return { verb: "defer", options: { propertiesToModify } satisfies ModifyingOptions };
  }
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name.slice(0, 128) : typeof error;
}
