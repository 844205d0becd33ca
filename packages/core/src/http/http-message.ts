import { asciiJson, isObject, parseJson } from "@waybill/foundation";
import { contentEncodingOf } from "../body-transforms/compression.js";
import { WaybillError } from "../errors/error.js";
import {
  type BrokerProperty,
  brokerProperties,
  brokerPropertyEntries,
  capitalised,
} from "../message/broker-properties.js";
import type {
  ApplicationProperties,
  ApplicationPropertyValue,
  BrokerAssignedProperties,
  EncodedMessage,
  MessageState,
} from "../message/message.js";
import { fromHttpValue, toHttpText, toJsonValue } from "./http-value.js";

/** A message of the HTTP runtime API of Service Bus. */
export interface HttpMessage {
  /** `BrokerProperties`, `Content-Type`, and a header for each application property. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A message received by HTTP: the properties of the sender and those of the broker. */
export type FromHttpMessage = EncodedMessage & Partial<BrokerAssignedProperties>;

/** The header with the application properties whose names are not valid header names. */
const userPropertiesHeader = "UserProperties";
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const reserved =
  /^(?:accept(?:-.*)?|age|allow|alt-.*|authorization|brokerproperties|cache-control|connection|content-.*|cookie|date|etag|expect|expires|forwarded|from|host|if-.*|keep-alive|last-modified|location|max-forwards|origin|pragma|proxy-.*|range|referer|retry-after|sec-.*|server|set-cookie|servicebus.*|strict-transport-security|te|trailer|transfer-encoding|upgrade.*|user-agent|userproperties|vary|via|warning|www-authenticate|x-forwarded-.*|x-ms-.*)$/i;
/** It means that a message never expires. */
const { max: maxTimeToLiveMs } = brokerProperties.timeToLive as { max: number };
const states: readonly MessageState[] = ["active", "deferred", "scheduled"];

type Properties = Readonly<Record<string, unknown>>;

/**
 * Writes a message for the HTTP runtime API, for clients that reach Service Bus by HTTP. Throws `operation-invalid` if the body is not
 * bytes. Source: "Service Bus REST: message headers and properties".
 */
export function toHttpMessage(message: FromHttpMessage): HttpMessage {
  const { body, contentType, contentEncoding, applicationProperties = {} } = message;
  if (!(body instanceof Uint8Array)) {
    throw new WaybillError("operation-invalid", "HTTP carries bodies of bytes only.", {
      messageId: message.messageId,
    });
  }
  const headers: [string, string][] = [["BrokerProperties", toBrokerProperties(message)]];
  if (contentType !== undefined) headers.push(["Content-Type", contentType]);
  const rest: [string, unknown][] = [];
  // HTTP has no place for AMQP's property.
  if (contentEncoding !== undefined && contentEncodingOf({ applicationProperties }) === undefined)
    rest.push(["Content-Encoding", contentEncoding]);
  for (const [name, value] of Object.entries(applicationProperties)) {
    if (isHeaderName(name)) headers.push([name, toHttpText(value)]);
    else rest.push([name, toJsonValue(value)]);
  }
  if (rest.length > 0)
    headers.push([userPropertiesHeader, asciiJson(JSON.stringify(Object.fromEntries(rest)))]);
  return { headers: Object.fromEntries(headers), body };
}

/** Reads a message of the HTTP runtime API, sent or received. Throws `operation-invalid` for malformed headers. */
export function fromHttpMessage({ headers, body }: HttpMessage): FromHttpMessage {
  const properties: [string, ApplicationPropertyValue][] = [];
  let known: Properties = {};
  let contentType: string | undefined;
  for (const [name, text] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (lower === "brokerproperties") known = fromBrokerProperties(parseObject(text, name));
    else if (lower === "content-type") contentType = text;
    else if (lower === userPropertiesHeader.toLowerCase()) {
      for (const [key, json] of Object.entries(parseObject(text, name)))
        properties.push([key, fromHttpValue(JSON.stringify(json))]);
    } else if (isHeaderName(name)) properties.push([name, fromHttpValue(text)]);
  }
  const applicationProperties: ApplicationProperties = Object.fromEntries(properties);
  return {
    ...known,
    ...(contentType !== undefined && { contentType }),
    ...(properties.length > 0 && { applicationProperties }),
    body,
  };
}

function toBrokerProperties(message: FromHttpMessage): string {
  const written: Record<string, unknown> = {};
  for (const [name, { http, type }] of brokerPropertyEntries) {
    const value = message[name];
    if (http !== undefined && value !== undefined && value !== null) written[http] = toKey(type, value);
  }
  return asciiJson(JSON.stringify(written));
}

function toKey(type: BrokerProperty["type"], value: unknown): unknown {
  switch (type) {
    case "duration":
      return Math.min(value as number, maxTimeToLiveMs) / 1000;
    case "instant":
      return (value as Date).getTime() % 1000 === 0
        ? (value as Date).toUTCString()
        : (value as Date).toISOString();
    case "state":
      return capitalised(String(value));
    case "sequence-number":
      return Number(value);
    case "count":
      // HTTP also counts the current delivery.
      return Number(value) + 1;
    case "message-id":
      return value instanceof Uint8Array
        ? toJsonValue(value)
        : typeof value === "bigint"
          ? Number(value)
          : value;
    default:
      return value;
  }
}

function fromBrokerProperties(json: Properties): Properties {
  const given = new Map(Object.entries(json).map(([key, value]) => [key.toLowerCase(), value]));
  const read: Record<string, unknown> = {};
  for (const [name, { http, type }] of brokerPropertyEntries) {
    const value = http === undefined ? undefined : given.get(http.toLowerCase());
    if (value !== undefined && value !== null) read[name] = fromKey(type, value, http ?? name);
  }
  return read;
}

function fromKey(type: BrokerProperty["type"], value: unknown, key: string): unknown {
  switch (type) {
    case "duration": {
      const ms = Math.round(Number(value) * 1000);
      if (!(ms > 0)) throw malformed(key);
      return ms >= maxTimeToLiveMs - 1000 ? Number.POSITIVE_INFINITY : ms;
    }
    case "instant": {
      const instant = new Date(String(value));
      if (Number.isNaN(instant.getTime())) throw malformed(key);
      return instant;
    }
    case "sequence-number":
      if (!Number.isSafeInteger(value)) throw malformed(key);
      return BigInt(value as number);
    case "count":
      return Math.max(0, Number(value) - 1);
    case "state": {
      const state = states.find((one) => one === String(value).toLowerCase());
      if (state === undefined) throw malformed(key);
      return state;
    }
    case "message-id":
      return typeof value === "object" ? fromHttpValue(JSON.stringify(value)) : value;
    default:
      return value;
  }
}

function parseObject(text: string, header: string): Properties {
  const json = parseJson(text);
  if (!isObject(json) || Array.isArray(json)) throw malformed(header);
  return json as Properties;
}

/** The error does not quote the content. */
function malformed(what: string): WaybillError {
  return new WaybillError("operation-invalid", `${what} of an HTTP message is malformed.`);
}

function isHeaderName(name: string): boolean {
  return token.test(name) && !reserved.test(name);
}
