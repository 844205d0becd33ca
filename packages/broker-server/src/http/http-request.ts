import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { RequestMemory } from "./http-client.js";
import { HttpRefusal } from "./http-refusal.js";

/** A request as handlers see it, without sockets. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  /** The decoded segments of the path, without empty ones. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names in the client's spelling, which is how properties are named. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[];
  /** Scheme and authority that the client used, such as `http://localhost:5672`. */
  readonly origin: string;
  /** Host and port of the origin. */
  readonly host: string;
  /** Aborts when the client has disconnected or the server closes. */
  readonly signal: AbortSignal;
  /** Reads the body; throws if it is longer than `maxBytes`. */
  readBody(maxBytes: number): Promise<Uint8Array>;
}

/** A response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
}

const hostForm = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/** Parses the head of a request. Throws for a malformed host or path. */
export function toHttpRequest(
  incoming: IncomingMessage,
  memory: RequestMemory,
  signal: AbortSignal,
): HttpRequest {
  const isEncrypted = (incoming.socket as { readonly encrypted?: boolean }).encrypted === true;
  const host = incoming.headers.host ?? "localhost";
  if (!hostForm.test(host)) throw new HttpRefusal(400, "The host header is malformed.");
  const [path = "", ...query] = withoutOrigin(incoming.url ?? "/").split("?");
  return {
    method: incoming.method ?? "GET",
    segments: path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decodeSegment),
    query: new URLSearchParams(query.join("?")),
    // Only `set-cookie` has a list of values, and requests have none.
    headers: incoming.headers as HttpRequest["headers"],
    rawHeaders: inPairs(incoming.rawHeaders),
    origin: `${isEncrypted ? "https" : "http"}://${host}`,
    host,
    signal,
    readBody: (maxBytes) => readBody(incoming, memory, maxBytes),
  };
}

/** The URL of some segments. SDKs expect `$` as it is. */
export function urlOf(origin: string, segments: readonly string[]): string {
  return `${origin}/${segments.map((segment) => encodeURIComponent(segment).replaceAll("%24", "$")).join("/")}`;
}

/** A client that uses the server as a proxy sends the whole URL. */
function withoutOrigin(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, "");
}

/** Rejects control characters, which entity names cannot contain, and relative segments. */
function decodeSegment(segment: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw new HttpRefusal(400, "The path is not well-formed.");
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is rejected.
  if (decoded === "." || decoded === ".." || /[\u0000-\u001f\u007f]/.test(decoded))
    throw new HttpRefusal(400, "The path is not well-formed.");
  return decoded;
}

function inPairs(list: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < list.length; index += 2)
    pairs.push([list[index] ?? "", list[index + 1] ?? ""]);
  return pairs;
}

/** Reads the body of a request into accounted memory. Stops as soon as it is longer than allowed. */
async function readBody(
  incoming: IncomingMessage,
  memory: RequestMemory,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Number(incoming.headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    memory.hold(part.length);
    parts.push(part);
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

function tooLarge(maxBytes: number): HttpRefusal {
  return new HttpRefusal(413, `The body is larger than ${maxBytes} bytes.`);
}
