import type { MessageHeader, MessageProperties } from "@waybill/amqp";
import type { BrokerReceivedMessage } from "@waybill/broker";

/** Maximum time to live in a header: 49.7 days in ms. */
const maxTtl = 2 ** 32 - 1;
/** The latest expiry that SDKs write. */
const maxExpiryMs = Date.UTC(9999, 11, 31, 7, 59, 59);

/**
 * The time to live of a sent message, in ms; `undefined` for unlimited. The header decides, unless its field is too small: SDKs set a time
 * to live of more than 49.7 days by the times in the properties. Source: "AMQP 1.0 in Azure Service Bus protocol guide",
 * absolute-expiry-time.
 */
export function sentLifeMs(
  header: MessageHeader | undefined,
  properties: MessageProperties | undefined,
): number | undefined {
  const ttl = header?.ttl;
  if (ttl === undefined || ttl === 0) return undefined;
  if (ttl < maxTtl) return ttl;
  const { creationTime, absoluteExpiryTime } = properties ?? {};
  const spanMs = Number(absoluteExpiryTime) - Number(creationTime);
  // NaN unless both are set.
  if (spanMs > ttl) return spanMs;
  return ttl;
}

/** The time to live for the header; `undefined` if it exceeds the field. */
export function ttlOf({ timeToLiveMs }: BrokerReceivedMessage): number | undefined {
  return timeToLiveMs > maxTtl ? undefined : Math.max(Math.round(timeToLiveMs), 0);
}

/** The creation and expiry times for the properties, in ms since the epoch; `undefined` if the message never expires. */
export function expiryOf(
  message: BrokerReceivedMessage,
): { readonly creationTime: number; readonly absoluteExpiryTime: number } | undefined {
  const { timeToLiveMs } = message;
  if (timeToLiveMs === Number.POSITIVE_INFINITY) return undefined;
  const creationTime = message.enqueuedTime.getTime();
  const absoluteExpiryTime = Math.min(creationTime + Math.max(Math.round(timeToLiveMs), 0), maxExpiryMs);
  return { creationTime, absoluteExpiryTime };
}
