import { connect, createServer, type Server } from "node:net";
import { expect, it, vi } from "vitest";
import { acceptedState, type Connection, createConnection, encodeMessage } from "./index.js";
import { serve } from "./listen.test-support.js";

it("serves a client over a socket", async () => {
  using print = vi.spyOn(console, "log").mockReturnValue();
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
  expect(outcome).toEqual(acceptedState);
  expect(print.mock.calls).toEqual([["q", ["hello"]]]);
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
