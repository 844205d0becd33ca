import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { describe, expect, it } from "vitest";
import WebSocket from "ws";
import { type ServeOptions, serve } from "../index.js";
import { localhostCertificate } from "../localhost-certificate.test-support.js";

const run = promisify(execFile);
const key = { name: "RootManageSharedAccessKey", key: "the-root-secret", rights: ["Manage"] } as const;

async function openServer(options: ServeOptions = {}) {
  const broker = createBroker();
  const server = await serve(broker, { port: 0, keys: [key], ...options });
  return {
    broker,
    server,
    async [Symbol.asyncDispose]() {
      await server.close();
      await broker.close();
    },
  };
}

/** What a socket reads until the server ends it. */
async function answerTo(port: number, ...parts: (string | Buffer)[]): Promise<Buffer> {
  const socket = connect(port, "127.0.0.1");
  const read: Buffer[] = [];
  socket.on("data", (bytes) => read.push(bytes)).on("error", () => {});
  for (const part of parts) socket.write(part);
  await whenClosed(socket);
  return Buffer.concat(read);
}

async function openSilent(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Resolves when a socket is closed, in whatever way. */
function whenClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
}

describe("one connection string", () => {
  // The administration client of this version of the SDK always uses TLS.
  it.each([
    [
      "with UseDevelopmentEmulator=true, plain for messages and TLS for administration",
      ";UseDevelopmentEmulator=true",
    ],
    ["with TLS for both", ""],
  ])("serves both official clients unchanged: %s", async (_title, suffix) => {
    await using fixture = await openServer({ tls: localhostCertificate });
    const directory = await mkdtemp(join(tmpdir(), "waybill-port-"));
    try {
      const certificate = join(directory, "localhost.pem");
      await writeFile(certificate, localhostCertificate.cert);
      const program = `
        import { ServiceBusAdministrationClient, ServiceBusClient } from "@azure/service-bus";
        const text = ${JSON.stringify(`${fixture.server.connectionString}${suffix}`)};
        const administration = new ServiceBusAdministrationClient(text);
        await administration.createQueue("orders");
        const client = new ServiceBusClient(text);
        await client.createSender("orders").sendMessages([{ body: 1 }, { body: 2 }]);
        const { activeMessageCount } = await administration.getQueueRuntimeProperties("orders");
        await client.close();
        process.stdout.write(String(activeMessageCount));`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
      });
      expect(stdout).toBe("2");
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it("serves the official client over WebSockets", async () => {
    await using fixture = await openServer({ tls: localhostCertificate });
    await fixture.broker.createQueue("orders");
    const client = new ServiceBusClient(fixture.server.connectionString, {
      webSocketOptions: {
        webSocket: WebSocket,
        webSocketConstructorOptions: { ca: localhostCertificate.cert },
      },
    });
    const large = "x".repeat(200_000);
    await client.createSender("orders").sendMessages([{ body: "small" }, { body: large }]);
    const receiver = client.createReceiver("orders");
    const messages = await receiver.receiveMessages(2);
    expect(messages.map(({ body }) => body)).toEqual(["small", large]);
    for (const message of messages) await receiver.completeMessage(message);
    await client.close();
    expect(fixture.broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it.each(["/$servicebus/websocket", "/%24servicebus/websocket/", "/$servicebus/websocket?x=1"])(
    "accepts WebSockets without TLS at %s",
    async (path) => {
      await using fixture = await openServer();
      const socket = new WebSocket(`ws://127.0.0.1:${fixture.server.port}${path}`, ["AMQPWSB10"]);
      await once(socket, "open");
      expect(socket.protocol).toBe("AMQPWSB10");
      socket.send(Buffer.from("414d515003010000", "hex"));
      const [header] = (await once(socket, "message")) as [Buffer];
      expect(header.subarray(0, 4).toString()).toBe("AMQP");
      socket.terminate();
    },
  );

  it("does not upgrade at other paths", async () => {
    await using fixture = await openServer();
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.server.port}/elsewhere`, ["AMQPWSB10"]);
    const [error] = (await once(socket, "error")) as [Error];
    expect(error.message).toContain("404");
  });
});

describe("additional ports", () => {
  it("accept the same protocols as the main port", async () => {
    await using fixture = await openServer({ additionalPorts: [0, 0] });
    const { ports, port } = fixture.server;
    expect(new Set(ports).size).toBe(3);
    expect(ports[0]).toBe(port);
    for (const each of ports) {
      expect((await fetch(`http://127.0.0.1:${each}/health`)).status).toBe(200);
      const header = await answerTo(each, "AMQP\x00\x09\x09\x09");
      expect(header.subarray(0, 4).toString()).toBe("AMQP");
    }
  });

  it("are all closed if one of them is not available", async () => {
    await using broker = createBroker();
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const main = await freePort();
    await expect(serve(broker, { port: main, additionalPorts: [port] })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    await using server = await serve(broker, { port: main });
    expect(server.port).toBe(main);
    other.close();
  });

  it("must be port numbers", async () => {
    await using broker = createBroker();
    await expect(serve(broker, { port: 0, additionalPorts: [70_000] })).rejects.toThrow(
      "additionalPorts must be an integer from 0 to 65535; got 70000",
    );
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("a connection that begins with an unknown protocol", () => {
  it.each([
    ["a port scan's line", "\r\n\r\n"],
    ["a byte of zero", Buffer.from([0])],
    ["an SSH greeting", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a malformed request", "GET\x00 / nonsense\r\n\r\n"],
    ["an endless header", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(200_000)}`],
  ])("gets a response and is closed: %s", async (_title, bytes) => {
    await using fixture = await openServer();
    await answerTo(fixture.server.port, bytes);
    expect((await fetch(`http://127.0.0.1:${fixture.server.port}/health`)).status).toBe(200);
  });

  it("gets a TLS alert if TLS is not served", async () => {
    await using fixture = await openServer();
    const answer = await answerTo(fixture.server.port, Buffer.from("160301", "hex"));
    expect(answer.toString("hex")).toBe("15030100020228");
  });

  it("is detected byte by byte", async () => {
    await using fixture = await openServer();
    const socket = await openSilent(fixture.server.port);
    socket.setNoDelay();
    for (const byte of Buffer.from("414d515003010000", "hex")) {
      socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    const [header] = (await once(socket, "data")) as [Buffer];
    expect(header.subarray(0, 8).toString("hex")).toBe("414d515003010000");
    socket.destroy();
  });
});

describe("clients that open a socket and send nothing", () => {
  it.each([
    ["nothing at all", ""],
    ["half a TLS handshake", Buffer.from("1603010200010001fc0303", "hex")],
    ["half a request", "GET /orders HTTP/1.1\r\nHost: a\r\n"],
    ["half an AMQP header", "AMQ"],
  ])("are disconnected when others connect: %s", async (_title, bytes) => {
    const limits = { unauthenticated: { connections: 3 } };
    await using fixture = await openServer({ tls: localhostCertificate, limits });
    const { port } = fixture.server;
    const sockets: Socket[] = [];
    for (let count = 0; count < 10; count++) {
      const socket = await openSilent(port);
      if (bytes !== "") socket.write(bytes);
      sockets.push(socket);
    }
    const first = sockets.slice(0, 7);
    await Promise.all(first.map(whenClosed));
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it("do not keep the server from closing", async () => {
    await using fixture = await openServer({ tls: localhostCertificate, closeTimeoutMs: 20 });
    await fetch(`http://127.0.0.1:${fixture.server.port}/health`);
    const silent = await openSilent(fixture.server.port);
    const half = await openSilent(fixture.server.port);
    half.write("GET / HT");
    await Promise.all([whenClosed(silent), whenClosed(half), fixture.server.close()]);
  });

  it("do not fill the memory with an endless WebSocket message", async () => {
    await using fixture = await openServer();
    const socket = new WebSocket(`ws://127.0.0.1:${fixture.server.port}/$servicebus/websocket`, [
      "AMQPWSB10",
    ]);
    await once(socket, "open");
    socket.on("error", () => {});
    const closed = once(socket, "close");
    const part = Buffer.alloc(64 * 1024, 0x41);
    for (let count = 0; count < 10; count++) socket.send(part, { fin: false });
    await closed;
  });
});

describe("TLS alone", () => {
  it("accepts no client without TLS if configured so", async () => {
    await using fixture = await openServer({ tls: { ...localhostCertificate, allowPlain: false } });
    const { port } = fixture.server;
    expect(await answerTo(port, "GET /health HTTP/1.1\r\nHost: a\r\n\r\n")).toHaveLength(0);
    expect(await answerTo(port, Buffer.from("414d515003010000", "hex"))).toHaveLength(0);
  });
});
