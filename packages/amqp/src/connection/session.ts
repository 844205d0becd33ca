import type { OpenLinkOptions, ReceiverAcceptOptions, ReceiverLink, SenderLink } from "../api.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import { serialAdd, serialDistance } from "../deliveries/serial.js";
import { type AmqpError, writeAmqpError } from "../frames/amqp-error.js";
import type { DeliveryState } from "../frames/delivery-state.js";
import type { DispositionFields } from "../frames/disposition.js";
import { type FlowFields, writeFlow } from "../frames/flow.js";
import { amqpFrame, writeFrame } from "../frames/frame.js";
import { type Attach, asValue, type Begin, beginType, endType } from "../frames/performatives.js";
import type { TransferFields } from "../frames/transfer.js";
import { costs } from "../memory/memory-budget.js";
import type { PeerLimits } from "./connection-options.js";
import type { LinkConnection, LinkEndpoint } from "./link.js";
import { type Incoming, ReceiverEndpoint, type ReceiverHost } from "./receiver-link.js";
import { type Outgoing, SenderEndpoint, type SenderHost } from "./sender-link.js";
import { nextSessionState, type SessionEvent, type SessionState } from "./session-state.js";
import { type RestOfRange, UnsettledDeliveries } from "./unsettled-deliveries.js";

/** The outgoing-window announced to peers (2.5.6): this side never limits its transfers itself. */
const outgoingWindow = 0x7fffffff;

/** What a session needs of its connection. */
export interface SessionHost extends LinkConnection {
  /** The limits that currently apply to the peer. */
  readonly limits: PeerLimits;
  linkCount: number;
  /** Closes the connection because of a protocol error of the peer. */
  fail(condition: string, description: string): void;
  /** Does work that may take more than a turn; further input waits. */
  work(rest: RestOfRange): void;
  /** Requests a flush of the session before the output is taken. */
  noteWork(session: SessionEndpoint): void;
  forgetSession(session: SessionEndpoint): void;
}

/** A session: links, windows and unsettled deliveries (2.5). */
export class SessionEndpoint implements ReceiverHost, SenderHost {
  readonly connection: SessionHost;
  readonly channel: number;
  /** Memory of the session without its links. */
  readonly cost: number;
  remoteChannel: number | undefined;
  remoteBegin: Begin | undefined;
  onEnd: ((error: AmqpError | undefined) => void) | undefined;
  remoteIncomingWindow = 0;
  readonly waiting = new Set<SenderEndpoint>();
  readonly flowDue = new Set<LinkEndpoint>();

  #state: SessionState = "unmapped";
  #nextIncomingId = 0;
  #incomingWindow: number;
  #isWindowDue = false;
  #nextOutgoingId = 0;
  readonly #links: (LinkEndpoint | undefined)[] = [];
  readonly #freeHandles: number[] = [];
  readonly #linksByRemoteHandle = new Map<number, LinkEndpoint>();
  readonly #linksByName = new Map<string, LinkEndpoint>();
  readonly #unsettled = new UnsettledDeliveries();

  constructor(connection: SessionHost, channel: number, cost: number) {
    this.connection = connection;
    this.channel = channel;
    this.cost = cost;
    this.#incomingWindow = connection.options.incomingWindow;
  }

  get isEnded(): boolean {
    return this.#state === "ended" || this.#state === "discarding";
  }

  openSender(options: OpenLinkOptions): SenderLink {
    return this.#open(new SenderEndpoint(this, options.name, this.#allocateHandle()), options);
  }

  openReceiver(options: OpenLinkOptions & ReceiverAcceptOptions): ReceiverLink {
    return this.#open(new ReceiverEndpoint(this, options.name, this.#allocateHandle()), options);
  }

  #open<Endpoint extends LinkEndpoint>(link: Endpoint, options: OpenLinkOptions): Endpoint {
    this.#register(link);
    link.open(options);
    return link;
  }

  end(error?: AmqpError): void {
    if (this.isEnded) return;
    this.#writeEnd(error);
    this.#move("end-sent");
    this.#endLinks(error);
  }

  /** Ends the session because of a protocol error of the peer (2.5.4). */
  fail(condition: string, description: string): void {
    if (this.isEnded) return;
    const error = { condition, description };
    this.end(error);
    this.onEnd?.(error);
  }

  /** Sends begin, to open a session or to answer the peer's. */
  begin(): void {
    const { incomingWindow, handleMax } = this.connection.options;
    this.#move("begin-sent");
    writeFrame(this.connection.write(), amqpFrame, this.channel, beginType, {
      remoteChannel: this.remoteChannel,
      nextOutgoingId: this.#nextOutgoingId,
      incomingWindow,
      outgoingWindow: outgoingWindow,
      handleMax,
    });
  }

  receiveBegin(begin: Begin, remoteChannel: number): void {
    this.#move("begin-received");
    this.remoteBegin = begin;
    this.remoteChannel = remoteChannel;
    this.#nextIncomingId = begin.nextOutgoingId;
    this.remoteIncomingWindow = begin.incomingWindow;
  }

  receiveEnd(error: AmqpError | undefined): void {
    const wasEnded = this.isEnded;
    if (!wasEnded) this.#writeEnd(undefined);
    this.#move("end-received");
    this.connection.forgetSession(this);
    if (wasEnded) return;
    this.#endLinks(error);
    this.onEnd?.(error);
  }

  /** Called when the connection has ended. */
  endWithConnection(error: AmqpError | undefined): void {
    const wasEnded = this.isEnded;
    this.#move("disconnected");
    if (wasEnded) return;
    this.#endLinks(error);
    this.onEnd?.(error);
  }

  /** `cost` is the memory of the attach while the link exists. */
  receiveAttach(attach: Attach, cost: number): void {
    if (this.isEnded) return;
    const { maxNameLength } = this.connection.limits;
    if (attach.name.length > maxNameLength) {
      this.#failForLimit(`the name of a link has at most ${maxNameLength} characters`);
      return;
    }
    if (attach.handle > this.connection.options.handleMax) {
      this.connection.fail("amqp:connection:framing-error", "a handle is above handle-max");
      return;
    }
    if (this.#linksByRemoteHandle.has(attach.handle)) {
      this.fail("amqp:session:handle-in-use", `handle ${attach.handle} is in use`);
      return;
    }
    const existing = this.#linksByName.get(linkKey(attach.name, attach.role ? "sender" : "receiver"));
    if (existing?.awaitsAnswer) {
      this.#linksByRemoteHandle.set(attach.handle, existing);
      existing.receiveAttach(attach);
      return;
    }
    existing?.fail({ condition: "amqp:link:stolen", description: "the link was attached again" });
    this.#receiveLink(attach, cost);
  }

  receiveDetach(handle: number, error: AmqpError | undefined, isClosed: boolean): void {
    if (this.isEnded) return;
    this.#linkAt(handle)?.receiveDetach(error, isClosed);
  }

  receiveFlow(flow: FlowFields): void {
    if (this.isEnded) return;
    this.#nextIncomingId = flow.nextOutgoingId;
    // Transfers that the peer has not seen yet reduce its window; before it saw the local begin, that is all of them (2.5.6).
    const pending = Math.max(0, serialDistance(flow.nextIncomingId ?? 0, this.#nextOutgoingId));
    const wasShut = this.remoteIncomingWindow <= 0;
    this.remoteIncomingWindow = Math.max(0, flow.incomingWindow - pending);
    const { handle, wantsEcho } = flow;
    const link = handle === undefined ? undefined : this.#linkAt(handle);
    link?.receiveFlow(flow);
    if (this.isEnded) return;
    this.#flushWaiting();
    if (wasShut) this.#notifyWindowOpened();
    if (!wantsEcho || this.isEnded) return;
    if (!link) this.#isWindowDue = true;
    else if (link.isAttached) this.flowDue.add(link);
    this.noteWork();
  }

  receiveTransfer(fields: TransferFields, payload: Uint8Array): void {
    if (this.isEnded) return;
    if (this.#incomingWindow === 0) {
      this.fail("amqp:session:window-violation", "a transfer came beyond the session's window");
      return;
    }
    this.#nextIncomingId = serialAdd(this.#nextIncomingId, 1);
    if (--this.#incomingWindow <= this.connection.options.incomingWindow / 2) {
      this.#isWindowDue = true;
      this.noteWork();
    }
    const link = this.#linkAt(fields.handle);
    if (!link) return;
    if (link instanceof ReceiverEndpoint) link.receiveTransfer(fields, payload);
    else this.fail("amqp:not-allowed", "a transfer came on a link that only sends");
  }

  receiveDisposition(fields: DispositionFields): void {
    if (this.isEnded) return;
    const rest = this.#unsettled.receive(fields);
    if (rest !== undefined) this.connection.work(rest);
    else this.fail("amqp:invalid-field", "a disposition ends before it begins");
  }

  addIncoming(delivery: Incoming): boolean {
    const isAdded = this.#unsettled.addIncoming(delivery);
    if (!isAdded) this.fail("amqp:invalid-field", `delivery-id ${delivery.id} is in use`);
    return isAdded;
  }

  settleIncoming(id: number, state: DeliveryState, settling: "settled" | "unsettled"): void {
    this.#unsettled.settleIncoming(this.connection.write(), this.channel, id, state, settling);
    this.noteWork();
  }

  settleOutgoing(id: number, state: DeliveryState | undefined): void {
    this.#unsettled.settleOutgoing(this.connection.write(), this.channel, id, state);
    this.noteWork();
  }

  nextDeliveryId(delivery: Outgoing): number {
    return this.#unsettled.addOutgoing(delivery);
  }

  writeTransfer(): ByteWriter {
    this.#nextOutgoingId = serialAdd(this.#nextOutgoingId, 1);
    this.remoteIncomingWindow--;
    return this.connection.write();
  }

  writeFrames(): ByteWriter {
    const writer = this.connection.write();
    this.#unsettled.flush(writer, this.channel);
    return writer;
  }

  writeFlow(
    handle: number | undefined,
    deliveryCount?: number,
    linkCredit?: number,
    available?: number,
    isDraining = false,
  ): void {
    this.#incomingWindow = this.connection.options.incomingWindow;
    this.#isWindowDue = false;
    const flow: FlowFields = {
      nextIncomingId: this.remoteBegin && this.#nextIncomingId,
      incomingWindow: this.#incomingWindow,
      nextOutgoingId: this.#nextOutgoingId,
      outgoingWindow: outgoingWindow,
      handle,
      deliveryCount,
      linkCredit,
      available,
      isDraining,
      wantsEcho: false,
    };
    writeFlow(this.connection.write(), this.channel, flow);
  }

  noteWork(): void {
    this.connection.noteWork(this);
  }

  /** Writes what was held back for merging: settlements, credit and window. */
  flush(): void {
    if (this.isEnded) return;
    this.writeFrames();
    for (const link of this.flowDue) if (link.isAttached) link.writeFlow();
    this.flowDue.clear();
    if (this.#isWindowDue) this.writeFlow(undefined);
  }

  releaseName(link: LinkEndpoint): void {
    const key = linkKey(link.name, link.role);
    if (this.#linksByName.get(key) === link) this.#linksByName.delete(key);
  }

  forgetDeliveries(count: number): void {
    if (count > 0) this.#unsettled.forget(count);
  }

  forgetLink(link: LinkEndpoint): void {
    this.releaseName(link);
    if (link.remoteHandle !== undefined) this.#linksByRemoteHandle.delete(link.remoteHandle);
    this.#links[link.handle] = undefined;
    this.#freeHandles.push(link.handle);
    this.connection.linkCount--;
    this.connection.free(link.cost);
  }

  #receiveLink(attach: Attach, attachCost: number): void {
    const { linkCount, limits, options } = this.connection;
    const nextHandle = this.#freeHandles.at(-1) ?? this.#links.length;
    if (linkCount >= limits.maxLinks || nextHandle > (this.remoteBegin?.handleMax ?? 0xffffffff)) {
      this.#failForLimit("too many links are attached");
      return;
    }
    const cost = costs.link + attachCost;
    if (!this.connection.hold(cost)) {
      this.#failForLimit("there is no memory for another link");
      return;
    }
    const Endpoint = attach.role ? SenderEndpoint : ReceiverEndpoint;
    const link = new Endpoint(this, attach.name, this.#allocateHandle(), cost);
    this.#register(link);
    this.#linksByRemoteHandle.set(attach.handle, link);
    link.receiveAttach(attach);
    const { onLink } = options.handler;
    if (onLink) onLink.call(options.handler, link);
    else link.refuse({ condition: "amqp:not-implemented", description: "links are not accepted here" });
  }

  #linkAt(remoteHandle: number): LinkEndpoint | undefined {
    const link = this.#linksByRemoteHandle.get(remoteHandle);
    if (!link) this.fail("amqp:session:unattached-handle", `handle ${remoteHandle} is not attached`);
    return link;
  }

  #allocateHandle(): number {
    if (this.isEnded) throw new TypeError("the session has ended");
    return this.#freeHandles.pop() ?? this.#links.length;
  }

  #register(link: LinkEndpoint): void {
    this.#links[link.handle] = link;
    this.#linksByName.set(linkKey(link.name, link.role), link);
    this.connection.linkCount++;
  }

  /** Lets waiting links send in turn; a link without credit does not block the others. */
  #flushWaiting(): void {
    for (const link of [...this.waiting]) {
      if (this.remoteIncomingWindow <= 0) return;
      // Moved behind the others, so that no link is always served first.
      this.waiting.delete(link);
      if (link.flushQueue()) this.waiting.add(link);
    }
  }

  #notifyWindowOpened(): void {
    for (const link of [...this.#links]) {
      if (this.remoteIncomingWindow <= 0) return;
      if (link instanceof SenderEndpoint) link.windowOpened();
    }
  }

  #endLinks(error: AmqpError | undefined): void {
    this.#unsettled.clear();
    this.#linksByName.clear();
    this.#linksByRemoteHandle.clear();
    for (const link of this.#links.splice(0)) {
      if (!link) continue;
      this.connection.linkCount--;
      this.connection.free(link.cost);
      link.endWithSession(error);
    }
  }

  #failForLimit(description: string): void {
    this.fail("amqp:resource-limit-exceeded", description);
  }

  #writeEnd(error: AmqpError | undefined): void {
    writeFrame(this.writeFrames(), amqpFrame, this.channel, endType, {
      error: error && asValue((to) => writeAmqpError(to, error)),
    });
  }

  #move(event: SessionEvent): void {
    this.#state = nextSessionState(this.#state, event) ?? this.#state;
  }
}

/** Links are identified by name and direction (2.6.1): a name may be used once in each direction. */
function linkKey(name: string, role: "sender" | "receiver"): string {
  return `${role} ${name}`;
}
