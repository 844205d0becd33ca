import type { IncomingMessage } from "node:http";
import { HttpRefusal } from "./error.js";

/** A request as the handlers see it: nothing of sockets. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  /** The path's segments, decoded, without empty ones. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Names as the client wrote them, which is how properties are called. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[];
  /** Scheme and authority under which the client reached the server, such as `http://localhost:5672`. */
  readonly origin: string;
  /** Host and port of the origin. */
  readonly host: string;
  /** Aborts when the client has gone or the server goes. */
  readonly signal: AbortSignal;
  /** Reads the body, which must not be longer. Throws a refusal. */
  readBody(maxBytes: number): Promise<Uint8Array>;
}

/** What is answered. */
export interface HttpResponse {
  readonly status: number;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
}

const HOST = /^[A-Za-z0-9.:[\]_-]{1,255}$/;

/** Reads the head of a request. Throws a refusal for a host or path that is malformed. */
export function toHttpRequest(
  incoming: IncomingMessage,
  { signal, readBody }: Pick<HttpRequest, "signal" | "readBody">,
): HttpRequest {
  const isEncrypted = (incoming.socket as { readonly encrypted?: boolean }).encrypted === true;
  const host = incoming.headers.host ?? "localhost";
  if (!HOST.test(host)) throw new HttpRefusal(400, "The host header is malformed.");
  const [path, query] = splitOnce(withoutOrigin(incoming.url ?? "/"), "?");
  const headers: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return {
    method: incoming.method ?? "GET",
    segments: path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decodeSegment),
    query: new URLSearchParams(query),
    headers,
    rawHeaders: inPairs(incoming.rawHeaders),
    origin: `${isEncrypted ? "https" : "http"}://${host}`,
    host,
    signal,
    readBody,
  };
}

/** A client that takes the server for a proxy writes the whole address. */
function withoutOrigin(url: string): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, "");
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Names of entities hold no control characters, and no segment leads anywhere else. */
function decodeSegment(segment: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    throw new HttpRefusal(400, "The path is not well-formed.");
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused.
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
