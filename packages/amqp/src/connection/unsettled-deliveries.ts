import type { ByteWriter } from "../codec/byte-writer.js";
import { DeliveryIndex, type DeliveryRange } from "../deliveries/delivery-index.js";
import { serialAdd, serialDistance } from "../deliveries/serial.js";
import { SettlementRun } from "../deliveries/settlement-run.js";
import type { DeliveryState } from "../frames/delivery-state.js";
import type { DispositionFields } from "../frames/disposition.js";
import type { Incoming } from "./receiver-link.js";
import type { Outgoing } from "./sender-link.js";

/** Deliveries of links that are over are swept out once there are so many, and more than of the others. */
const SWEEP_MINIMUM = 64;
/** Deliveries that a disposition is applied to between two looks at the turn. */
const STRIDE = 64;

/** Whether the turn is over, so that what is left has to wait for the next one. */
export type IsTurnOver = () => boolean;

/** Work on a disposition's range that goes on in another turn: does some of it, and says whether all is done. */
export type RestOfRange = (isTurnOver: IsTurnOver) => boolean;

/**
 * The deliveries of a session that await settlement, both ways, and the settlements that await being written
 * (2.6.12). They are found by id, so one that stays forever holds up none of the others.
 */
export class UnsettledDeliveries {
  readonly #incoming = new DeliveryIndex<Incoming>();
  /** Those whose outcome the peer has not announced: announced once, a delivery only awaits our own settling. */
  readonly #outgoing = new DeliveryIndex<Outgoing>();
  readonly #receiverRun = new SettlementRun("receiver");
  readonly #senderRun = new SettlementRun("sender");
  #nextId = 0;
  /** How many deliveries in the indexes may be of links that are over. */
  #stale = 0;

  /** Takes in a delivery of the peer's; false when its id is in use. */
  addIncoming(delivery: Incoming): boolean {
    const present = this.#incoming.add(delivery.id, delivery);
    if (present === undefined) return true;
    if (!present.link.isDetached) return false;
    this.#incoming.delete(delivery.id);
    return this.#incoming.add(delivery.id, delivery) === undefined;
  }

  /** Gives a delivery of ours its id and, unless it is settled already, keeps it. */
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
   * Prepares notifying the links of each delivery in the peer's range; `undefined` when the range ends before it begins. A state that is
   * no outcome changes nothing, and each delivery gets one outcome: so a peer cannot have the same range walked again and again.
   */
  receive(fields: DispositionFields): RestOfRange | undefined {
    const { first, last, isSettled, state, isFromReceiver } = fields;
    const length = serialDistance(first, last) + 1;
    if (length < 1) return undefined;
    if (isFromReceiver) {
      if (!isSettled && !isOutcome(state)) return NOTHING;
      const range = this.#outgoing.range(first, length);
      return walk(this.#outgoing, range, (delivery) => this.#applyToOutgoing(delivery, state, isSettled));
    }
    if (!isSettled) return NOTHING;
    const range = this.#incoming.range(first, length);
    return walk(this.#incoming, range, (delivery) => {
      this.#incoming.delete(delivery.id);
      if (!delivery.link.isDetached) delivery.link.settledByPeer(delivery, state);
    });
  }

  /** Writes the settlements that wait. */
  flush(writer: ByteWriter, channel: number): void {
    this.#receiverRun.flush(writer, channel);
    this.#senderRun.flush(writer, channel);
  }

  /** Forgets a link's deliveries, `count` at most: not at once, since looking for them takes time in proportion to all others. */
  forget(count: number): void {
    this.#stale += count;
    const size = this.#incoming.size + this.#outgoing.size;
    if (this.#stale < SWEEP_MINIMUM || this.#stale * 2 < size) return;
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

const NOTHING: RestOfRange = () => true;

/** Whether a state is where a delivery ends, with or without a transaction (3.4, 4.5.6). */
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
      if (visited % STRIDE === 0 && isTurnOver()) return false;
    }
  };
}
