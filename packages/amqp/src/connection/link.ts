import type { AcceptOptions, Connection, Link, OpenLinkOptions, Session } from "../api.js";
import type { ByteWriter } from "../codec/byte-writer.js";
import type { AmqpError } from "../frames/amqp-error.js";
import { writeAmqpError } from "../frames/amqp-error.js";
import type { FlowFields } from "../frames/flow.js";
import { amqpFrame, writeFrame } from "../frames/frame.js";
import { type Attach, asValue, attachType, detachType } from "../frames/performatives.js";
import {
  type Coordinator,
  type Source,
  type Target,
  toSource,
  toTarget,
  writeTerminus,
} from "../frames/terminus.js";
import type { MemoryHolder } from "../memory/memory-budget.js";
import type { ResolvedConnectionOptions } from "./connection-options.js";
import { type LinkEvent, type LinkState, nextLinkState } from "./link-state.js";

/** What a link needs of its connection. */
export interface LinkConnection extends Connection, MemoryHolder {
  readonly options: ResolvedConnectionOptions;
  readonly remoteMaxFrameSize: number;
  /** The output. */
  write(): ByteWriter;
}

/** What a link of either kind needs of its session. */
export interface LinkHost extends Session {
  readonly connection: LinkConnection;
  readonly channel: number;
  /** Requests a flush before the output is taken. */
  noteWork(): void;
  /** The output, for frames that must follow pending settlements. */
  writeFrames(): ByteWriter;
  writeFlow(
    handle: number | undefined,
    deliveryCount?: number,
    linkCredit?: number,
    available?: number,
    isDraining?: boolean,
  ): void;
  /** Frees the link's name at once, because the peer may attach again before it has answered the detach. */
  releaseName(link: LinkEndpoint): void;
  forgetLink(link: LinkEndpoint): void;
  /** A link has ended that has `count` unsettled deliveries. */
  forgetDeliveries(count: number): void;
}

/** Common to both kinds of link: attaching, refusing, detaching (2.6.3 to 2.6.6). */
export abstract class LinkEndpoint<Host extends LinkHost = LinkHost> implements Link, MemoryHolder {
  abstract readonly role: "sender" | "receiver";
  readonly session: Host;
  readonly name: string;
  readonly handle: number;
  /** Memory of the link without its deliveries. */
  readonly cost: number;
  remoteHandle: number | undefined;
  remoteAttach: Attach | undefined;
  remoteSource: Source | undefined;
  remoteTarget: Target | Coordinator | undefined;
  activity = 0;
  context: unknown;
  /** Unsettled deliveries that have an id. */
  unsettled = 0;
  #held = 0;
  protected state: LinkState = "unattached";

  /** `cost` is 0 for a link attached by this side. */
  constructor(session: Host, name: string, handle: number, cost = 0) {
    this.session = session;
    this.name = name;
    this.handle = handle;
    this.cost = cost;
  }

  /** Whether it waits for the peer's attach. */
  get awaitsAnswer(): boolean {
    return this.remoteHandle === undefined && this.state !== "unattached";
  }

  get isAttached(): boolean {
    return this.state === "attached";
  }

  get isDetached(): boolean {
    return this.state === "detached" || this.state === "detach-sent";
  }

  refuse(error: AmqpError): void {
    if (this.state !== "attach-received") return;
    this.#move("attach-sent");
    this.#writeAttach({}, "refused");
    this.#close(error);
  }

  detach(error?: AmqpError): void {
    if (this.state === "attach-received") {
      this.refuse(error ?? { condition: "amqp:link:detach-forced" });
    } else if (this.state === "attached" || this.state === "attach-sent") {
      this.#close(error);
    }
  }

  /** Ends the link because of an error of the peer, or another link of the same name, and notifies the owner. */
  fail(error: AmqpError): void {
    if (this.isDetached) return;
    this.detach(error);
    this.notifyDetached(error);
  }

  hold(bytes: number): boolean {
    if (this.isDetached || !this.session.connection.hold(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  free(bytes: number): void {
    if (this.isDetached) return;
    this.#held -= bytes;
    this.session.connection.free(bytes);
  }

  /** Like `hold`; ends the link if there is no memory. */
  protected holdOrFail(bytes: number, what: string): boolean {
    if (this.hold(bytes)) return true;
    this.fail({
      condition: "amqp:resource-limit-exceeded",
      description: `there is no memory for ${what}`,
    });
    return false;
  }

  receiveAttach(attach: Attach): void {
    this.remoteHandle = attach.handle;
    this.remoteAttach = attach;
    this.remoteSource = toSource(attach.source);
    this.remoteTarget = toTarget(attach.target);
    this.onRemoteAttach(attach);
    this.#move("attach-received");
  }

  receiveDetach(error: AmqpError | undefined, isClosed: boolean): void {
    const before = this.state;
    if (before === "attach-received") {
      this.#move("attach-sent");
      this.#writeAttach({}, "refused");
    }
    if (before !== "detach-sent") this.#writeDetach(undefined, isClosed);
    this.#move("detach-received");
    this.session.forgetLink(this);
    if (before !== "detach-sent") this.notifyDetached(error);
  }

  /** Called when the session has ended. */
  endWithSession(error: AmqpError | undefined): void {
    const wasOver = this.isDetached;
    this.#move("session-ended");
    if (!wasOver) this.notifyDetached(error);
  }

  abstract receiveFlow(flow: FlowFields): void;
  /** Sends a flow with the link's current state. */
  abstract writeFlow(): void;
  protected abstract onRemoteAttach(attach: Attach): void;
  /** Called when the link has ended: discards incomplete deliveries. */
  protected abstract forgetUnfinished(): void;
  protected abstract notifyDetached(error: AmqpError | undefined): void;

  /** Sends the local attach, for `accept` and for links attached by this side; returns false if the link has ended. */
  open(options: AcceptOptions & Partial<OpenLinkOptions>): boolean {
    if (this.state !== "attach-received" && this.state !== "unattached") return false;
    this.#move("attach-sent");
    this.#writeAttach(options, "accepted");
    return true;
  }

  #close(error: AmqpError | undefined): void {
    this.#writeDetach(error, true);
    this.#move("detach-sent");
    // Until the peer has answered the local attach, its name is needed to identify the answer.
    if (this.remoteHandle !== undefined) this.session.releaseName(this);
  }

  #move(event: LinkEvent): void {
    this.state = nextLinkState(this.state, event) ?? this.state;
    if (this.isDetached) this.#freeAll();
  }

  #freeAll(): void {
    this.session.connection.free(this.#held);
    this.#held = 0;
    this.session.forgetDeliveries(this.unsettled);
    this.unsettled = 0;
    this.forgetUnfinished();
  }

  #writeAttach(options: AcceptOptions & Partial<OpenLinkOptions>, answer: "accepted" | "refused"): void {
    const isRefused = answer === "refused";
    const { source, target } = options;
    const remote = this.remoteAttach;
    const maxMessageSize = options.maxMessageSize ?? this.session.connection.options.maxMessageSize;
    writeFrame(this.session.writeFrames(), amqpFrame, this.session.channel, attachType, {
      name: this.name,
      handle: this.handle,
      role: this.role === "receiver",
      sndSettleMode: options.sndSettleMode ?? remote?.sndSettleMode,
      rcvSettleMode: options.rcvSettleMode ?? remote?.rcvSettleMode,
      // A terminus is repeated unchanged unless the owner has another: some peers compare them.
      source: isRefused ? undefined : source ? asValue((to) => writeTerminus(to, source)) : remote?.source,
      target: isRefused ? undefined : target ? asValue((to) => writeTerminus(to, target)) : remote?.target,
      initialDeliveryCount: this.role === "sender" ? 0 : undefined,
      maxMessageSize: BigInt(maxMessageSize),
      offeredCapabilities: options.offeredCapabilities,
      desiredCapabilities: options.desiredCapabilities,
      properties: options.properties,
    });
  }

  #writeDetach(error: AmqpError | undefined, closed: boolean): void {
    writeFrame(this.session.writeFrames(), amqpFrame, this.session.channel, detachType, {
      handle: this.handle,
      closed,
      error: error && asValue((to) => writeAmqpError(to, error)),
    });
  }
}
