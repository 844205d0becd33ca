import { Buffer } from "node:buffer";
import type { ApplicationProperties } from "@waybill/broker";
import { asciiJson } from "@waybill/foundation";
import { HttpRefusal } from "../http-refusal.js";
import { fromPropertyJson, fromPropertyText, toPropertyJson, toPropertyText } from "./property-text.js";

/** The header for properties whose names are not valid header names: JSON, as in batches. */
const userPropertiesHeader = "UserProperties";
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers of HTTP and of the service, which are never user properties. */
const reserved = new Set(
  (
    "accept accept-charset accept-encoding accept-language accept-ranges access-control-allow-origin age allow alt-svc alt-used " +
    "authorization brokerproperties cache-control connection cookie date dnt etag expect expires forwarded from host keep-alive " +
    "last-modified location max-forwards origin pragma range referer retry-after server set-cookie strict-transport-security te trailer " +
    "transfer-encoding upgrade upgrade-insecure-requests user-agent userproperties vary via warning www-authenticate " +
    "servicebusauthorization servicebussupplementaryauthorization servicebusdlqsupplementaryauthorization"
  ).split(" "),
);
const reservedPrefix = /^(?:content-|if-|proxy-|sec-|x-forwarded-|x-ms-)/;

/** The headers of a received message's properties, one per property. */
export function toUserHeaders(properties: ApplicationProperties): [name: string, text: string][] {
  const headers: [string, string][] = [];
  const rest: [string, unknown][] = [];
  for (const [name, value] of Object.entries(properties)) {
    if (isHeaderName(name)) headers.push([name, toPropertyText(value)]);
    else rest.push([name, toPropertyJson(value)]);
  }
  if (rest.length > 0)
    headers.push([userPropertiesHeader, asciiJson(JSON.stringify(Object.fromEntries(rest)))]);
  return headers;
}

/** The properties in the headers of a request; names keep their case. Throws an `HttpRefusal`. */
export function fromUserHeaders(
  headers: readonly (readonly [name: string, text: string])[],
): ApplicationProperties {
  const properties = new Map<string, ApplicationProperties[string]>();
  for (const [name, text] of headers) {
    if (isHeaderName(name)) properties.set(name, fromPropertyText(fromHeaderText(text)));
    else if (name.toLowerCase() === userPropertiesHeader.toLowerCase()) {
      for (const [key, value] of Object.entries(fromUserJson(parseJson(text, userPropertiesHeader))))
        properties.set(key, value);
    }
  }
  return Object.fromEntries(properties);
}

/** The properties in the `UserProperties` of a batch's message. Throws an `HttpRefusal`. */
export function fromUserJson(json: unknown): ApplicationProperties {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw new HttpRefusal(400, "SubCode=40000. UserProperties must be a JSON object.");
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, fromPropertyJson(value)]));
}

/** Parses the JSON of a header. The error does not quote it. */
export function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(fromHeaderText(text));
  } catch {
    throw new HttpRefusal(400, `SubCode=40000. ${name} must be JSON.`);
  }
}

/** Header values are bytes, which clients usually mean as UTF-8. */
function fromHeaderText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for bytes beyond ASCII.
  if (!/[^\x00-\x7f]/.test(text)) return text;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return text;
  }
}

function isHeaderName(name: string): boolean {
  const lower = name.toLowerCase();
  return token.test(name) && !reserved.has(lower) && !reservedPrefix.test(lower);
}
