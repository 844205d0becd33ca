import {
  AmqpMap,
  type AmqpValue,
  isDescribed,
  isTyped,
  long,
  type SenderLink,
  symbol,
  symbolMap,
} from "@waybill/amqp";
import type { BrokerSessionReceiver } from "@waybill/broker";
import { keyText, textOf } from "../../messages/application-properties.js";
import { badRequest, toAmqpError } from "../../refusals/error.js";
import type { Peer } from "../peer.js";
import { receiveMode } from "./deliver-messages.js";
import { pushMessages } from "./push-messages.js";

const sessionFilter = "com.microsoft:session-filter";
const timeoutProperty = "com.microsoft:timeout";
const lockedUntil = "com.microsoft:locked-until-utc";
/** How long the service waits for the next session by default. */
const defaultTimeoutMs = 65_000;
const epochTicks = 621_355_968_000_000_000n;
const ticksPerMs = 10_000n;
const abortReason = "the link is detached";
/**
 * The part of a client's timeout, with its maximum in ms, that is reserved for sending the answer. Clients reserve as little as 20 ms,
 * which a busy machine uses up: then they time out themselves and retry three times, as after a fault.
 */
const answerMargin = { share: 0.02, maxMs: 250 };

/** Whether a client's attach asks for a session, named or the next one. */
export function isSessionLink(link: SenderLink): boolean {
  return link.remoteSource?.filter?.get(sessionFilter) !== undefined;
}

/**
 * Accepts a link on which a client receives a session's messages, once the session is locked for it. Answers the attach within the client's
 * timeout, because a client that has timed out may not detach.
 */
export function deliverSession(peer: Peer, link: SenderLink, path: string): void {
  peer.guard(link, path, "Listen");
  const filter = undescribed(link.remoteSource?.filter?.get(sessionFilter));
  const sessionId = filter === null ? undefined : textOf(filter);
  if (filter !== null && sessionId === undefined)
    throw badRequest(`${sessionFilter} is neither text nor null.`);
  const aborting = new AbortController();
  link.handler = {
    onDetach() {
      // With a shared reason, no error is created for each.
      peer.endLater(() => aborting.abort(abortReason));
      peer.release(link);
    },
  };
  peer
    .whenReleased()
    .then(() =>
      peer.broker.acceptSession(path, {
        sessionId,
        mode: receiveMode(link),
        maxWaitMs: timeoutOf(link),
        signal: aborting.signal,
      }),
    )
    .then((session) => {
      if (link.isDetached) peer.releaseLater(session);
      else begin(peer, link, session);
    })
    .catch((error: unknown) => {
      link.handler.onDetach?.(undefined, link);
      link.refuse(toAmqpError(error, peer));
    });
}

function begin(peer: Peer, link: SenderLink, session: BrokerSessionReceiver): void {
  peer.sessions.add(session);
  const end = (): void => {
    peer.sessions.delete(session);
    peer.release(link);
    peer.releaseLater(session);
  };
  link.handler = { onDetach: end };
  pushMessages(peer, link, session, end);
  session.onLost((error) => peer.end(link, error));
  const source = link.remoteSource ?? { kind: "source" };
  link.accept({
    source: { ...source, filter: withSession(source.filter, session.sessionId) },
    properties: symbolMap({ [lockedUntil]: long(toDotNetTicks(session.lockedUntil)) }),
  });
}

/**
 * The client's filters with the id of the accepted session. A filter is described if the client described it: Go's SDK does, as AMQP says (3.5.8),
 * and reads no other; the other SDKs send and read the plain id.
 */
function withSession(filter: AmqpMap | undefined, sessionId: string): AmqpMap {
  return new AmqpMap(
    (filter?.entries ?? []).map(([key, value]): readonly [AmqpValue, AmqpValue] => {
      if (keyText(key) !== sessionFilter) return [key, value];
      return [symbol(sessionFilter), isDescribed(value) ? { ...value, value: sessionId } : sessionId];
    }),
  );
}

/** A date in .NET ticks: units of 100 ns since the year 1. */
function toDotNetTicks(at: Date): bigint {
  return epochTicks + BigInt(at.getTime()) * ticksPerMs;
}

function undescribed(value: AmqpValue | undefined): AmqpValue | undefined {
  return isDescribed(value) ? value.value : value;
}

function timeoutOf(link: SenderLink): number {
  const timeout = link.remoteAttach?.properties?.get(timeoutProperty);
  if (!isTyped(timeout) || !("value" in timeout)) return defaultTimeoutMs;
  const ms = Number(timeout.value);
  if (!Number.isFinite(ms) || ms < 0) return defaultTimeoutMs;
  return ms - Math.min(ms * answerMargin.share, answerMargin.maxMs);
}
