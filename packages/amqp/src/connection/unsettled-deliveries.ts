import type { ByteWriter } from "../codec/byte-writer.js";
import { DeliveryIndex, type DeliveryRange } from "../deliveries/delivery-index.js";
import { serialAdd, serialDistance } from "../deliveries/serial.js";
import { SettlementRun } from "../deliveries/settlement-run.js";
import type { DeliveryState } from "../frames/delivery-state.js";
import type { DispositionFields } from "../frames/disposition.js";
import type { Incoming } from "./receiver-link.js";
import type { Outgoing } from "./sender-link.js";

/** Deliveries of ended links are removed once there are at least this many, and more than other deliveries. */
const sweepMinimum = 64;
/** Deliveries to which a disposition is applied between checks of the turn. */
const stride = 64;

/** The rest of a disposition's range: does some of it, until the turn is over, and returns whether it is finished. */
export type RestOfRange = (isTurnOver: () => boolean) => boolean;

/**
 * The unsettled deliveries of a session in both directions, and the settlements not yet written (2.6.12). They are found by id, so one that
 * is never settled does not block the others.
 */
export class UnsettledDeliveries {
  readonly #incoming = new DeliveryIndex<Incoming>();
  /** Deliveries without an outcome from the peer: once it has sent one, only local settling is missing. */
  readonly #outgoing = new DeliveryIndex<Outgoing>();
  readonly #receiverRun = new SettlementRun("receiver");
  readonly #senderRun = new SettlementRun("sender");
  #nextId = 0;
  /** Number of deliveries in the indexes that may belong to ended links. */
  #stale = 0;

  /** Adds a received delivery; returns false if its id is in use. */
  addIncoming(delivery: Incoming): boolean {
    const present = this.#incoming.add(delivery.id, delivery);
    if (present === undefined) return true;
    if (!present.link.isDetached) return false;
    this.#incoming.delete(delivery.id);
    return this.#incoming.add(delivery.id, delivery) === undefined;
  }

  /** Assigns an id to a sent delivery and, unless it is settled already, tracks it. */
  addOutgoing(delivery: Outgoing): number {
    const id = this.#nextId;
    this.#nextId = serialAdd(id, 1);
    if (!delivery.isSettled) this.#outgoing.add(id, delivery);
    return id;
  }

  settleIncoming(
    writer: ByteWriter,
    channel: number,
    id: number,
    state: DeliveryState,
    settling: "settled" | "unsettled",
  ): void {
    if (settling === "settled") this.#incoming.delete(id);
    this.#receiverRun.add(writer, channel, id, state, settling);
  }

  settleOutgoing(writer: ByteWriter, channel: number, id: number, state: DeliveryState | undefined): void {
    this.#outgoing.delete(id);
    this.#senderRun.add(writer, channel, id, state, "settled");
  }

  /**
   * Prepares notifying the links of each delivery in the peer's range; returns `undefined` if the range ends before it begins. A state that
   * is not an outcome changes nothing, and each delivery gets one outcome: so a peer cannot make the same range be processed repeatedly.
   */
  receive(fields: DispositionFields): RestOfRange | undefined {
    const { first, last, isSettled, state, isFromReceiver } = fields;
    const length = serialDistance(first, last) + 1;
    if (length < 1) return undefined;
    if (isFromReceiver) {
      if (!isSettled && !isOutcome(state)) return nothing;
      const range = this.#outgoing.range(first, length);
      return walk(this.#outgoing, range, (delivery) => this.#applyToOutgoing(delivery, state, isSettled));
    }
    if (!isSettled) return nothing;
    const range = this.#incoming.range(first, length);
    return walk(this.#incoming, range, (delivery) => {
      this.#incoming.delete(delivery.id);
      if (!delivery.link.isDetached) delivery.link.settledByPeer(delivery, state);
    });
  }

  /** Writes pending settlements. */
  flush(writer: ByteWriter, channel: number): void {
    this.#receiverRun.flush(writer, channel);
    this.#senderRun.flush(writer, channel);
  }

  /** Forgets a link's deliveries, at most `count`. Deferred, because finding them takes time proportional to all others. */
  forget(count: number): void {
    this.#stale += count;
    const size = this.#incoming.size + this.#outgoing.size;
    if (this.#stale < sweepMinimum || this.#stale * 2 < size) return;
    this.#stale = 0;
    this.#incoming.sweep(({ link }) => link.isDetached);
    this.#outgoing.sweep(({ link }) => link.isDetached);
  }

  clear(): void {
    this.#outgoing.clear();
    this.#incoming.clear();
  }

  #applyToOutgoing(delivery: Outgoing, state: DeliveryState | undefined, isSettled: boolean): void {
    this.#outgoing.delete(delivery.id as number);
    const { link } = delivery;
    if (link.isDetached) return;
    if (isSettled) link.settled(delivery);
    link.handler.onDisposition?.(delivery, state);
  }
}

const nothing: RestOfRange = () => true;

/** Whether a state is an outcome, with or without a transaction (3.4, 4.5.6). */
function isOutcome(state: DeliveryState | undefined): boolean {
  if (state === undefined || state.kind === "received") return false;
  return state.kind !== "transactional" || state.outcome !== undefined;
}

function walk<T>(
  deliveries: DeliveryIndex<T>,
  range: DeliveryRange,
  visit: (delivery: T) => void,
): RestOfRange {
  return (isTurnOver) => {
    for (let visited = 1; ; visited++) {
      const delivery = deliveries.next(range);
      if (delivery === undefined) return true;
      visit(delivery);
      if (visited % stride === 0 && isTurnOver()) return false;
    }
  };
}
