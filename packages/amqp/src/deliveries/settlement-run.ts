import type { ByteWriter } from "../codec/byte-writer.js";
import { type DeliveryState, encodeDeliveryState } from "../frames/delivery-state.js";
import { writeDisposition } from "../frames/disposition.js";
import { serialAdd } from "./serial.js";

/**
 * Settlements of one role waiting to be written: adjacent deliveries with the same state form one range (2.7.6). A different state, or a
 * gap, writes the pending range first; ranges are never merged across it.
 */
export class SettlementRun {
  readonly #isFromReceiver: boolean;
  #isWaiting = false;
  #first = 0;
  #last = 0;
  #isSettled = false;
  #state: DeliveryState | undefined;
  #encodedState: Uint8Array | undefined;

  constructor(role: "sender" | "receiver") {
    this.#isFromReceiver = role === "receiver";
  }

  /** Adds a delivery; writes the pending range to `writer` first if the delivery cannot extend it. */
  add(
    writer: ByteWriter,
    channel: number,
    id: number,
    state: DeliveryState | undefined,
    settling: "settled" | "unsettled",
  ): void {
    const isSettled = settling === "settled";
    if (this.#isWaiting && this.#isSettled === isSettled && this.#isSameState(state)) {
      if (id === serialAdd(this.#last, 1)) {
        this.#last = id;
        return;
      }
      if (serialAdd(id, 1) === this.#first) {
        this.#first = id;
        return;
      }
    }
    this.flush(writer, channel);
    this.#isWaiting = true;
    this.#first = id;
    this.#last = id;
    this.#isSettled = isSettled;
    this.#state = state;
    this.#encodedState = state && encodeDeliveryState(state);
  }

  /** Writes the pending range. */
  flush(writer: ByteWriter, channel: number): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    writeDisposition(writer, channel, {
      isFromReceiver: this.#isFromReceiver,
      first: this.#first,
      last: this.#last,
      isSettled: this.#isSettled,
      encodedState: this.#encodedState,
    });
  }

  #isSameState(state: DeliveryState | undefined): boolean {
    if (state === this.#state) return true;
    if (!state || !this.#encodedState) return false;
    return Buffer.compare(encodeDeliveryState(state), this.#encodedState) === 0;
  }
}
