import { Buffer } from "node:buffer";
import type { DeliveryState, Outcome } from "@waybill/amqp";
import { type Broker, BrokerError, type Transaction } from "@waybill/broker";
import { requestLimits } from "../limits/request-limits.js";
import { entityOf } from "../refusals/address.js";
import { AmqpRefusal, limitExceeded } from "../refusals/error.js";

const { openTransactions: openLimit } = requestLimits;

interface OpenTransaction {
  readonly transaction: Transaction;
  /** The queue or topic whose messages it settles, once it settles any. */
  settles?: string;
}

/** The transactions of one connection by AMQP id. */
export class OpenTransactions {
  readonly #broker: Broker;
  readonly #open = new Map<string, OpenTransaction>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  /** Begins a transaction and returns its id. Throws if the connection has too many. */
  declare(): Uint8Array {
    this.#forgetEnded();
    if (this.#open.size >= openLimit)
      throw limitExceeded(`A connection has at most ${openLimit} open transactions.`);
    const transaction = this.#broker.beginTransaction();
    const id = Buffer.from(transaction.id.replaceAll("-", ""), "hex");
    this.#open.set(keyOf(id), { transaction });
    return id;
  }

  /** The transaction in a delivery's state, if any; throws `transaction-not-found`. */
  of(state: DeliveryState | undefined): Transaction | undefined {
    return state?.kind === "transactional" ? this.#find(state.transactionId).transaction : undefined;
  }

  /**
   * Like `of`, for a settlement of messages of the entity at `path`. A transaction settles messages of a single queue or topic; throws
   * `amqp:not-allowed` for another one. Source: "Overview of Service Bus transaction processing".
   */
  ofSettlement(state: DeliveryState | undefined, path: string): Transaction | undefined {
    if (state?.kind !== "transactional") return undefined;
    const open = this.#find(state.transactionId);
    const entity = entityOf(path).replace(/\/subscriptions\/.*/, "");
    open.settles ??= entity;
    if (open.settles === entity) return open.transaction;
    throw new AmqpRefusal(
      "amqp:not-allowed",
      `A transaction cannot span more than one top-level entity to receive from: '${open.settles}' and '${entity}'.`,
    );
  }

  /** Ends a transaction: commits it, or rolls it back. */
  async discharge(id: Uint8Array, fail: boolean): Promise<void> {
    const { transaction } = this.#find(id);
    this.#open.delete(keyOf(id));
    await (fail ? transaction.rollBack() : transaction.commit());
  }

  /** Rolls back, by `later`, a transaction that can no longer be discharged. */
  abandon(id: Uint8Array, later: (end: () => void) => void): void {
    const open = this.#open.get(keyOf(id));
    this.#open.delete(keyOf(id));
    if (open !== undefined) later(() => rollBack(open));
  }

  /** Rolls back all transactions, each by `later`: together they may have 100,000 steps. */
  rollBackAll(later: (end: () => void) => void): void {
    for (const open of this.#open.values()) later(() => rollBack(open));
    this.#open.clear();
  }

  #forgetEnded(): void {
    if (this.#open.size < openLimit) return;
    for (const [key, { transaction }] of this.#open) if (transaction.state !== "open") this.#open.delete(key);
  }

  #find(id: Uint8Array): OpenTransaction {
    const open = this.#open.get(keyOf(id));
    if (open !== undefined) return open;
    throw new BrokerError(
      "transaction-not-found",
      "There is no open transaction of this id on the connection.",
    );
  }
}

function rollBack({ transaction }: OpenTransaction): void {
  if (transaction.state === "open") transaction.rollBack().catch(() => {});
}

/** The outcome to send for a delivery with `state`: within its transaction, if it has one. */
export function under(state: DeliveryState | undefined, outcome: Outcome): DeliveryState {
  if (state?.kind !== "transactional") return outcome;
  return { kind: "transactional", transactionId: state.transactionId, outcome };
}

function keyOf(id: Uint8Array): string {
  return Buffer.from(id).toString("hex");
}
