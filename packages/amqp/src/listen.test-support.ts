import type { Socket } from "node:net";
import { acceptedState, addressOf, createConnection, saslAnonymous, scanMessage } from "@waybill/amqp";

/** Receives what clients send and prints it. Use it as `createServer(serve).listen(5672)`. */
export function serve(socket: Socket): void {
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
          console.log(addressOf(link.remoteTarget), scanMessage(delivery.message).decodeBody());
          link.settle(delivery, acceptedState);
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
  socket.on("data", (bytes) => {
    connection.receive(bytes);
    setImmediate(() => connection.acknowledge());
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => connection.disconnect());
}
