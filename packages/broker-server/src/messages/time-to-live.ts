import type { MessageHeader, MessageProperties } from "@waybill/amqp";
import type { ReceivedMessage } from "@waybill/broker";

/** The longest time to live that a header holds: 49.7 days in ms. */
const LONGEST_TTL = 2 ** 32 - 1;
/** The latest instant that SDKs write. */
const LATEST_EXPIRY_MS = Date.UTC(9999, 11, 31, 7, 59, 59);

/**
 * How long a sent message is to live, in ms; `undefined` without end. The header decides. Where it could not say more, the times in the
 * properties do, from which SDKs read lives of more than 49.7 days, too.
 * Source: "AMQP 1.0 in Azure Service Bus protocol guide", absolute-expiry-time.
 */
export function sentLifeMs(
  header: MessageHeader | undefined,
  properties: MessageProperties | undefined,
): number | undefined {
  const ttl = header?.ttl;
  if (ttl === undefined || ttl === 0) return undefined;
  if (ttl < LONGEST_TTL) return ttl;
  const { creationTime, absoluteExpiryTime } = properties ?? {};
  const spanMs = Number(absoluteExpiryTime) - Number(creationTime);
  // NaN unless both are there.
  if (spanMs > ttl) return spanMs;
  return ttl;
}

/** The time to live for the header; `undefined` for a message that lives longer than it can say. */
export function ttlOf({ timeToLiveMs }: ReceivedMessage): number | undefined {
  return timeToLiveMs > LONGEST_TTL ? undefined : Math.max(Math.round(timeToLiveMs), 0);
}

/** The times for the properties, in ms since the epoch, which are as far apart as the message lives; `undefined` if it never expires. */
export function expiryOf({
  timeToLiveMs,
  enqueuedTime,
}: ReceivedMessage): { readonly creationTime: number; readonly absoluteExpiryTime: number } | undefined {
  if (timeToLiveMs === Number.POSITIVE_INFINITY) return undefined;
  const creationTime = enqueuedTime.getTime();
  const absoluteExpiryTime = Math.min(creationTime + Math.max(Math.round(timeToLiveMs), 0), LATEST_EXPIRY_MS);
  return { creationTime, absoluteExpiryTime };
}
