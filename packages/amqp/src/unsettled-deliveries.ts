import type { ByteWriter } from "./codec/byte-writer.js";
import type { DeliveryState } from "./frames/delivery-state.js";
import type { DispositionFields } from "./frames/disposition.js";
import type { LinkEndpoint } from "./link.js";
import type { Incoming } from "./receiver-link.js";
import type { Outgoing } from "./sender-link.js";
import { serialAdd, serialDistance } from "./serial.js";
import { SettlementRun } from "./settlement-run.js";

/**
 * The deliveries of a session that await settlement, both ways, and the settlements that await being written
 * (2.6.12). They are found by id, so one that stays for ever holds up none of the others.
 */
export class UnsettledDeliveries {
  readonly #incoming = new Map<number, Incoming>();
  readonly #outgoing = new Map<number, Outgoing>();
  readonly #receiverRun = new SettlementRun("receiver");
  readonly #senderRun = new SettlementRun("sender");
  #nextId = 0;

  /** Takes in a delivery of the peer's; false when its id is in use. */
  addIncoming(delivery: Incoming): boolean {
    if (this.#incoming.has(delivery.id)) return false;
    this.#incoming.set(delivery.id, delivery);
    return true;
  }

  /** Gives a delivery of ours its id and, unless it is settled already, keeps it. */
  addOutgoing(delivery: Outgoing): number {
    const id = this.#nextId;
    this.#nextId = serialAdd(id, 1);
    if (!delivery.isSettled) this.#outgoing.set(id, delivery);
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

  /** Tells the links of each delivery in the peer's range; false when the range ends before it begins. */
  receive(fields: DispositionFields): boolean {
    const { first, last, isSettled, state, isFromReceiver } = fields;
    const length = serialDistance(first, last) + 1;
    if (length < 1) return false;
    if (isFromReceiver) {
      forRange(this.#outgoing, first, length, (delivery) =>
        this.#applyToOutgoing(delivery, state, isSettled),
      );
    } else if (isSettled) {
      forRange(this.#incoming, first, length, (delivery) => {
        this.#incoming.delete(delivery.id);
        delivery.link.settledByPeer(delivery, state);
      });
    }
    return true;
  }

  /** Writes the settlements that wait. */
  flush(writer: ByteWriter, channel: number): void {
    this.#receiverRun.flush(writer, channel);
    this.#senderRun.flush(writer, channel);
  }

  forget(link: LinkEndpoint): void {
    for (const [id, delivery] of this.#outgoing) if (delivery.link === link) this.#outgoing.delete(id);
    for (const [id, delivery] of this.#incoming) if (delivery.link === link) this.#incoming.delete(id);
  }

  clear(): void {
    this.#outgoing.clear();
    this.#incoming.clear();
  }

  #applyToOutgoing(delivery: Outgoing, state: DeliveryState | undefined, isSettled: boolean): void {
    if (isSettled) {
      delivery.isSettled = true;
      this.#outgoing.delete(delivery.id as number);
    }
    delivery.link.handler.onDisposition?.(delivery, state);
  }
}

/** Visits the deliveries in a range of ids, in time bounded by their number, however wide the range. */
function forRange<T>(
  deliveries: ReadonlyMap<number, T>,
  first: number,
  length: number,
  visit: (delivery: T) => void,
): void {
  if (length > deliveries.size) {
    for (const [id, delivery] of [...deliveries]) {
      const offset = serialDistance(first, id);
      if (offset >= 0 && offset < length) visit(delivery);
    }
    return;
  }
  for (let i = 0; i < length; i++) {
    const delivery = deliveries.get(serialAdd(first, i));
    if (delivery) visit(delivery);
  }
}
