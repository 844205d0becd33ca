import { Buffer } from "node:buffer";
import type { DeliveryState, Outcome } from "@waybill/amqp";
import { type Broker, BrokerError, type Transaction } from "@waybill/broker";
import { AmqpRefusal } from "./error.js";

/** Open transactions that one connection may have. */
const OPEN_LIMIT = 1000;

/** The transactions of one connection by their AMQP ids. */
export class OpenTransactions {
  readonly #broker: Broker;
  readonly #open = new Map<string, Transaction>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  /** Begins a transaction and returns its id. Throws when the connection has too many. */
  declare(): Uint8Array {
    this.#forgetEnded();
    if (this.#open.size >= OPEN_LIMIT) {
      throw new AmqpRefusal(
        "amqp:resource-limit-exceeded",
        `A connection has at most ${OPEN_LIMIT} open transactions.`,
        403,
      );
    }
    const transaction = this.#broker.beginTransaction();
    const id = Buffer.from(transaction.id.replaceAll("-", ""), "hex");
    this.#open.set(keyOf(id), transaction);
    return id;
  }

  /** The open transaction of this id; throws `transaction-not-found`. */
  require(id: Uint8Array): Transaction {
    const transaction = this.#open.get(keyOf(id));
    if (transaction !== undefined) return transaction;
    throw new BrokerError(
      "transaction-not-found",
      "There is no open transaction of this id on the connection.",
    );
  }

  /** The transaction that a delivery's state asks for, if it asks for one; throws `transaction-not-found`. */
  of(state: DeliveryState | undefined): Transaction | undefined {
    return state?.kind === "transactional" ? this.require(state.transactionId) : undefined;
  }

  /** Ends a transaction: commits it, or rolls it back. */
  async discharge(id: Uint8Array, fail: boolean): Promise<void> {
    const transaction = this.require(id);
    this.#open.delete(keyOf(id));
    await (fail ? transaction.rollBack() : transaction.commit());
  }

  /** Rolls back a transaction that nobody can discharge any more. */
  abandon(id: Uint8Array): void {
    const transaction = this.#open.get(keyOf(id));
    this.#open.delete(keyOf(id));
    if (transaction?.state === "open") transaction.rollBack().catch(() => {});
  }

  rollBackAll(): void {
    for (const transaction of this.#open.values()) {
      if (transaction.state === "open") transaction.rollBack().catch(() => {});
    }
    this.#open.clear();
  }

  #forgetEnded(): void {
    if (this.#open.size < OPEN_LIMIT) return;
    for (const [key, { state }] of this.#open) if (state !== "open") this.#open.delete(key);
  }
}

/** An outcome as it is told for a delivery that came with `state`: under its transaction, if it has one. */
export function under(state: DeliveryState | undefined, outcome: Outcome): DeliveryState {
  if (state?.kind !== "transactional") return outcome;
  return { kind: "transactional", transactionId: state.transactionId, outcome };
}

function keyOf(id: Uint8Array): string {
  return Buffer.from(id).toString("hex");
}
