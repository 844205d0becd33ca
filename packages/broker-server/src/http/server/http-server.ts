import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { underEither } from "@waybill/foundation";
import type { ClientConnection, ClientSocket } from "../../amqp/connection/client-connection.js";
import type { ServerContext } from "../../amqp/peer.js";
import { refusalOfPage } from "../../authorization/web-pages.js";
import { clientOf } from "../../events/server-event.js";
import type { Admission } from "../../limits/admission.js";
import type { Departures } from "../../limits/departures.js";
import type { ResolvedServeOptions } from "../../options/serve-options.js";
import { HttpClient, type RequestMemory } from "../http-client.js";
import { HttpRefusal } from "../http-refusal.js";
import { type HttpResponse, toHttpRequest } from "../http-request.js";
import { handle } from "./handle.js";
import { acceptWebSockets } from "./web-sockets.js";

/** What an HTTP server needs. */
interface HttpSettings
  extends ServerContext,
    Pick<ResolvedServeOptions, "authorization" | "namespace" | "pages" | "onEvent"> {
  readonly admission: Admission;
  readonly departures: Departures;
  /** Accepts AMQP over a WebSocket. */
  acceptAmqp(socket: ClientSocket): ClientConnection;
}

/** Messages have up to 64 KiB of properties, which are sent as headers. */
const maxHeadBytes = 64 * 1024 + 16 * 1024;
const maxHeaders = 2_000;
/** Timeout of a request, and of its head. */
const requestTimeoutMs = 60_000;
const headTimeoutMs = 20_000;
/** Longer than clients keep idle connections, so that they never use a closed one. */
const keepAliveMs = 120_000;
/** Creates an HTTP server that does not listen: sockets are passed to it as `connection` events. */
export function createHttpServer(settings: HttpSettings): Server {
  const clients = new WeakMap<Duplex, HttpClient>();
  const closing = new AbortController();
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: maxHeadBytes,
    },
    (incoming, outgoing) => {
      const client = clients.get(incoming.socket);
      if (client === undefined) incoming.socket.destroy();
      else void answer(settings, client, incoming, outgoing, closing.signal);
    },
  );
  server.maxHeadersCount = maxHeaders;
  server.on("connection", (socket) => {
    const client = new HttpClient(settings.admission, () => socket.destroy());
    clients.set(socket, client);
    socket.once("close", () => client.close());
  });
  const depart = (socket: Duplex): void => settings.departures.add(socket);
  acceptWebSockets(server, {
    limits: settings.limits,
    pages: settings.pages,
    accept: (socket) => settings.acceptAmqp(socket),
    leave: (socket) => clients.get(socket)?.close(),
    depart,
  });
  // A malformed request must not affect other clients.
  server.on("clientError", (error: MalformedError, socket) => refuseMalformed(error, socket, depart));
  // This event starts Node's checks of the two timeouts; `close` ends them.
  server.emit("listening");
  const close = server.close.bind(server);
  server.close = (onClosed) => {
    closing.abort();
    return close(onClosed);
  };
  return server;
}

async function answer(
  settings: HttpSettings,
  client: HttpClient,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  closing: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  try {
    const memory = client.open();
    outgoing.once("close", () => {
      gone.abort();
      memory.release();
    });
    const response = await underEither(gone.signal, closing, (signal) =>
      respond(settings, client, incoming, memory, signal),
    );
    memory.hold(Buffer.byteLength(response.body ?? ""));
    send(outgoing, response, incoming);
  } catch {
    outgoing.destroy();
  }
}

async function respond(
  settings: HttpSettings,
  client: HttpClient,
  incoming: IncomingMessage,
  memory: RequestMemory,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const origin = { broker: settings.broker, namespace: settings.namespace };
  try {
    await settings.turns.next(client.usage);
    const refused = refusalOfPage(incoming.headers, settings.pages);
    if (refused !== undefined) throw new HttpRefusal(403, refused);
    const request = toHttpRequest(incoming, memory, signal);
    const { limits, turns } = settings;
    const pause = async (): Promise<void> => {
      if (turns.isOver()) await turns.next(client.usage);
    };
    const { batchMessages } = limits;
    const address = clientOf(incoming.socket);
    const onRefused = (entity: string, detail: string): void =>
      settings.onEvent?.({ type: "refused", client: address, entity, detail });
    return await handle({ ...settings, batchMessages, client, memory, pause, onRefused }, request);
  } catch (error) {
    // Loaded together with the XML library, which the broker does not need to start.
    const { toErrorResponse } = await import("../error.js");
    return toErrorResponse(error, origin);
  }
}

function send(
  outgoing: ServerResponse,
  { status, headers = [], body = "" }: HttpResponse,
  incoming: IncomingMessage,
): void {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  // The rest of a refused body is not read.
  if (!incoming.complete) outgoing.shouldKeepAlive = false;
  const all = status === 204 ? headers : [...headers, ["Content-Length", String(bytes.length)]];
  outgoing.writeHead(status, all.flat());
  outgoing.end(bytes);
}

type MalformedError = Error & { readonly code?: string };

function refuseMalformed(error: MalformedError, socket: Duplex, depart: (socket: Duplex) => void): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const line =
    error.code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  socket.write(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  depart(socket);
}
