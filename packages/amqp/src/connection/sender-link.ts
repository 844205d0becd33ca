import type { AcceptOptions, OutgoingDelivery, SenderHandler, SenderLink, SendOptions } from "../api.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { concatenate } from "../codec/encode.js";
import { serialAdd, serialDistance } from "../deliveries/serial.js";
import type { AmqpError } from "../frames/amqp-error.js";
import { type DeliveryState, encodeDeliveryState } from "../frames/delivery-state.js";
import { falseCode, trueCode } from "../frames/fields.js";
import type { FlowFields } from "../frames/flow.js";
import { minMaxFrameSize } from "../frames/frame.js";
import type { Attach } from "../frames/performatives.js";
import {
  type TransferHead,
  transferHeadSize,
  writeFirstTransfer,
  writeNextTransfer,
} from "../frames/transfer.js";
import { costs } from "../memory/memory-budget.js";
import { LinkEndpoint, type LinkHost } from "./link.js";

const maxTagSize = 32;
const maxStateSize = 128;

/** A sent delivery, from `send` until it is settled. */
export class Outgoing implements OutgoingDelivery, TransferHead {
  readonly link: SenderEndpoint;
  readonly tag: Uint8Array;
  readonly format: number;
  readonly encodedState: Uint8Array | undefined;
  readonly context: unknown;
  id: number | undefined = undefined;
  isSettled: boolean;
  parts: readonly Uint8Array[];
  size = 0;
  sent = 0;

  constructor(link: SenderEndpoint, message: Uint8Array | readonly Uint8Array[], options: SendOptions) {
    this.link = link;
    this.tag = options.deliveryTag;
    this.format = options.format ?? 0;
    this.isSettled = options.settled ?? false;
    this.encodedState = options.state && encodeDeliveryState(options.state);
    this.context = options.context;
    this.parts = message instanceof Uint8Array ? [message] : message;
    for (const part of this.parts) this.size += part.length;
    if (this.tag.length > maxTagSize) throw new TypeError("a delivery tag has at most 32 bytes");
    if (this.encodedState && this.encodedState.length > maxStateSize) {
      throw new TypeError(`the state of a transfer has at most ${maxStateSize} bytes`);
    }
  }
}

/** What a sending link needs of its session. */
export interface SenderHost extends LinkHost {
  /** How many transfer frames the peer can take now. */
  readonly remoteIncomingWindow: number;
  /** Links with deliveries waiting for credit or for the window. */
  readonly waiting: Set<SenderEndpoint>;
  /** Assigns the id of a delivery about to be sent, and tracks it unless it is settled. */
  nextDeliveryId(delivery: Outgoing): number;
  settleOutgoing(id: number, state: DeliveryState | undefined): void;
  /** The output, to write the head of one transfer frame. */
  writeTransfer(): ByteWriter;
}

/** A sending link: credit, the queue of deliveries waiting for it, and drain (2.6.7). */
export class SenderEndpoint extends LinkEndpoint<SenderHost> implements SenderLink {
  readonly role = "sender";
  handler: SenderHandler = {};
  isDraining = false;
  queuedSize = 0;
  #deliveryCount = 0;
  #linkCredit = 0;
  #queue: Outgoing[] = [];
  #isDrainDue = false;

  get credit(): number {
    return Math.max(0, Math.min(this.#linkCredit, this.session.remoteIncomingWindow) - this.#queue.length);
  }

  get queued(): number {
    return this.#queue.length;
  }

  accept(options: AcceptOptions = {}): void {
    if (!this.open(options)) return;
    // A flow may have arrived before the local answer to the attach: its credit counts from now on.
    if (this.#linkCredit > 0 || this.isDraining) this.#creditChanged();
  }

  send(message: Uint8Array | readonly Uint8Array[], options: SendOptions): OutgoingDelivery | undefined {
    const delivery = new Outgoing(this, message, options);
    if (this.isDetached || this.session.isEnded) return undefined;
    if (!delivery.isSettled && !this.holdOrFail(costs.delivery, "another unsettled delivery"))
      return undefined;
    if (this.#queue.length > 0 || !this.#transmit(delivery)) {
      if (!this.holdOrFail(costOfWaiting(delivery), "another delivery that waits for credit"))
        return undefined;
      this.#queue.push(delivery);
      this.queuedSize += delivery.size;
      this.session.waiting.add(this);
    }
    return delivery;
  }

  settle(delivery: OutgoingDelivery, state?: DeliveryState): void {
    const outgoing = delivery as Outgoing;
    if (outgoing.isSettled || outgoing.id === undefined || this.isDetached) return;
    this.session.settleOutgoing(outgoing.id, state);
    this.settled(outgoing);
  }

  /** Forgets a delivery that either side has settled. */
  settled(delivery: Outgoing): void {
    delivery.isSettled = true;
    this.unsettled--;
    this.free(costs.delivery);
  }

  completeDrain(): void {
    if (!this.isDraining || !this.isAttached) return;
    this.#isDrainDue = this.#queue.length > 0 && this.#linkCredit > 0;
    if (this.#isDrainDue) return;
    this.#deliveryCount = serialAdd(this.#deliveryCount, this.#linkCredit);
    this.#linkCredit = 0;
    this.writeFlow();
  }

  receiveFlow(flow: FlowFields): void {
    if (flow.linkCredit !== undefined) {
      // Without a delivery-count, the peer has not seen the local attach, whose initial count is 0 (2.7.4).
      const pending = serialDistance(flow.deliveryCount ?? 0, this.#deliveryCount);
      this.#linkCredit = Math.max(0, flow.linkCredit - Math.max(0, pending));
    }
    this.isDraining = flow.isDraining;
    this.activity++;
    if (this.isAttached) this.#creditChanged();
  }

  /** Called when the session's closed window has opened. */
  windowOpened(): void {
    if (this.isAttached && this.credit > 0) this.handler.onCredit?.(this);
  }

  /** Sends queued deliveries as far as credit and window allow. Returns whether any are left. */
  flushQueue(): boolean {
    let done = 0;
    for (const delivery of this.#queue) {
      if (!this.#transmit(delivery)) break;
      this.queuedSize -= delivery.size;
      this.free(costOfWaiting(delivery));
      done++;
    }
    if (done > 0) this.#queue.splice(0, done);
    if (this.#isDrainDue) this.completeDrain();
    return this.#queue.length > 0;
  }

  writeFlow(): void {
    this.session.writeFlow(
      this.handle,
      this.#deliveryCount,
      this.#linkCredit,
      this.#queue.length,
      this.isDraining,
    );
  }

  protected onRemoteAttach(_attach: Attach): void {}

  protected forgetUnfinished(): void {
    this.#queue = [];
    this.queuedSize = 0;
    this.session.waiting.delete(this);
  }

  protected notifyDetached(error: AmqpError | undefined): void {
    this.handler.onDetach?.(error, this);
  }

  #creditChanged(): void {
    if (this.#queue.length > 0) this.flushQueue();
    this.handler.onCredit?.(this);
    if (!this.isDraining || !this.isAttached) return;
    if (this.handler.onDrain) this.handler.onDrain(this);
    else this.completeDrain();
  }

  /** Writes a delivery, or as much of it as may be sent now; returns whether all of it is sent (2.6.12, 2.6.14). */
  #transmit(delivery: Outgoing): boolean {
    if (!this.isAttached || this.session.remoteIncomingWindow <= 0) return false;
    if (delivery.id === undefined && this.#linkCredit <= 0) return false;
    const capacity = this.#frameCapacity(delivery);
    if (delivery.size <= capacity) {
      this.#writeFirst(delivery, delivery.size);
      const writer = this.session.connection.write();
      for (const part of delivery.parts) writer.append(part);
      delivery.parts = [];
      return true;
    }
    const message = concatenate(delivery.parts);
    delivery.parts = [message];
    while (delivery.sent < delivery.size && this.session.remoteIncomingWindow > 0) {
      const end = Math.min(delivery.sent + capacity, delivery.size);
      if (delivery.id === undefined) this.#writeFirst(delivery, end);
      else {
        const more = end < delivery.size ? trueCode : falseCode;
        const { channel } = this.session;
        writeNextTransfer(this.session.writeTransfer(), channel, this.handle, end - delivery.sent, more);
      }
      this.session.connection.write().append(message.subarray(delivery.sent, end));
      delivery.sent = end;
    }
    if (delivery.sent < delivery.size) return false;
    delivery.parts = [];
    return true;
  }

  #writeFirst(delivery: Outgoing, payloadSize: number): void {
    const id = this.session.nextDeliveryId(delivery);
    delivery.id = id;
    if (!delivery.isSettled) this.unsettled++;
    this.#linkCredit--;
    this.#deliveryCount = serialAdd(this.#deliveryCount, 1);
    this.activity++;
    const more = payloadSize < delivery.size ? trueCode : falseCode;
    const { channel } = this.session;
    writeFirstTransfer(this.session.writeTransfer(), channel, this.handle, id, delivery, payloadSize, more);
  }

  #frameCapacity(delivery: Outgoing): number {
    const frameSize = Math.max(minMaxFrameSize, this.session.connection.remoteMaxFrameSize);
    return frameSize - transferHeadSize - delivery.tag.length - (delivery.encodedState?.length ?? 0);
  }
}

function costOfWaiting({ size }: Outgoing): number {
  return costs.delivery + size;
}
