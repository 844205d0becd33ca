import type { Link, ReceiverLink, SenderLink } from "@waybill/amqp";
import { type Broker, BrokerError, type SessionReceiver } from "@waybill/broker";
import type { Claims } from "../authorization/claims.js";
import type { AccessRight } from "../authorization/shared-access-key.js";
import type { ConnectionBudget } from "../limits/connection-budget.js";
import { ReplyLinks } from "../limits/reply-links.js";
import { type Turns, Usage } from "../limits/turns.js";
import type { ResolvedServeLimits } from "../options/serve-limits.js";
import { AmqpRefusal, toAmqpError } from "../refusals/error.js";
import { RequestLine } from "./request-line.js";
import { SessionHolders } from "./session-holders.js";
import { OpenTransactions } from "./transactions.js";

/** What every link of a server works on. */
export interface ServerContext {
  readonly broker: Broker;
  readonly limits: ResolvedServeLimits;
  readonly turns: Turns;
}

interface GuardedLink {
  readonly path: string;
  readonly rights: readonly AccessRight[];
}

/** Bytes of sends that are not durable yet, beyond which no more are read, so that a fast client fills no memory. */
const LARGEST_PENDING = 8 * 2 ** 20;

/** The client at the other end of a connection: what it may do, and the links it has. */
export class Peer {
  readonly broker: Broker;
  readonly limits: ResolvedServeLimits;
  readonly claims: Claims;
  readonly budget: ConnectionBudget;
  readonly turns: Turns;
  readonly usage = new Usage();
  /** The sessions that this client holds. */
  readonly sessions = new SessionHolders();
  readonly transactions: OpenTransactions;
  /** Links of request nodes on which replies go out. */
  readonly replyLinks = new ReplyLinks();
  /** Requests that take long, one after the other. */
  readonly requests: RequestLine;
  /** The host name that the client connected to, as its open frame says. */
  namespace = "";
  /** Whether output piles up because the client does not read: nothing may be pushed then. */
  isCongested = false;
  readonly #guarded = new Map<Link, GuardedLink>();
  readonly #waiting = new Set<() => void>();
  readonly #onSettled: () => void;
  /** What is left to do for links that are over. */
  readonly #ends: (() => void)[] = [];
  readonly #ender = { usage: this.usage, proceed: () => this.#endSome() };
  readonly #resumer = { usage: this.usage, proceed: () => this.#goOn() };
  #pendingBytes = 0;

  /** `onSettled` is called when reading may go on that `isPending` held up. */
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

  /** Whether so much of what the client sent awaits its outcome that nothing more should be read. */
  get isPending(): boolean {
    return this.#pendingBytes > LARGEST_PENDING;
  }

  /** Counts a message in that awaits its outcome, and out again. */
  addPending(bytes: number): void {
    const wasPending = this.isPending;
    this.#pendingBytes += bytes;
    if (wasPending && !this.isPending) this.#onSettled();
  }

  /** Throws unless the client may use the link, and ends the link once it may not any more. */
  guard(link: SenderLink | ReceiverLink, path: string, ...rights: readonly AccessRight[]): void {
    this.claims.require(path, ...rights);
    this.#guarded.set(link, { path, rights });
  }

  /** Forgets a link that is over. */
  release(link: Link): void {
    this.#guarded.delete(link);
  }

  /** Detaches the links whose tokens have expired, in turns. */
  dropExpired(): void {
    for (const [link, { path, rights }] of this.#guarded) {
      if (this.claims.has(path, ...rights)) continue;
      this.#guarded.delete(link);
      this.endLater(() => this.end(link, expired(path)));
    }
  }

  /** Detaches a link with an error and lets its owner clean up, as when the client had detached it. */
  end(link: Link, error: unknown): void {
    if (link.isDetached) return;
    const { handler } = link as SenderLink | ReceiverLink;
    link.detach(toAmqpError(error, this));
    handler.onDetach?.(undefined, link as SenderLink & ReceiverLink);
  }

  /** Does what a link's end calls for, now or in a turn of its own: thousands may end at once, each with thousands of messages. */
  endLater(end: () => void): void {
    this.#ends.push(end);
    this.turns.take(this.#ender);
  }

  /** Releases a session that the client has given back. */
  releaseLater(session: SessionReceiver): void {
    this.endLater(() => {
      session.close().catch(ignoreClosedBroker);
    });
  }

  /** Resolves once the sessions are released that the client has given back. */
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

  /** Calls `resume` when the client has read what was written. */
  whenWritten(resume: () => void): void {
    this.#waiting.add(resume);
  }

  /** Lets those go on who waited for the client to read, in turns. */
  resume(): void {
    if (this.#waiting.size > 0) this.turns.take(this.#resumer);
  }

  /** Calls each of those who wait once, however soon they wait again: `resume` is called for what they write. */
  #goOn(): boolean {
    const waiting = [...this.#waiting];
    for (let resume = waiting.shift(); resume !== undefined; resume = waiting.shift()) {
      if (this.isCongested) return false;
      this.#waiting.delete(resume);
      resume();
      if (this.turns.isOver()) break;
    }
    return waiting.length > 0;
  }

  /** Ends what lives as long as the connection. */
  close(): void {
    this.claims.close();
    this.transactions.rollBackAll((end) => this.endLater(end));
    this.replyLinks.clear();
    this.#guarded.clear();
    this.#waiting.clear();
    this.budget.close();
  }
}

function expired(path: string): AmqpRefusal {
  return new AmqpRefusal(
    "amqp:unauthorized-access",
    `The token for '${path}' has expired. Put a new one on $cbs and attach again.`,
    401,
  );
}

function ignoreClosedBroker(error: unknown): void {
  if (!(error instanceof BrokerError)) throw error;
}
