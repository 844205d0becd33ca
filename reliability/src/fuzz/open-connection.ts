import { connect, type Socket } from "node:net";
import { type Connection, createConnection, type Session } from "@waybill/amqp";

/** A client's connection over a socket; `onSaid` gets all that it says. */
export function openConnection(
  port: number,
  onSaid: (part: Buffer) => void = () => {},
): { connection: Connection; socket: Socket } {
  const socket = connect(port, "127.0.0.1");
  const connection = createConnection({
    role: "client",
    containerId: "fuzz",
    handler: {
      onOutput: () =>
        queueMicrotask(() => {
          for (const part of connection.takeOutput()) {
            onSaid(Buffer.from(part));
            socket.write(part);
          }
        }),
    },
  });
  socket.on("data", (bytes) => connection.receive(bytes));
  connection.tick(performance.now());
  return { connection, socket };
}

/** Begins a session once the server has opened. */
export async function openSession(connection: Connection): Promise<Session> {
  while (!connection.isOpen) await new Promise((resolve) => setImmediate(resolve));
  return connection.openSession();
}
