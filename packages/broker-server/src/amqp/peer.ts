import type { Connection, Link, ReceiverLink, SenderLink } from "@waybill/amqp";
import { type Broker, BrokerError, type BrokerSessionReceiver } from "@waybill/broker";
import type { Claims } from "../authorization/claims.js";
import type { AccessRight } from "../authorization/shared-access-key.js";
import type { ConnectionBudget } from "../limits/connection-budget.js";
import { ReplyLinks } from "../limits/reply-links.js";
import { type Turns, Usage } from "../limits/turns.js";
import type { ResolvedServeLimits } from "../options/serve-limits.js";
import { toAmqpError, unauthorized } from "../refusals/error.js";
import { RequestLine } from "./request-line.js";
import { SessionHolders } from "./session-holders.js";
import { OpenTransactions } from "./transactions.js";

/** Shared by all links of a server. */
export interface ServerContext {
  readonly broker: Broker;
  readonly limits: ResolvedServeLimits;
  readonly turns: Turns;
}

/** Above this many bytes of sends that are not durable yet, no more are read, so that a fast client fills no memory. */
const maxPending = 8 * 2 ** 20;
/** Above this many bytes of unwritten output, nothing is read, requested or executed, so that a client that does not read fills no memory. */
const maxOutput = 2 ** 20;

/** The client of a connection: its rights and its links. */
export class Peer {
  readonly broker: Broker;
  readonly limits: ResolvedServeLimits;
  readonly claims: Claims;
  readonly budget: ConnectionBudget;
  readonly turns: Turns;
  readonly usage = new Usage();
  /** The sessions held by this client. */
  readonly sessions = new SessionHolders();
  readonly transactions: OpenTransactions;
  /** Links on which replies of request nodes are sent. */
  readonly replyLinks = new ReplyLinks();
  /** Long-running requests, executed one after the other. */
  readonly requests: RequestLine;
  /** The host name from the client's open frame. */
  namespace = "";
  /** Whether unread output accumulates: nothing may be pushed then. */
  isCongested = false;
  readonly #guarded = new Map<Link, { readonly path: string; readonly rights: readonly AccessRight[] }>();
  readonly #waiting = new Set<() => void>();
  readonly #onSettled: () => void;
  /** Pending cleanup of ended links. */
  readonly #ends: (() => void)[] = [];
  readonly #ender = { usage: this.usage, proceed: () => this.#endSome() };
  readonly #resumer = { usage: this.usage, proceed: () => this.#resumeSome() };
  #pendingBytes = 0;

  /** `onSettled` is called when `isPending` becomes false again. */
  constructor(context: ServerContext, claims: Claims, budget: ConnectionBudget, onSettled: () => void) {
    this.broker = context.broker;
    this.limits = context.limits;
    this.turns = context.turns;
    this.claims = claims;
    this.budget = budget;
    this.#onSettled = onSettled;
    this.transactions = new OpenTransactions(context.broker);
    this.requests = new RequestLine(this);
  }

  /** Whether so many received messages await their outcome that no more should be read. */
  get isPending(): boolean {
    return this.#pendingBytes > maxPending;
  }

  /** Whether too much output is unwritten to add more. */
  isFull({ outputSize }: Connection): boolean {
    return this.isCongested || outputSize > maxOutput;
  }

  /** Adds or subtracts the bytes of messages that await their outcome. */
  addPending(bytes: number): void {
    const wasPending = this.isPending;
    this.#pendingBytes += bytes;
    if (wasPending && !this.isPending) this.#onSettled();
  }

  /** Throws unless the client may use the link, and ends the link once its rights expire. */
  guard(link: SenderLink | ReceiverLink, path: string, ...rights: readonly AccessRight[]): void {
    this.claims.require(path, ...rights);
    this.#guarded.set(link, { path, rights });
  }

  /** Forgets an ended link. */
  release(link: Link): void {
    this.#guarded.delete(link);
  }

  /** Detaches the links whose tokens have expired, in turns. */
  dropExpired(): void {
    for (const [link, { path, rights }] of this.#guarded) {
      if (this.claims.has(path, ...rights)) continue;
      this.#guarded.delete(link);
      const text = `The token for '${path}' has expired. Put a new one on $cbs and attach again.`;
      this.endLater(() => this.end(link, unauthorized(text)));
    }
  }

  /** Detaches a link with an error and runs its owner's cleanup, as if the client had detached it. */
  end(link: Link, error: unknown): void {
    if (link.isDetached) return;
    const { handler } = link as SenderLink | ReceiverLink;
    link.detach(toAmqpError(error, this));
    handler.onDetach?.(undefined, link as SenderLink & ReceiverLink);
  }

  /** Runs cleanup now or in a turn of its own: thousands of links may end at once, each with thousands of messages. */
  endLater(end: () => void): void {
    this.#ends.push(end);
    this.turns.take(this.#ender);
  }

  /** Releases a session that the client has closed. */
  releaseLater(session: BrokerSessionReceiver): void {
    this.endLater(() => {
      session.close().catch(ignoreClosedBroker);
    });
  }

  /** Resolves once all sessions that the client has closed are released. */
  async whenReleased(): Promise<void> {
    while (this.#ends.length > 0) await this.turns.next(this.usage);
  }

  #endSome(): boolean {
    for (let end = this.#ends.shift(); end !== undefined; end = this.#ends.shift()) {
      end();
      if (this.turns.isOver()) break;
    }
    return this.#ends.length > 0;
  }

  /** Calls `resume` when the client has read the output. */
  whenWritten(resume: () => void): void {
    this.#waiting.add(resume);
  }

  /** Calls everything waiting for the client to read, in turns. */
  resume(): void {
    if (this.#waiting.size > 0) this.turns.take(this.#resumer);
  }

  /** Calls each waiting callback only once, even if it waits again: `resume` is called again for what they write. */
  #resumeSome(): boolean {
    const waiting = [...this.#waiting];
    for (let resume = waiting.shift(); resume !== undefined; resume = waiting.shift()) {
      if (this.isCongested) return false;
      this.#waiting.delete(resume);
      resume();
      if (this.turns.isOver()) break;
    }
    return waiting.length > 0;
  }

  /** Ends everything that lasts as long as the connection. */
  close(): void {
    this.claims.close();
    this.transactions.rollBackAll((end) => this.endLater(end));
    this.replyLinks.clear();
    this.#guarded.clear();
    this.#waiting.clear();
    this.budget.close();
  }
}

function ignoreClosedBroker(error: unknown): void {
  if (!(error instanceof BrokerError)) throw error;
}
