import type { ReceiverLink, SenderLink } from "@waybill/amqp";
import { type ClockAttachment, type ClockDriven, steadyNow } from "@waybill/broker/front-end";
import type { ResolvedIdleTimeouts } from "../../options/idle-timeouts.js";
import { AmqpRefusal } from "../../refusals/error.js";
import type { Peer } from "../peer.js";

/** Interval of the checks, as a share of the shortest timeout. */
const step = 1 / 10;

const sweepMinimum = 100;

/**
 * Watches one open connection and closes what its client leaves unused for too long. It checks at intervals, so that traffic costs nothing.
 */
export class IdleWatch implements ClockDriven {
  readonly #timeouts: ResolvedIdleTimeouts;
  readonly #peer: Peer;
  readonly #closeConnection: (refusal: AmqpRefusal) => void;
  readonly #links = new Map<SenderLink | ReceiverLink, { activity: number; activeMs: number }>();
  readonly #openedMs: number;
  #linkedMs: number;
  #hadLinks = false;
  #hadToken = false;
  /** Above this number of links, detached ones are removed before the next check. */
  #sweepAt = sweepMinimum;
  #attachment: ClockAttachment | undefined;
  nextDueMs = Number.POSITIVE_INFINITY;
  readonly isAwaited = false;

  /** Created when a connection is opened. */
  constructor(timeouts: ResolvedIdleTimeouts, peer: Peer, closeConnection: (refusal: AmqpRefusal) => void) {
    const { clock } = peer.broker;
    this.#timeouts = timeouts;
    this.#peer = peer;
    this.#closeConnection = closeConnection;
    this.#openedMs = steadyNow(clock);
    this.#linkedMs = this.#openedMs;
    this.#schedule(this.#openedMs);
    if (this.nextDueMs < Number.POSITIVE_INFINITY) this.#attachment = clock.attach(this);
  }

  /** Watches a link until it is detached. */
  add(link: SenderLink | ReceiverLink): void {
    if (this.#attachment === undefined || link.isDetached) return;
    this.#links.set(link, { activity: link.activity, activeMs: steadyNow(this.#peer.broker.clock) });
    this.#hadLinks = true;
    if (this.#links.size < this.#sweepAt) return;
    this.#forgetDetached();
    this.#sweepAt = 2 * this.#links.size + sweepMinimum;
  }

  /** Stops watching and clears the timer. */
  close(): void {
    this.#attachment?.detach();
    this.#attachment = undefined;
    this.#links.clear();
  }

  runDue(nowMs: number): void {
    const refusal = this.#refusal(nowMs);
    if (refusal !== undefined) {
      this.close();
      this.#closeConnection(refusal);
      return;
    }
    this.#endIdleLinks(nowMs);
    this.#schedule(nowMs);
    if (this.nextDueMs === Number.POSITIVE_INFINITY) this.close();
  }

  #refusal(nowMs: number): AmqpRefusal | undefined {
    const { authenticationMs, firstLinkMs, noLinkMs } = this.#timeouts;
    this.#hadToken ||= this.#peer.claims.isKnown;
    if (authenticationMs > 0 && nowMs >= this.#openedMs + authenticationMs && !this.#hadToken) {
      return forced(`No valid token was put on $cbs within ${authenticationMs} ms.`);
    }
    // A link that was detached since the last check counts as detached now.
    if (this.#links.size > 0) this.#linkedMs = nowMs;
    this.#forgetDetached();
    const linklessMs = this.#hadLinks ? noLinkMs : firstLinkMs;
    if (linklessMs === 0 || nowMs < this.#linkedMs + linklessMs) return undefined;
    return forced(`The connection has had no link for ${linklessMs} ms.`);
  }

  #forgetDetached(): void {
    for (const link of this.#links.keys()) if (link.isDetached) this.#links.delete(link);
  }

  #endIdleLinks(nowMs: number): void {
    const { linkMs } = this.#timeouts;
    if (linkMs === 0) return;
    for (const [link, watched] of this.#links) {
      if (link.activity !== watched.activity) {
        watched.activity = link.activity;
        watched.activeMs = nowMs;
      } else if (nowMs >= watched.activeMs + linkMs) {
        this.#links.delete(link);
        this.#peer.end(
          link,
          new AmqpRefusal("amqp:link:detach-forced", `The link has been idle for ${linkMs} ms.`),
        );
      }
    }
  }

  /** The first due time is that of the token; after that, the shortest other timeout in small steps. */
  #schedule(nowMs: number): void {
    const { authenticationMs, firstLinkMs, noLinkMs, linkMs } = this.#timeouts;
    const tokenMs = this.#openedMs + authenticationMs;
    const shortestMs = Math.min(...[firstLinkMs, noLinkMs, linkMs].filter((ms) => ms > 0));
    const isTokenDue = authenticationMs > 0 && nowMs < tokenMs;
    const stepMs = Math.max(shortestMs * step, 1);
    this.nextDueMs = Math.min(nowMs + stepMs, isTokenDue ? tokenMs : Number.POSITIVE_INFINITY);
  }
}

function forced(text: string): AmqpRefusal {
  return new AmqpRefusal("amqp:connection:forced", text);
}
