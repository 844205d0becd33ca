import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Broker } from "@waybill/broker";
import type { Authorization } from "../authorization/claims.js";
import { authorize } from "./authorize.js";
import { HttpRefusal, toHttpError } from "./error.js";
import type { HttpRequest, HttpResponse } from "./http-request.js";
import { manage, type NamespaceInfo } from "./management/manage.js";
import { parseResource } from "./management/resource.js";
import { buildXml } from "./xml.js";

/** What the HTTP side of a server needs. */
export interface HttpSettings {
  readonly broker: Broker;
  readonly authorization: Authorization;
  readonly namespace: NamespaceInfo;
}

/** Descriptions of entities and rules are a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;
/** A request is a moment's work; a client that takes longer only holds a socket. */
const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 20_000;

/** An HTTP server that listens nowhere: sockets are handed to it as its `connection` events. */
export function createHttpServer(settings: HttpSettings): Server {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      maxHeaderSize: 64 * 1024,
    },
    (incoming, outgoing) => {
      answer(settings, incoming).then(
        (response) => send(outgoing, response),
        () => outgoing.destroy(),
      );
    },
  );
  // A malformed request concerns its client alone.
  server.on("clientError", (_error, socket) => {
    if (socket.writable)
      socket.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    else socket.destroy();
  });
  return server;
}

async function answer(settings: HttpSettings, incoming: IncomingMessage): Promise<HttpResponse> {
  try {
    const body = await readBody(incoming);
    return await handle(settings, toRequest(incoming, body));
  } catch (error) {
    const { status, detail } = toHttpError(error);
    return toErrorResponse(status, detail);
  }
}

async function handle(settings: HttpSettings, request: HttpRequest): Promise<HttpResponse> {
  const { broker, authorization, namespace } = settings;
  if (request.method === "GET" && request.segments.length === 1 && request.segments[0] === "health") {
    return { status: 200, headers: { "content-type": "application/json" }, body: '{"status":"healthy"}' };
  }
  const resource = parseResource(request.segments);
  if (resource === undefined) throw new HttpRefusal(404, "There is nothing at this address.");
  authorize(authorization, request, ["Manage"], broker.clock.now());
  return await manage(broker, namespace, request, resource);
}

function toRequest(incoming: IncomingMessage, body: Uint8Array): HttpRequest {
  const isEncrypted = (incoming.socket as { readonly encrypted?: boolean }).encrypted === true;
  const host = incoming.headers.host ?? "localhost";
  if (!/^[A-Za-z0-9.:[\]_-]{1,255}$/.test(host)) throw new HttpRefusal(400, "The host header is malformed.");
  const [path = "", query = ""] = splitOnce(incoming.url ?? "/", "?");
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
    body,
    origin: `${isEncrypted ? "https" : "http"}://${host}`,
    host,
  };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpRefusal(400, "The path is not well-formed.");
  }
}

/** Gives up as soon as a body is longer than any description is. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) throw new HttpRefusal(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function toErrorResponse(status: number, detail: string): HttpResponse {
  const body = buildXml({
    name: "Error",
    content: [
      { name: "Code", content: String(status) },
      { name: "Detail", content: detail },
    ],
  });
  return { status, headers: { "content-type": "application/xml; charset=utf-8" }, body };
}

function send(outgoing: ServerResponse, { status, headers = {}, body = "" }: HttpResponse): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  outgoing.writeHead(status, { ...headers, "content-length": bytes.length });
  outgoing.end(bytes);
}
