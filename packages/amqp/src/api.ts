import type { AmqpMap } from "./codec/value.js";
import type { AmqpError } from "./frames/amqp-error.js";
import type { DeliveryState } from "./frames/delivery-state.js";
import type { Attach, Begin, Open } from "./frames/performatives.js";
import type { Coordinator, Source, Target } from "./frames/terminus.js";

/**
 * One end of an AMQP connection without I/O: pass received bytes to `receive`, write the bytes of `takeOutput`, and call `tick` as time
 * passes; handlers get the peer's actions. A protocol error of the peer closes the connection, session or link with the error of the
 * specification; it never throws.
 */
export interface Connection {
  /** The peer's open performative, once received. */
  readonly remoteOpen: Open | undefined;
  /** The peer's identity according to the SASL mechanism; `undefined` without SASL. */
  readonly identity: string | undefined;
  /** Whether both opens were exchanged and neither side has closed. */
  readonly isOpen: boolean;
  /** Whether nothing more will be read or written: take the output, then end the socket. */
  readonly isEnded: boolean;
  /** Bytes waiting for `takeOutput`. */
  readonly outputSize: number;
  /** Whether input waits for `proceed` because the turn was over. */
  readonly hasUnread: boolean;

  /**
   * Processes bytes from the peer. They must not change afterwards: payloads passed to `onTransfer` are views on them. Throws only errors
   * of handlers, after closing the connection with `amqp:internal-error`; an `AmqpDecodeError` of a handler is attributed to the peer and
   * closes it with `amqp:decode-error`. Stop reading the socket while its output buffer is full, or a peer that never reads fills the
   * memory.
   */
  receive(bytes: Uint8Array): void;

  /**
   * Continues with waiting input until the turn is over. Throws like `receive`. Input received meanwhile is queued; stop reading the socket
   * while any is waiting, or it fills the memory.
   */
  proceed(): void;

  /** Replaces the limits for untrusted peers by the regular ones. */
  trust(): void;

  /**
   * Allows reusing the memory of a delivery's message and tag, which must not be read any more. Optional; useful inside `onTransfer` for
   * large messages that were copied or are no longer needed.
   */
  recycle(message: Uint8Array): void;

  /**
   * All output since the last call, in order, to be written with one system call. Adjacent equal settlements are merged into ranges, and
   * each link's credit into one flow.
   */
  takeOutput(): Uint8Array[];

  /**
   * Sends an empty frame if nothing was sent since the peer last sent data. A peer may hold back a small write until its last one is
   * acknowledged, which the operating system delays while there is no output: together that takes some 40 ms. Call it shortly after
   * `receive`, when responses had time to be sent; empty frames are not answered.
   */
  acknowledge(): void;

  /**
   * Sends a heartbeat or closes the connection of a silent peer, if due at `nowMs` on any steady clock (2.4.5). Returns when to call it
   * again, or `undefined` if there is nothing to watch any more.
   */
  tick(nowMs: number): number | undefined;

  /** Begins a session from this side. Throws `TypeError` unless the connection is open and has a free channel. */
  openSession(): Session;

  /** Sends close; the connection ends when the peer's close arrives. */
  close(error?: AmqpError): void;

  /** Call it when the socket has closed. Links and sessions end; deliveries keep their state. */
  disconnect(): void;
}

/** Handlers of a connection. They run inside `receive`, `proceed`, `tick` and `disconnect`. */
export interface ConnectionHandler {
  /**
   * Called between frames of input, and within dispositions of many deliveries: when it returns true, the rest waits for `proceed`. Without
   * this handler, all input is processed at once.
   */
  isTurnOver?(): boolean;
  /**
   * Output is available. Called once until it is taken: schedule one write for the whole turn here, for example with `queueMicrotask`. Do
   * not take the output inside, because a frame may be incomplete.
   */
  onOutput?(): void;
  /** Both opens were exchanged. To refuse the peer, close the connection here. */
  onOpen?(connection: Connection): void;
  /** The peer began a session. To refuse it, end it here. */
  onSession?(session: Session): void;
  /**
   * The peer attached a link: set its `handler`, then `accept` or `refuse` it, now or later. Without this handler, every link is refused
   * with `amqp:not-implemented`.
   */
  onLink?(link: SenderLink | ReceiverLink): void;
  /** The connection has ended: closed by the peer or this side, or by the loss of the socket. Called once. */
  onClose?(error: AmqpError | undefined): void;
}

/** A session of a connection (2.5). */
export interface Session {
  readonly connection: Connection;
  /** The peer's begin performative, once received. */
  readonly remoteBegin: Begin | undefined;
  readonly isEnded: boolean;
  /** Called once when the session ends other than by `end`; its links were notified before. */
  onEnd: ((error: AmqpError | undefined) => void) | undefined;

  /** Attaches a sending link. Throws `TypeError` if the session has ended. */
  openSender(options: OpenLinkOptions): SenderLink;
  /** Attaches a receiving link. Throws `TypeError` if the session has ended. */
  openReceiver(options: OpenLinkOptions & ReceiverAcceptOptions): ReceiverLink;
  /** Ends the session with all its links. */
  end(error?: AmqpError): void;
}

/** The settlement modes of a link, as sent in attach (2.8.2, 2.8.3). */
export interface SettleModes {
  /** 0 unsettled, 1 settled, 2 mixed. Default: the peer's; on a link that this side opens, none, which means 2. */
  readonly sndSettleMode?: number;
  /** 0 first, 1 second. Default: the peer's; on a link that this side opens, none, which means 0. */
  readonly rcvSettleMode?: number;
}

/** The fields of the answer to an attach. Omitted settlement modes and termini repeat the peer's. */
export interface AcceptOptions extends SettleModes {
  /** Default: that of the peer's attach; none on a link that this side opens. */
  readonly source?: Source;
  /** Default: as for `source`. */
  readonly target?: Target | Coordinator;
  /** Maximum message size to announce, and on a receiver to enforce, in bytes; default: the connection's. */
  readonly maxMessageSize?: number;
  /** Link properties to announce (2.7.3). Default none. */
  readonly properties?: AmqpMap;
  /** Extension capabilities to announce (2.7.3). Default none. */
  readonly offeredCapabilities?: readonly string[];
}

/** {@link AcceptOptions} of a receiving link. */
export interface ReceiverAcceptOptions extends AcceptOptions {
  /**
   * Maximum pending deliveries of the peer. Credit is renewed when half of it is used, and withheld while this many deliveries are
   * unsettled. Default 0: credit is given by `addCredit` only.
   */
  readonly creditWindow?: number;
  /**
   * What to do with a message above the maximum size. "reject" settles it as rejected and keeps the link, as does a function that returns
   * the error; default "detach" (2.7.3).
   */
  readonly oversized?: "detach" | "reject" | ((message: OversizedMessage) => AmqpError);
}

/** A message refused for its size, in bytes. */
export interface OversizedMessage {
  /** The delivery-id. */
  readonly id: number;
  readonly size: number;
  readonly limit: number;
}

/** The fields of an attach from this side. */
export interface OpenLinkOptions extends AcceptOptions {
  /** Unique among the links of this session in the same direction (2.6.1). */
  readonly name: string;
  /** Extension capabilities that the peer should support (2.7.3). Default none. */
  readonly desiredCapabilities?: readonly string[];
}

/** Common to both kinds of link. The `remote…` fields are those of the peer's attach. */
export interface Link {
  readonly session: Session;
  readonly name: string;
  readonly remoteAttach: Attach | undefined;
  readonly remoteSource: Source | undefined;
  readonly remoteTarget: Target | Coordinator | undefined;
  /** Whether both attaches were exchanged and neither side has detached. */
  readonly isAttached: boolean;
  /** Whether the link has ended for good. */
  readonly isDetached: boolean;
  /** Counts transfers in either direction and the peer's flows: while it does not change, the link is idle. */
  readonly activity: number;
  /** For the caller's own use. */
  context: unknown;
  /** Refuses the link: an attach without terminus, followed by a detach with the error (2.6.3). */
  refuse(error: AmqpError): void;
  /** Detaches the link. Does nothing if it has ended. */
  detach(error?: AmqpError): void;
}

/** A link on which this side sends and the peer receives. */
export interface SenderLink extends Link {
  readonly role: "sender";
  handler: SenderHandler;
  /** Deliveries that the peer can take, by the link's credit and the session's window, beyond those queued. */
  readonly credit: number;
  /** Whether the peer asked to use up or return the credit (2.6.7). */
  readonly isDraining: boolean;
  /** Deliveries passed to `send` that wait for credit or for the session's window. */
  readonly queued: number;
  /** Bytes of the queued messages. */
  readonly queuedSize: number;
  /** Answers the peer's attach. Does nothing if the link has ended. */
  accept(options?: AcceptOptions): void;

  /**
   * Sends a message, whole or in parts to concatenate; large parts are not copied. Without credit it is queued, without blocking other
   * links. Returns `undefined` if the link has ended; it ends with `amqp:resource-limit-exceeded` when the connection's budget is used up.
   * Throws `TypeError` for a tag of more than 32 bytes or a state of more than 128. The caller must respect the peer's maximum message size
   * in `remoteAttach`.
   */
  send(message: Uint8Array | readonly Uint8Array[], options: SendOptions): OutgoingDelivery | undefined;

  /** Settles a delivery with its final state and forgets it; does nothing if it is settled. */
  settle(delivery: OutgoingDelivery, state?: DeliveryState): void;

  /** Returns unused credit after the queue is sent. Only for handlers with their own `onDrain`. */
  completeDrain(): void;
}

/** How a message is sent (2.7.5). */
export interface SendOptions {
  /** 1 to 32 bytes that identify the delivery on this link (2.8.7). */
  readonly deliveryTag: Uint8Array;
  /** Sends it settled: the peer does not answer. Default false. */
  readonly settled?: boolean;
  /** The message-format; default 0. */
  readonly format?: number;
  /** A state to send with it, such as a transactional one. Default none. */
  readonly state?: DeliveryState;
  /** For the caller's own use; available as `delivery.context`. Default undefined. */
  readonly context?: unknown;
}

/** A sent message. */
export interface OutgoingDelivery {
  readonly link: SenderLink;
  readonly tag: Uint8Array;
  /** The session's delivery-id; `undefined` while it is queued. */
  readonly id: number | undefined;
  readonly isSettled: boolean;
  readonly context: unknown;
}

/** Handlers of a sending link; each is optional. */
export interface SenderHandler {
  /** The peer's credit changed or the session's window opened. May be called without credit. */
  onCredit?(link: SenderLink): void;
  /** The peer asks to use up or return its credit. Without this handler it is returned after `onCredit`. */
  onDrain?(link: SenderLink): void;
  /** The peer sent a delivery's outcome; called once. If `delivery.isSettled` is false, the peer waits for `settle`. */
  onDisposition?(delivery: OutgoingDelivery, state: DeliveryState | undefined): void;
  /** The link has ended other than by `detach` or `refuse` of this side. Called once. */
  onDetach?(error: AmqpError | undefined, link: SenderLink): void;
}

/** A link on which this side receives and the peer sends. */
export interface ReceiverLink extends Link {
  readonly role: "receiver";
  handler: ReceiverHandler;
  /** Deliveries the peer may still send. */
  readonly credit: number;
  /** Unsettled received deliveries. */
  readonly unsettled: number;
  /** Answers the peer's attach and gives it the credit of the window. Does nothing if the link has ended. */
  accept(options?: ReceiverAcceptOptions): void;
  /** Allows the peer more deliveries. */
  addCredit(count: number): void;
  /** Asks the peer to use up or return its credit now; `onDrained` is called when that is done. */
  drain(): void;
  /** Settles a delivery with an outcome and forgets it; does nothing if it is settled. */
  settle(delivery: IncomingDelivery, state: DeliveryState): void;
  /** Sends an outcome and lets the sender settle, as in receiver settle mode second (2.8.3). */
  propose(delivery: IncomingDelivery, state: DeliveryState): void;
}

/** A received message. */
export interface IncomingDelivery {
  readonly link: ReceiverLink;
  /** The session's delivery-id. */
  readonly id: number;
  readonly tag: Uint8Array;
  /** The message-format (2.8.11). */
  readonly format: number;
  /** The encoded message: a view on the input if it arrived in one frame. Copy it to keep it for long. */
  readonly message: Uint8Array;
  /** The state sent with it, such as a transactional one. */
  readonly state: DeliveryState | undefined;
  readonly isSettled: boolean;
  /** For the caller's own use. */
  context: unknown;
}

/** Handlers of a receiving link; each is optional. */
export interface ReceiverHandler {
  /** A message has arrived, complete. Unless it is settled already, `settle` or `propose` its outcome, now or later. */
  onTransfer?(delivery: IncomingDelivery): void;
  /** The sender settled a delivery after `propose`. */
  onSettled?(delivery: IncomingDelivery, state: DeliveryState | undefined): void;
  /** The peer has used up or returned its credit after `drain`. */
  onDrained?(link: ReceiverLink): void;
  /** The link has ended other than by `detach` or `refuse` of this side. Called once. */
  onDetach?(error: AmqpError | undefined, link: ReceiverLink): void;
}
