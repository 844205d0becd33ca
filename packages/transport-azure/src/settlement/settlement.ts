import type { WaybillError } from "@waybill/core";
import type { ReceivedServiceBusMessage, ServiceBusReceiverLike } from "../sdk/service-bus-client.js";
import type { AzureDelivery } from "./azure-delivery.js";
import type { SettlementVerb } from "./outcome-key.js";

/** Settles a message in one way, with any receiver of its entity. */
export type SendSettlement = (
  receiver: ServiceBusReceiverLike,
  message: ReceivedServiceBusMessage,
) => Promise<void>;

/** The settlement of one message, from the call to its end. Its first outcome counts. */
export class Settlement {
  readonly delivery: AzureDelivery;
  readonly verb: SettlementVerb;
  readonly send: SendSettlement;
  /** Settles as the settlement does. */
  readonly ended: Promise<void>;
  /** Its index among the watched settlements; -1 while it is not watched. */
  index = -1;
  /** When its answer is overdue, by `performance.now()`. */
  answerUntil = 0;
  /** Whether it may have taken effect: it was sent once, and its answer was lost. */
  wasSent = false;
  readonly #toError: (error: unknown) => WaybillError;
  #resolve!: () => void;
  #reject!: (error: WaybillError) => void;
  #isOver = false;

  /** Begins to settle an open delivery. `toError` maps its error. */
  constructor(
    delivery: AzureDelivery,
    verb: SettlementVerb,
    send: SendSettlement,
    toError: (error: unknown) => WaybillError,
  ) {
    this.delivery = delivery;
    this.verb = verb;
    this.send = send;
    this.#toError = toError;
    this.ended = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The SDK keeps one promise per delivery: the first of two settlements would never settle.
    delivery.state = "settling";
    delivery.settling = this.ended;
  }

  succeed(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.delivery.state = "settled";
    this.#resolve();
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const mapped = this.#toError(error);
    this.delivery.state = mapped.code === "message-lock-lost" ? "settled" : "open";
    this.#reject(mapped);
  }
}
