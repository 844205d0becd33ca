import type { IncomingDelivery, ReceiverAcceptOptions, ReceiverHandler, ReceiverLink } from "../api.js";
import { serialAdd, serialDistance } from "../deliveries/serial.js";
import type { AmqpError } from "../frames/amqp-error.js";
import { type DeliveryState, rejected, toDeliveryState } from "../frames/delivery-state.js";
import type { FlowFields } from "../frames/flow.js";
import type { Attach } from "../frames/performatives.js";
import type { TransferFields } from "../frames/transfer.js";
import { costs } from "../memory/memory-budget.js";
import { PartialMessage } from "../memory/partial-message.js";
import { LinkEndpoint, type LinkHost } from "./link.js";

/** 2.8.7 */
const maxTagSize = 32;

/** A received delivery, from its last frame until it is settled. */
export class Incoming implements IncomingDelivery {
  readonly link: ReceiverEndpoint;
  readonly id: number;
  readonly tag: Uint8Array;
  readonly format: number;
  readonly message: Uint8Array;
  readonly state: DeliveryState | undefined;
  isSettled: boolean;
  context: unknown = undefined;

  constructor(
    link: ReceiverEndpoint,
    head: Pick<IncomingDelivery, "id" | "tag" | "format" | "state" | "isSettled">,
    message: Uint8Array,
  ) {
    this.link = link;
    this.id = head.id;
    this.tag = head.tag;
    this.format = head.format;
    this.message = message;
    this.state = head.state;
    this.isSettled = head.isSettled;
  }
}

/** What a receiving link needs of its session. */
export interface ReceiverHost extends LinkHost {
  /** Links whose credit must be announced. */
  readonly flowDue: Set<LinkEndpoint>;
  /** Adds an unsettled received delivery; returns false if its id is in use, which ends the session. */
  addIncoming(delivery: Incoming): boolean;
  settleIncoming(id: number, state: DeliveryState, settling: "settled" | "unsettled"): void;
}

/** A receiving link: the credit given, and messages assembled from their frames (2.6.14). */
export class ReceiverEndpoint extends LinkEndpoint<ReceiverHost> implements ReceiverLink {
  readonly role = "receiver";
  handler: ReceiverHandler = {};
  credit = 0;
  #deliveryCount = 0;
  #creditWindow = 0;
  #maxMessageSize = 0;
  #oversized: NonNullable<ReceiverAcceptOptions["oversized"]> = "detach";
  #isDraining = false;
  #partial: PartialMessage | undefined;

  accept(options: ReceiverAcceptOptions = {}): void {
    if (this.open(options)) this.#topUp();
  }

  override open(options: ReceiverAcceptOptions): boolean {
    this.#creditWindow = options.creditWindow ?? 0;
    this.#maxMessageSize = options.maxMessageSize ?? this.session.connection.options.maxMessageSize;
    this.#oversized = options.oversized ?? "detach";
    return super.open(options);
  }

  addCredit(count: number): void {
    if (this.isDetached || count <= 0) return;
    this.credit += count;
    this.#isDraining = false;
    if (this.isAttached) this.session.flowDue.add(this);
    this.session.noteWork();
  }

  drain(): void {
    if (!this.isAttached) return;
    this.#isDraining = true;
    this.writeFlow();
  }

  settle(delivery: IncomingDelivery, state: DeliveryState): void {
    const incoming = delivery as Incoming;
    if (incoming.isSettled || this.isDetached) return;
    this.#settled(incoming);
    this.session.settleIncoming(incoming.id, state, "settled");
    this.#topUp();
  }

  propose(delivery: IncomingDelivery, state: DeliveryState): void {
    if (delivery.isSettled || this.isDetached) return;
    this.session.settleIncoming(delivery.id, state, "unsettled");
  }

  /** The sender settled a received delivery (2.7.6). */
  settledByPeer(delivery: Incoming, state: DeliveryState | undefined): void {
    this.#settled(delivery);
    this.#topUp();
    this.handler.onSettled?.(delivery, state);
  }

  receiveFlow(flow: FlowFields): void {
    this.activity++;
    if (flow.deliveryCount === undefined) return;
    const advanced = serialDistance(this.#deliveryCount, flow.deliveryCount);
    if (advanced > 0) {
      this.#deliveryCount = flow.deliveryCount;
      this.credit = Math.max(0, this.credit - advanced);
    }
    if (!this.#isDraining || this.credit > 0) return;
    this.#isDraining = false;
    this.handler.onDrained?.(this);
    this.#topUp();
  }

  /** Handles one transfer frame. One that violates the link's rules detaches it and is otherwise ignored. */
  receiveTransfer(fields: TransferFields, payload: Uint8Array): void {
    if (this.isDetached) return;
    if (!this.isAttached) {
      this.#refuseTransfer("amqp:link:transfer-limit-exceeded", "no credit was given");
      return;
    }
    const partial = this.#partial ?? this.#begin(fields);
    if (!partial) return;
    if (fields.isAborted) {
      partial.forget();
      this.#partial = undefined;
      this.#topUp();
      return;
    }
    if (this.#partial && fields.deliveryId !== undefined && fields.deliveryId !== partial.id) {
      this.#refuseTransfer("amqp:not-allowed", "a delivery began before the one in progress was complete");
      return;
    }
    this.#append(partial, fields, payload);
  }

  writeFlow(): void {
    this.session.writeFlow(this.handle, this.#deliveryCount, this.credit, undefined, this.#isDraining);
  }

  protected onRemoteAttach(attach: Attach): void {
    // Some peers omit the mandatory initial-delivery-count, and mean 0.
    this.#deliveryCount = attach.initialDeliveryCount ?? 0;
    if (this.state === "attach-sent") this.#topUpOnReply();
  }

  protected forgetUnfinished(): void {
    this.#partial = undefined;
  }

  protected notifyDetached(error: AmqpError | undefined): void {
    this.handler.onDetach?.(error, this);
  }

  #topUpOnReply(): void {
    this.credit = Math.max(this.credit, this.#creditWindow);
    if (this.credit > 0) this.session.flowDue.add(this);
    this.session.noteWork();
  }

  #begin(fields: TransferFields): PartialMessage | undefined {
    if (this.credit <= 0) {
      return this.#refuseTransfer("amqp:link:transfer-limit-exceeded", "a delivery came without credit");
    }
    if (fields.isResumed) {
      return this.#refuseTransfer("amqp:not-implemented", "deliveries cannot be resumed");
    }
    if (fields.deliveryId === undefined || fields.deliveryTag === undefined) {
      return this.#refuseTransfer("amqp:invalid-field", "a delivery begins without its id or its tag");
    }
    if (fields.deliveryTag.length > maxTagSize) {
      return this.#refuseTransfer("amqp:invalid-field", `a delivery tag has at most ${maxTagSize} bytes`);
    }
    this.credit--;
    this.#deliveryCount = serialAdd(this.#deliveryCount, 1);
    this.activity++;
    return new PartialMessage(this, fields.deliveryId, fields.deliveryTag, fields.messageFormat);
  }

  #append(partial: PartialMessage, fields: TransferFields, payload: Uint8Array): void {
    if (
      partial.isDropped ||
      (this.#maxMessageSize > 0 && partial.size + payload.length > this.#maxMessageSize)
    ) {
      this.#refuseOversized(partial, fields, payload.length);
      return;
    }
    partial.isSettled ||= fields.isSettled;
    partial.state = fields.state === undefined ? partial.state : toDeliveryState(fields.state);
    this.#partial = fields.hasMore ? partial : undefined;
    const message = fields.hasMore ? undefined : partial.complete(payload);
    if (message !== undefined) this.#deliver(new Incoming(this, partial, message));
    else if (!fields.hasMore || !partial.append(payload, this.#maxMessageSize)) {
      this.fail({
        condition: "amqp:resource-limit-exceeded",
        description: "there is no memory for an unfinished message",
      });
    }
  }

  /** Rejects a message that is too large, discarding its frames, or detaches the link if the sender expects no outcome. */
  #refuseOversized(partial: PartialMessage, fields: TransferFields, payloadSize: number): void {
    if (this.#oversized === "detach" || partial.isSettled || fields.isSettled) {
      this.fail(this.#oversizedError());
      return;
    }
    partial.drop(payloadSize);
    this.#partial = fields.hasMore ? partial : undefined;
    if (fields.hasMore) return;
    const { id, size } = partial;
    const message = { id, size, limit: this.#maxMessageSize };
    const error = this.#oversized === "reject" ? this.#oversizedError() : this.#oversized(message);
    this.session.settleIncoming(id, rejected(error), "settled");
    this.#topUp();
  }

  #oversizedError(): AmqpError {
    const description = `a message is larger than the maximum of ${this.#maxMessageSize} bytes`;
    return { condition: "amqp:link:message-size-exceeded", description };
  }

  #deliver(delivery: Incoming): void {
    if (!delivery.isSettled) {
      if (!this.holdOrFail(costOf(delivery), "a delivery that awaits its settlement")) return;
      if (!this.session.addIncoming(delivery)) return;
      this.unsettled++;
    }
    this.handler.onTransfer?.(delivery);
    if (delivery.isSettled) this.#topUp();
  }

  #settled(delivery: Incoming): void {
    delivery.isSettled = true;
    this.unsettled--;
    this.free(costOf(delivery));
  }

  #refuseTransfer(condition: string, description: string): undefined {
    this.fail({ condition, description });
  }

  /** Restores the credit window once half of it is used, less the unsettled deliveries. */
  #topUp(): void {
    if (this.#creditWindow === 0 || !this.isAttached || this.#isDraining) return;
    const outstanding = this.credit + this.unsettled;
    if (outstanding > this.#creditWindow / 2) return;
    this.addCredit(this.#creditWindow - outstanding);
  }
}

/** Memory of a delivery until it is settled: its owner may keep the message that long. */
function costOf({ message }: Incoming): number {
  return costs.delivery + message.length;
}
