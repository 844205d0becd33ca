import type { Link, ReceiverLink, SenderLink } from "@waybill/amqp";
import type { Broker } from "@waybill/broker";
import type { Claims } from "../authorization/claims.js";
import type { AccessRight } from "../authorization/shared-access-key.js";
import { AmqpRefusal, toAmqpError } from "./error.js";
import type { SessionHolders } from "./session-holders.js";
import { OpenTransactions } from "./transactions.js";

/** What every link of a server works on. */
export interface Seat {
  readonly broker: Broker;
  readonly sessions: SessionHolders;
}

interface GuardedLink {
  readonly path: string;
  readonly rights: readonly AccessRight[];
}

/** The client at the other end of a connection: what it may do, and the links it has. */
export class Peer {
  readonly broker: Broker;
  readonly sessions: SessionHolders;
  readonly claims: Claims;
  readonly transactions: OpenTransactions;
  /** Links of request nodes on which replies go out. */
  readonly replyLinks = new Set<SenderLink>();
  /** The host name that the client connected to, as its open frame says. */
  namespace = "";
  /** Whether output piles up because the client does not read: nothing may be pushed then. */
  isCongested = false;
  readonly #guarded = new Map<Link, GuardedLink>();
  readonly #waiting = new Set<() => void>();

  constructor({ broker, sessions }: Seat, claims: Claims) {
    this.broker = broker;
    this.sessions = sessions;
    this.claims = claims;
    this.transactions = new OpenTransactions(broker);
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

  /** Detaches the links whose tokens have expired. */
  dropExpired(): void {
    for (const [link, { path, rights }] of this.#guarded) {
      if (this.claims.has(path, ...rights)) continue;
      this.#guarded.delete(link);
      const refusal = new AmqpRefusal(
        "amqp:unauthorized-access",
        `The token for '${path}' has expired. Put a new one on $cbs and attach again.`,
        401,
      );
      this.end(link, refusal);
    }
  }

  /** Detaches a link with an error and lets its owner clean up, as when the client had detached it. */
  end(link: Link, error: unknown): void {
    if (link.isDetached) return;
    const { handler } = link as SenderLink | ReceiverLink;
    link.detach(toAmqpError(error, this));
    handler.onDetach?.(undefined, link as SenderLink & ReceiverLink);
  }

  /** Calls `resume` when the client has read what was written. */
  whenWritten(resume: () => void): void {
    this.#waiting.add(resume);
  }

  /** Lets those go on who waited for the client to read. */
  resume(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }

  /** Ends what lives as long as the connection. */
  close(): void {
    this.claims.close();
    this.transactions.rollBackAll();
    this.replyLinks.clear();
    this.#guarded.clear();
    this.#waiting.clear();
  }
}
