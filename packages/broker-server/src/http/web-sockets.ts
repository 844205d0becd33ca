import { Buffer } from "node:buffer";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { ClientConnection, ClientSocket } from "../amqp/client-connection.js";
import type { ResolvedServeLimits } from "../serve-limits.js";

/** The address of the service; .NET writes a slash behind it. */
const PATH = /^\/\$servicebus\/websocket\/?(?:\?.*)?$/i;
/** The first is that of the service, the second the registered one. */
const SUB_PROTOCOLS = ["AMQPWSB10", "amqp"];

/** Lets an HTTP server upgrade to AMQP over WebSockets. Every other upgrade is refused. */
export function acceptWebSockets(
  server: Server,
  limits: ResolvedServeLimits,
  accept: (socket: ClientSocket) => ClientConnection,
): void {
  const upgrader = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    maxPayload: limits.connectionBytes,
    handleProtocols: (offered) => SUB_PROTOCOLS.find((name) => offered.has(name)) ?? false,
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!PATH.test(decodePath(request.url ?? ""))) {
      socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    upgrader.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = accept(toClientSocket(webSocket));
      limitMessages(webSocket, socket, () =>
        connection.isTrusted ? limits.connectionBytes : limits.unauthenticated.connectionBytes,
      );
    });
  });
}

function decodePath(url: string): string {
  return url.replace(/%24/g, "$");
}

/** A WebSocket as a stream of bytes, whose messages begin and end anywhere. */
function toClientSocket(webSocket: WebSocket): ClientSocket {
  const stream = createWebSocketStream(webSocket);
  let timer: NodeJS.Timeout | undefined;
  stream.once("close", () => clearTimeout(timer));
  const socket: ClientSocket = Object.assign(stream, {
    setNoDelay: () => socket as never,
    setTimeout: (timeoutMs: number, onTimeout?: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(() => onTimeout?.(), timeoutMs).unref();
      return socket as never;
    },
    // What is written in one turn goes out as one message.
    _writev: (parts: { readonly chunk: Buffer }[], done: (error?: Error | null) => void) => {
      webSocket.send(Buffer.concat(parts.map(({ chunk }) => chunk)), done);
    },
  });
  return socket;
}

/** Drops a client whose unfinished message holds more than it may: the library counts only what the largest message may have. */
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
