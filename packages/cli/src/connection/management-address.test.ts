import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { describe, expect, it } from "vitest";
import { findManagement } from "./management-address.js";

const keys = "SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE";
const local = (port?: number) =>
  `Endpoint=sb://localhost${port === undefined ? "" : `:${port}`};${keys};UseDevelopmentEmulator=true`;

/** The ports of a broker, of one that takes only AMQP, as the official emulator does beside its management API, and one where nothing listens. */
async function openPorts() {
  const broker = createBroker();
  const server = await serve(broker, { port: 0, host: "127.0.0.1" });
  const amqp = createServer((socket) => socket.end("AMQP\0\u0001\0\0")).listen(0, "127.0.0.1");
  const gone = createServer().listen(0, "127.0.0.1");
  await Promise.all([once(amqp, "listening"), once(gone, "listening")]);
  const [onlyAmqp, nothing] = [amqp, gone].map((each) => (each.address() as AddressInfo).port) as [
    number,
    number,
  ];
  await new Promise((resolve) => gone.close(resolve));
  return {
    http: server.port,
    onlyAmqp,
    nothing,
    async [Symbol.asyncDispose]() {
      amqp.close();
      await server.close();
      await broker.close();
    },
  };
}

describe("the management API of a connection string", () => {
  it("is on the port for messages of a broker that answers both there", async () => {
    await using ports = await openPorts();
    expect(await findManagement(local(ports.http), undefined, [ports.nothing, ports.onlyAmqp])).toMatchObject(
      {
        connectionString: local(ports.http),
        origin: `http://localhost:${ports.http}`,
        isPlain: true,
      },
    );
  });

  it("is on the emulator's own port if the one for messages answers no HTTP", async () => {
    await using ports = await openPorts();
    const found = { connectionString: local(ports.http), origin: `http://localhost:${ports.http}` };
    expect(await findManagement(local(ports.onlyAmqp), undefined, [ports.http, ports.nothing])).toMatchObject(
      found,
    );
  });

  it("is found without a port, too", async () => {
    await using ports = await openPorts();
    const found = { connectionString: local(ports.http) };
    expect(await findManagement(local(), undefined, [ports.http, ports.onlyAmqp])).toMatchObject(found);
    expect(await findManagement(local(), undefined, [ports.nothing, ports.http])).toMatchObject(found);
  });

  it("is where --management-port says", async () => {
    await using ports = await openPorts();
    const found = { connectionString: local(ports.http) };
    expect(
      await findManagement(local(ports.onlyAmqp), ports.http, [ports.nothing, ports.nothing]),
    ).toMatchObject(found);
  });

  it("says for each port why it does not answer", async () => {
    await using ports = await openPorts();
    await expect(findManagement(local(), undefined, [ports.nothing, ports.onlyAmqp])).rejects.toThrow(
      new RegExp(
        `The management API does not answer at localhost:${ports.nothing} \\(connection refused\\) or localhost:${ports.onlyAmqp} \\(.*\\)\\. Is the broker running\\? --management-port names another port\\.`,
      ),
    );
  });

  it("is at the usual port of Azure", async () => {
    const azure = `Endpoint=sb://shop.servicebus.windows.net/;${keys}`;
    expect(await findManagement(azure)).toEqual({
      connectionString: azure,
      origin: "https://shop.servicebus.windows.net",
      isPlain: false,
    });
  });
});
