import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { createBroker } from "@waybill/broker";
import { describe, expect, it } from "vitest";
import WebSocket from "ws";
import { type ServeOptions, serve } from "./index.js";
import { localhostCertificate } from "./localhost-certificate.test-support.js";

const wellKnown = { name: "RootManageSharedAccessKey", key: "SAS_KEY_VALUE", rights: ["Manage"] } as const;

async function openServer(options: ServeOptions = {}) {
  const broker = createBroker();
  await broker.createQueue("orders");
  const server = await serve(broker, { port: 0, acceptAnyone: true, ...options });
  const ask = (path: string, method: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest({ port: server.port, host: server.host, path, method, headers }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      });
      sent.on("error", reject).end();
    });
  const openWebSocket = async (headers: Record<string, string>): Promise<string> => {
    const address = `ws://127.0.0.1:${server.port}/$servicebus/websocket`;
    const socket = new WebSocket(address, ["AMQPWSB10"], { headers });
    const answer = await Promise.race([
      once(socket, "open").then(() => "open"),
      once(socket, "unexpected-response").then(([, { statusCode }]) => String(statusCode)),
    ]);
    socket.on("error", () => {}).terminate();
    return answer;
  };
  return {
    broker,
    server,
    ask,
    openWebSocket,
    async [Symbol.asyncDispose]() {
      await server.close();
      await broker.close();
    },
  };
}

describe("a web page in a browser of this machine", () => {
  const evil = { origin: "https://evil.example" };
  const pages: [string, Record<string, string>][] = [
    ["of another origin", evil],
    ["without an origin, in a frame", { origin: "null" }],
    ["of another port", { origin: "http://localhost:1" }],
    ["of another site, whose browser names no origin", { "sec-fetch-site": "cross-site" }],
    ["whose name resolves to this machine", { host: "evil.example" }],
    ["whose name begins like this machine's", { host: "localhost.evil.example:5672" }],
    ["whose name resolves to this machine, as its own origin", { host: "a.b", origin: "http://a.b" }],
  ];

  it.each(pages)("cannot connect by WebSocket: %s", async (_, headers) => {
    await using fixture = await openServer();
    expect(await fixture.openWebSocket(headers)).toBe("403");
  });

  it.each(pages)("cannot change, read or reset anything: %s", async (_, headers) => {
    await using fixture = await openServer();
    const body = { body: { section: "data", bytes: Uint8Array.of(49) } } as const;
    await fixture.broker.sender("orders").send(body);
    expect(await fixture.ask("/$waybill/reset", "POST", headers)).toBe(403);
    expect(await fixture.ask("/orders/messages/head?timeout=0", "POST", headers)).toBe(403);
    expect(await fixture.ask("/orders", "GET", headers)).toBe(403);
    expect(await fixture.ask("/orders", "OPTIONS", headers)).toBe(403);
    expect(fixture.broker.getEntity("orders").activeMessageCount).toBe(1);
  });

  it("cannot connect with the emulator's well-known key either, on every address", async () => {
    await using fixture = await openServer({
      acceptAnyone: false,
      keys: [wellKnown],
      host: "0.0.0.0",
    });
    for (const [, headers] of pages) expect(await fixture.openWebSocket(headers)).toBe("403");
  });

  it("may connect if its origin is allowed", async () => {
    await using fixture = await openServer({ allowedOrigins: [evil.origin] });
    expect(await fixture.openWebSocket({ ...evil, "sec-fetch-site": "cross-site" })).toBe("open");
    expect(await fixture.openWebSocket({ origin: "https://other.example" })).toBe("403");
  });
});

describe("a client that is no web page", () => {
  it.each<[string, Record<string, string>]>([
    ["no origin", {}],
    [
      "its own address as origin, like Python's library for WebSockets",
      { host: "localhost:5", origin: "http://localhost:5" },
    ],
    ["an address", { host: "[::1]:5672" }],
    ["the name of a container", { host: "broker:5672" }],
    ["a name of this machine in a container", { host: "host.docker.internal:5672" }],
  ])("connects with %s", async (_, headers) => {
    await using fixture = await openServer();
    expect(await fixture.openWebSocket(headers)).toBe("open");
    expect(await fixture.ask("/health", "GET", headers)).toBe(200);
  });

  it("connects by a name that is allowed, or that the certificate has", async () => {
    await using fixture = await openServer({ allowedHosts: ["Broker.example"], tls: localhostCertificate });
    expect(await fixture.openWebSocket({ host: "broker.example:5672" })).toBe("open");
    expect(await fixture.openWebSocket({ host: "other.example:5672" })).toBe("403");
  });

  it("connects by every name where only holders of a secret key can do anything", async () => {
    const keys = [{ ...wellKnown, key: "a-secret-key" }];
    await using fixture = await openServer({ acceptAnyone: false, keys, host: "0.0.0.0" });
    expect(await fixture.openWebSocket({ host: "broker.example:5672" })).toBe("open");
  });
});

describe("half-closed sockets whose request was refused", () => {
  const requests: [string, string][] = [
    [
      "an upgrade at a wrong path",
      "GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    ],
    ["no HTTP", "GET nonsense\r\n\r\n"],
  ];

  // With these limits, the server has 240 sockets at once.
  const limits = { connections: 1, unauthenticated: { connections: 1 } };

  it.each(
    requests.flatMap(([title, text]) => [
      [`${title}, plain`, text, false] as const,
      [`${title}, over TLS`, text, true] as const,
    ]),
  )(
    "lock no client out: %s",
    async (_, text, isSecure) => {
      await using fixture = await openServer({ limits, tls: localhostCertificate });
      const { port } = fixture.server;
      const sockets: Socket[] = [];
      for (let opened = 0; opened < 260; opened++) {
        const to = { port, host: "127.0.0.1", allowHalfOpen: true };
        const socket = isSecure ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to);
        sockets.push(socket.on("error", () => {}));
        await once(socket, isSecure ? "secureConnect" : "connect");
        socket.write(text);
        await Promise.race([once(socket, "data"), once(socket, "close")]);
      }
      expect(await fixture.ask("/health", "GET", {})).toBe(200);
      for (const socket of sockets) socket.destroy();
    },
    60_000,
  );
});
