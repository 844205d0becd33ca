import type { AmqpMap } from "./codec/value.js";
import type { AmqpError } from "./frames/amqp-error.js";
import type { DeliveryState } from "./frames/delivery-state.js";
import type { Attach, Begin, Open } from "./frames/performatives.js";
import type { Coordinator, Source, Target } from "./frames/terminus.js";

/**
 * One end of an AMQP connection without I/O: bytes go in through `receive`, bytes come out of `takeOutput`,
 * time comes in through `tick`, and what the peer does arrives at the handlers. What a peer does wrong
 * closes the connection, session or link with the error of the specification; it never throws.
 */
export interface Connection {
  /** The peer's open, once it has arrived. */
  readonly remoteOpen: Open | undefined;
  /** Who the SASL mechanism says the peer is; `undefined` without SASL. */
  readonly identity: string | undefined;
  /** Whether both opens were exchanged and neither side has closed. */
  readonly isOpen: boolean;
  /** Whether nothing more will be read or written: take the output, then end the socket. */
  readonly isEnded: boolean;
  /** Bytes waiting for `takeOutput`. */
  readonly outputSize: number;
  /** Whether input waits for `proceed`, because the turn was over. */
  readonly hasUnread: boolean;

  /**
   * Takes bytes from the peer. They must not change afterwards: payloads handed to `onTransfer` are views into
   * them. Throws only what a handler threw, after closing the connection with `amqp:internal-error`; an
   * `AmqpDecodeError` from a handler is taken for the peer's mistake and closes it with `amqp:decode-error`. Stop
   * reading the socket while it does not take output, or a peer that never reads fills the memory.
   */
  receive(bytes: Uint8Array): void;

  /**
   * Goes on with the input that waits, as far as the turn goes. Throws as `receive` does. Input that comes meanwhile waits behind it;
   * stop reading the socket while there is any, or it fills the memory.
   */
  proceed(): void;

  /** Lifts the limits that hold for an untrusted peer. */
  trust(): void;

  /**
   * Tells that the message and the tag of a delivery will not be read any more, so that their memory may be used for later input.
   * Worth it inside `onTransfer` for large messages that are copied or done with there; nothing needs it.
   */
  recycle(message: Uint8Array): void;

  /**
   * All output since the last call, in order, to be written with one system call. Adjoining equal
   * settlements have become ranges, and each link's credit stands in one flow.
   */
  takeOutput(): Uint8Array[];

  /**
   * Sends an empty frame if the peer said something since we last sent anything. A peer may hold a small write back until its last one is
   * acknowledged, which our system puts off while nothing goes the other way: together that is some 40 ms. To be called a moment after
   * `receive`, when what has an answer had its time; empty frames are not answered.
   */
  acknowledge(): void;

  /**
   * Sends a heartbeat or gives up a silent peer, as far as due at `nowMs` on any steady clock (2.4.5).
   * Returns when to call again, or `undefined` when nothing is to be watched any more.
   */
  tick(nowMs: number): number | undefined;

  /** Begins a session of our own. Throws `TypeError` unless the connection is open and has a channel free. */
  openSession(): Session;

  /** Sends close; the connection has ended when the peer's close arrives. */
  close(error?: AmqpError): void;

  /** Tells that the socket is gone. Links and sessions end; deliveries keep the state they have. */
  disconnect(): void;
}

/** What happens on a connection. Handlers run inside `receive`, `proceed`, `tick` and `disconnect`. */
export interface ConnectionHandler {
  /**
   * Asked between the frames of the input, and within dispositions of many deliveries: when the turn is over, the rest waits for `proceed`.
   * Without this handler all input is dealt with at once.
   */
  isTurnOver?(): boolean;
  /**
   * Output waits. Called once until it is taken: the place to schedule one write for the whole turn, as by
   * `queueMicrotask`. Taking the output inside would cut a frame in two.
   */
  onOutput?(): void;
  /** Both opens were exchanged. Closing here refuses the peer. */
  onOpen?(connection: Connection): void;
  /** The peer began a session. Ending it here refuses it. */
  onSession?(session: Session): void;
  /**
   * The peer attached a link: set its `handler`, then `accept` or `refuse` it, now or later. Without this
   * handler every link is refused with `amqp:not-implemented`.
   */
  onLink?(link: SenderLink | ReceiverLink): void;
  /** The connection is over: by the peer's close, by our own, or because the socket went. Called once. */
  onClose?(error: AmqpError | undefined): void;
}

/** A session of a connection (2.5). */
export interface Session {
  readonly connection: Connection;
  /** The peer's begin, once it has arrived. */
  readonly remoteBegin: Begin | undefined;
  readonly isEnded: boolean;
  /** Called once when the session ends for any reason other than `end`; its links were notified before. */
  onEnd: ((error: AmqpError | undefined) => void) | undefined;

  /** Attaches a link on which we send. Throws `TypeError` when the session has ended. */
  openSender(options: OpenLinkOptions): SenderLink;
  /** Attaches a link on which we receive. Throws `TypeError` when the session has ended. */
  openReceiver(options: OpenLinkOptions & ReceiverAcceptOptions): ReceiverLink;
  /** Ends the session with all its links. */
  end(error?: AmqpError): void;
}

/** The settlement modes of a link, as sent in attach (2.8.2, 2.8.3). */
export interface SettleModes {
  /** 0 unsettled, 1 settled, 2 mixed. */
  readonly sndSettleMode?: number;
  /** 0 first, 1 second. */
  readonly rcvSettleMode?: number;
}

/** What to say in the answer to an attach. What is left out repeats the peer's words. */
export interface AcceptOptions extends SettleModes {
  readonly source?: Source;
  readonly target?: Target | Coordinator;
  /** Largest message in bytes to announce, and on a receiver to enforce; default the connection's. */
  readonly maxMessageSize?: number;
  readonly properties?: AmqpMap;
  readonly offeredCapabilities?: readonly string[];
}

/** As {@link AcceptOptions}, for a link on which we receive. */
export interface ReceiverAcceptOptions extends AcceptOptions {
  /**
   * How many deliveries the peer may have in progress. Credit is topped up when half of it is used, and held
   * back while as many deliveries are unsettled. Default 0: credit is given by `addCredit` alone.
   */
  readonly creditWindow?: number;
  /**
   * What happens on a message above the maximum size. "reject" settles it so and keeps the link, as does a function, which gives the error;
   * default "detach" (2.7.3).
   */
  readonly oversized?: "detach" | "reject" | ((message: OversizedMessage) => AmqpError);
}

/** A message that was refused for its size, in bytes. */
export interface OversizedMessage {
  /** The delivery-id. */
  readonly id: number;
  readonly size: number;
  readonly limit: number;
}

/** What to say in an attach of our own. */
export interface OpenLinkOptions extends AcceptOptions {
  readonly name: string;
  readonly desiredCapabilities?: readonly string[];
}

/** What both kinds of link have. The peer's words are those of its attach; ours are in its answer. */
export interface Link {
  readonly session: Session;
  readonly name: string;
  readonly remoteAttach: Attach | undefined;
  readonly remoteSource: Source | undefined;
  readonly remoteTarget: Target | Coordinator | undefined;
  /** Whether both attaches were exchanged and neither side has detached. */
  readonly isAttached: boolean;
  /** Whether nothing will happen on the link any more. */
  readonly isDetached: boolean;
  /** Counts transfers in either direction and the peer's flows: the link is idle while it stays the same. */
  readonly activity: number;
  /** For the owner's own use. */
  context: unknown;
  /** Refuses the link: an attach without terminus, followed by a detach with the error (2.6.3). */
  refuse(error: AmqpError): void;
  /** Closes the link. Does nothing on one that is over. */
  detach(error?: AmqpError): void;
}

/** A link on which we send and the peer receives. */
export interface SenderLink extends Link {
  readonly role: "sender";
  handler: SenderHandler;
  /** Deliveries the peer is ready to take, by the link's credit and the session's window, beyond those queued. */
  readonly credit: number;
  /** Whether the peer asked to use up the credit or give it back (2.6.7). */
  readonly isDraining: boolean;
  /** Deliveries given to `send` that wait for credit or for the session's window. */
  readonly queued: number;
  /** Bytes of the messages that wait. */
  readonly queuedSize: number;
  /** Answers the peer's attach. Does nothing when the link is already over. */
  accept(options?: AcceptOptions): void;

  /**
   * Sends a message, whole or in parts to be joined; large parts are not copied. It waits when the peer has
   * given no credit, without holding up other links. Returns `undefined` on a link that is over, as it is with
   * `amqp:resource-limit-exceeded` once the connection's budget is used up. Throws `TypeError` for a tag of more than 32 bytes or a state of more than 128. The peer's maximum in `remoteAttach` is the caller's to keep.
   */
  send(message: Uint8Array | readonly Uint8Array[], options: SendOptions): OutgoingDelivery | undefined;

  /** Settles a delivery with its final state and forgets it; does nothing when it is settled. */
  settle(delivery: OutgoingDelivery, state?: DeliveryState): void;

  /** Gives back unused credit after the queue is sent. Only for a handler with its own `onDrain`. */
  completeDrain(): void;
}

export interface SendOptions {
  /** 1 to 32 bytes that tell the delivery apart on this link (2.8.7). */
  readonly deliveryTag: Uint8Array;
  /** Sent settled: the peer answers nothing. Default false. */
  readonly settled?: boolean;
  /** The message-format; default 0. */
  readonly format?: number;
  /** A state to send with it, as a transactional one. */
  readonly state?: DeliveryState;
  /** For the owner's own use, found again in `delivery.context`. */
  readonly context?: unknown;
}

/** A message we sent. */
export interface OutgoingDelivery {
  readonly link: SenderLink;
  readonly tag: Uint8Array;
  /** The session's delivery-id; `undefined` while it waits in the queue. */
  readonly id: number | undefined;
  readonly isSettled: boolean;
  readonly context: unknown;
}

export interface SenderHandler {
  /** The peer's credit changed or the session's window opened. May be called with no credit left. */
  onCredit?(link: SenderLink): void;
  /** The peer wants its credit used or back. Without this handler it is given back after `onCredit`. */
  onDrain?(link: SenderLink): void;
  /** The peer told a delivery's outcome, once; when `delivery.isSettled` is false it awaits `settle`. */
  onDisposition?(delivery: OutgoingDelivery, state: DeliveryState | undefined): void;
  /** The link is over for any reason other than our own `detach` or `refuse`. Called once. */
  onDetach?(error: AmqpError | undefined, link: SenderLink): void;
}

/** A link on which we receive and the peer sends. */
export interface ReceiverLink extends Link {
  readonly role: "receiver";
  handler: ReceiverHandler;
  /** Deliveries the peer may still send. */
  readonly credit: number;
  /** Deliveries received and not settled. */
  readonly unsettled: number;
  /** Answers the peer's attach and gives it the credit of the window. Does nothing when the link is over. */
  accept(options?: ReceiverAcceptOptions): void;
  /** Allows the peer more deliveries. */
  addCredit(count: number): void;
  /** Asks the peer to use up its credit now or give it back; `onDrained` tells when that is done. */
  drain(): void;
  /** Settles a delivery with an outcome and forgets it; does nothing when it is settled. */
  settle(delivery: IncomingDelivery, state: DeliveryState): void;
  /** Tells an outcome and leaves settling to the sender, as in receiver settle mode second (2.8.3). */
  propose(delivery: IncomingDelivery, state: DeliveryState): void;
}

/** A message the peer sent. */
export interface IncomingDelivery {
  readonly link: ReceiverLink;
  readonly id: number;
  readonly tag: Uint8Array;
  readonly format: number;
  /** The encoded message: a view into the input when it came in one frame. Copy it to keep it for long. */
  readonly message: Uint8Array;
  /** The state the sender sent with it, as a transactional one. */
  readonly state: DeliveryState | undefined;
  readonly isSettled: boolean;
  /** For the owner's own use. */
  context: unknown;
}

export interface ReceiverHandler {
  onTransfer?(delivery: IncomingDelivery): void;
  /** The sender settled a delivery, as the answer to `propose`. */
  onSettled?(delivery: IncomingDelivery, state: DeliveryState | undefined): void;
  /** The peer has used up or given back its credit after `drain`. */
  onDrained?(link: ReceiverLink): void;
  /** The link is over for any reason other than our own `detach` or `refuse`. Called once. */
  onDetach?(error: AmqpError | undefined, link: ReceiverLink): void;
}
