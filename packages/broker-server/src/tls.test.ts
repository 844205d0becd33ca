import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBroker } from "@waybill/broker";
import { describe, expect, it, vi } from "vitest";
import { serve } from "./index.js";
import { localhostCertificate } from "./localhost-certificate.test-support.js";

const run = promisify(execFile);

/** Sends and receives with the official client in a process that trusts the certificate; `client` is the expression that creates it. */
async function roundTrip(client: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "waybill-tls-"));
  try {
    const certificate = join(directory, "localhost.pem");
    await writeFile(certificate, localhostCertificate.cert);
    const program = `
      import { ServiceBusClient } from "@azure/service-bus";
      const client = ${client};
      await client.createSender("orders").sendMessages({ body: "hello over TLS" });
      const receiver = client.createReceiver("orders");
      const [message] = await receiver.receiveMessages(1);
      await receiver.completeMessage(message);
      await client.close();
      process.stdout.write(message.body);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    });
    return stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** The first byte of every TLS handshake. */
const firstByte = Buffer.of(0x16);

/** Connects and sends nothing. */
async function connectSilent(port: number) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const closed = once(socket, "close");
  await once(socket, "connect");
  return { socket, closed };
}

/** Connects and finishes the handshake. */
async function handshake(port: number): Promise<Socket> {
  const socket = connectTls({ port, host: "127.0.0.1", ca: localhostCertificate.cert });
  await once(socket, "secureConnect");
  return socket;
}

describe("serve with TLS", () => {
  it("uses TLS, and its connection string requires it", async () => {
    await using broker = createBroker();
    await using server = await serve(broker, { port: 0, tls: localhostCertificate });
    expect(server.connectionString).not.toContain("UseDevelopmentEmulator");
    // Not 127.0.0.1: from Node 26 on, a server name must not be an address.
    expect(server.connectionString).toContain(`Endpoint=sb://localhost:${server.port};`);
    const header = await new Promise<Buffer>((resolve, reject) => {
      const socket = connectTls({ port: server.port, host: "127.0.0.1", ca: localhostCertificate.cert });
      socket.on("error", reject);
      socket.on("data", (bytes) => {
        socket.destroy();
        resolve(bytes);
      });
      socket.write(Buffer.from("414d515003010000", "hex"));
    });
    expect(header.subarray(0, 4).toString()).toBe("AMQP");
  });

  it("serves the official client by connection string", async () => {
    await using broker = createBroker();
    await broker.createQueue("orders");
    await using server = await serve(broker, { port: 0, tls: localhostCertificate });
    expect(await roundTrip(`new ServiceBusClient("${server.connectionString}")`)).toBe("hello over TLS");
    expect(broker.getEntity("orders").totalMessageCount).toBe(0);
  });

  it("serves the official client with a token credential, in the development mode", async () => {
    const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    await using broker = createBroker();
    await broker.createQueue("orders");
    await using server = await serve(broker, { port: 0, tls: localhostCertificate, acceptAnyone: true });
    warnings.mockRestore();
    const credential =
      "{ getToken: async () => ({ token: 'jwt', expiresOnTimestamp: Date.now() + 3_600_000 }) }";
    const options = `{ customEndpointAddress: "sb://localhost:${server.port}" }`;
    const client = `new ServiceBusClient("localhost", ${credential}, ${options})`;
    expect(await roundTrip(client)).toBe("hello over TLS");
  });

  it("disconnects a client that does not finish its handshake in ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await using broker = createBroker();
    await using server = await serve(broker, { port: 0, tls: localhostCertificate });
    const slow = await connectSilent(server.port);
    slow.socket.write(firstByte);
    await handshake(server.port);
    vi.advanceTimersByTime(10_001);
    vi.useRealTimers();
    await slow.closed;
  });

  it("disconnects a client that sends nothing in twenty seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await using broker = createBroker();
    await using server = await serve(broker, { port: 0, tls: localhostCertificate });
    const silent = await connectSilent(server.port);
    await handshake(server.port);
    vi.advanceTimersByTime(20_001);
    vi.useRealTimers();
    await silent.closed;
  });

  it("limits pending handshakes like unauthenticated connections, and closes the oldest", async () => {
    await using broker = createBroker();
    const limits = { unauthenticated: { connections: 3 } };
    await using server = await serve(broker, {
      port: 0,
      tls: localhostCertificate,
      limits,
      closeTimeoutMs: 20,
    });
    const slow = [];
    for (let i = 0; i < 5; i++) {
      const one = await connectSilent(server.port);
      one.socket.write(firstByte);
      slow.push(one);
    }
    await Promise.all(slow.slice(0, 2).map(({ closed }) => closed));
    (await handshake(server.port)).destroy();
    for (const { socket } of slow) socket.destroy();
  });

  it("closes even if a client never finishes its handshake", async () => {
    await using broker = createBroker();
    const server = await serve(broker, { port: 0, tls: localhostCertificate, closeTimeoutMs: 20 });
    const silent = connect(server.port, "127.0.0.1");
    silent.on("error", () => {});
    await once(silent, "connect");
    await Promise.all([once(silent, "close"), server.close()]);
  });
});
