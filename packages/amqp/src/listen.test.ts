import { connect, createServer, type Server, type Socket } from "node:net";
import { expect, it } from "vitest";
import {
  ACCEPTED,
  addressOf,
  type Connection,
  createConnection,
  encodeMessage,
  saslAnonymous,
  scanMessage,
} from "./index.js";

const taken: unknown[] = [];

// #region serve
/** Takes what clients send and prints it. Use it as `createServer(serve).listen(5672)`. */
function serve(socket: Socket): void {
  const connection = createConnection({
    containerId: "my-server",
    saslMechanisms: [saslAnonymous()],
    handler: {
      onOutput: () => queueMicrotask(flush),
      onLink(link) {
        if (link.role === "sender") {
          link.refuse({ condition: "amqp:not-implemented", description: "This server only takes messages." });
          return;
        }
        link.handler.onTransfer = (delivery) => {
          print(addressOf(link.remoteTarget), scanMessage(delivery.message).decodeBody());
          link.settle(delivery, ACCEPTED);
        };
        link.accept({ creditWindow: 100 });
      },
    },
  });

  function flush(): void {
    socket.cork();
    for (const part of connection.takeOutput()) socket.write(part);
    socket.uncork();
    if (connection.isEnded) socket.end();
    else if (socket.writableNeedDrain) socket.pause().once("drain", () => socket.resume());
  }

  socket.setNoDelay();
  socket.on("data", (bytes) => connection.receive(bytes));
  socket.on("error", () => socket.destroy());
  socket.on("close", () => connection.disconnect());
}
// #endregion

function print(...values: unknown[]): void {
  taken.push(values);
}

it("serves a client over a socket", async () => {
  await using server = await listen();
  const outcome = await new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1");
    const client: Connection = createConnection({
      role: "client",
      containerId: "client",
      saslCredentials: { mechanism: "ANONYMOUS" },
      handler: {
        onOutput: () =>
          queueMicrotask(() => {
            for (const part of client.takeOutput()) socket.write(part);
          }),
        onOpen: () => {
          const link = client
            .openSession()
            .openSender({ name: "l", target: { kind: "target", address: "q" } });
          link.handler.onDisposition = (_delivery, state) => {
            client.close();
            resolve(state);
          };
          link.send(encodeMessage({ body: { kind: "value", value: "hello" } }), {
            deliveryTag: Buffer.from("1"),
          });
        },
        onClose: () => socket.end(),
      },
    });
    socket.on("data", (bytes) => client.receive(bytes));
  });
  expect(outcome).toEqual(ACCEPTED);
  expect(taken).toEqual([["q", ["hello"]]]);
});

async function listen(): Promise<{ readonly port: number } & AsyncDisposable> {
  const server: Server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
