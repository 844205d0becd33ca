import { Buffer } from "node:buffer";
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { WebSocket, WebSocketServer } from "ws";
import type { ClientConnection, ClientSocket } from "../../amqp/connection/client-connection.js";
import { type PageRules, refusalOfPage } from "../../authorization/web-pages.js";
import type { ResolvedServeLimits } from "../../options/serve-limits.js";

/** The service's path; .NET appends a slash. */
const pathForm = /^\/\$servicebus\/websocket\/?(?:\?.*)?$/i;
/** The first is the service's name, the second the registered one. */
const subProtocols = ["AMQPWSB10", "amqp"];

/** What the acceptance of WebSockets needs. */
export interface WebSocketSettings {
  readonly limits: ResolvedServeLimits;
  readonly pages: PageRules;
  accept(socket: ClientSocket): ClientConnection;
  /** Frees what the socket holds as an HTTP client: afterwards the connection has an AMQP budget instead. */
  leave(socket: Duplex): void;
  /** Closes a socket that has its answer, even if the client does not. */
  depart(socket: Duplex): void;
}

/** Lets an HTTP server upgrade to AMQP over WebSockets. Other upgrades, and those of foreign web pages, are refused. */
export function acceptWebSockets(
  server: Server,
  { limits, pages, accept, leave, depart }: WebSocketSettings,
): void {
  let upgrader: Promise<WebSocketServer> | undefined;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refused = statusOfRefusal(request, pages);
    if (refused !== undefined) {
      socket.write(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      depart(socket);
      return;
    }
    upgrader ??= createUpgrader(limits);
    upgrade(upgrader, request, socket, head).then(
      ({ webSocket, stream }) => {
        leave(socket);
        const connection = accept(toClientSocket(webSocket, stream, socket as Socket));
        limitMessages(webSocket, socket, () =>
          connection.isTrusted ? limits.connectionBytes : limits.unauthenticated.connectionBytes,
        );
      },
      () => socket.destroy(),
    );
  });
}

function statusOfRefusal({ url = "", headers }: IncomingMessage, pages: PageRules): string | undefined {
  if (refusalOfPage(headers, pages) !== undefined) return "403 Forbidden";
  return pathForm.test(url.replace(/%24/g, "$")) ? undefined : "404 Not Found";
}

/** Loads the WebSocket library on first use, so that the server starts fast. */
async function createUpgrader(limits: ResolvedServeLimits): Promise<WebSocketServer> {
  const { WebSocketServer } = await import("ws");
  return new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload: limits.connectionBytes,
    handleProtocols: (offered) => subProtocols.find((name) => offered.has(name)) ?? false,
  });
}

async function upgrade(
  upgrader: Promise<WebSocketServer>,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<{ readonly webSocket: WebSocket; readonly stream: Duplex }> {
  const { createWebSocketStream } = await import("ws");
  const server = await upgrader;
  return new Promise((resolve) => {
    server.handleUpgrade(request, socket, head, (webSocket) =>
      // Created at once: data received in the same turn would be lost otherwise.
      resolve({ webSocket, stream: createWebSocketStream(webSocket) }),
    );
  });
}

/** A WebSocket as a stream of bytes, whose message boundaries are irrelevant. */
function toClientSocket(
  webSocket: WebSocket,
  stream: Duplex,
  { remoteAddress, remotePort }: Socket,
): ClientSocket {
  const socket: ClientSocket = Object.assign(stream, {
    setNoDelay: () => socket as never,
    remoteAddress,
    remotePort,
    // Everything written in one turn is sent as one message.
    _writev: (parts: { readonly chunk: Buffer }[], done: (error?: Error | null) => void) => {
      webSocket.send(Buffer.concat(parts.map(({ chunk }) => chunk)), done);
    },
  });
  return socket;
}

/** Drops a client whose unfinished message holds too much memory: the library checks only the maximum message size. */
function limitMessages(webSocket: WebSocket, socket: Duplex, maxBytes: () => number): void {
  let unfinished = 0;
  socket.on("data", (bytes: Buffer) => {
    unfinished += bytes.length;
    if (unfinished > maxBytes()) webSocket.terminate();
  });
  webSocket.on("message", () => {
    unfinished = 0;
  });
}
