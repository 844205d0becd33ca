import { connect, type Socket } from "node:net";
import {
  acceptedState,
  type Connection,
  type ConnectionHandler,
  createConnection,
  encodeMessage,
  type Session,
} from "@waybill/amqp";

/** Deliveries in progress at once. */
export const window = 20_000;
/** A message of 1 KB with an id, as all clients of the bench send it, and the tag of its deliveries. */
export const message = encodeMessage({
  properties: { messageId: "0123456789abcdef" },
  body: { kind: "data", sections: [Buffer.alloc(1024, "x")] },
});
export const tag = Buffer.alloc(16, 7);

let names = 0;
const nextName = (): string => `link-${names++}`;

/** Connects a connection to a socket, with one write per turn of the event loop. */
export function join(socket: Socket, open: (handler: ConnectionHandler) => Connection): Connection {
  const connection = open({
    onOutput: () =>
      queueMicrotask(() => {
        socket.cork();
        for (const part of connection.takeOutput()) socket.write(part);
        socket.uncork();
      }),
  });
  socket.setNoDelay();
  socket.on("data", (bytes) => connection.receive(bytes));
  return connection;
}

/** Connects to a server as a cheap client. */
export async function openSession(port: number): Promise<{ session: Session; socket: Socket }> {
  const socket = connect(port, "127.0.0.1");
  const session = await new Promise<Session>((resolve) => {
    join(socket, (output) =>
      createConnection({
        role: "client",
        containerId: "client",
        incomingWindow: window * 2,
        handler: { ...output, onOpen: (connection) => resolve(connection.openSession()) },
      }),
    );
  });
  return { session, socket };
}

/** Sends `count` messages, as fast as credit allows, until the last is accepted. */
export function sendAll(session: Session, count: number, address: string): Promise<void> {
  const link = session.openSender({ name: nextName(), target: { kind: "target", address } });
  return new Promise((resolve) => {
    let sent = 0;
    let accepted = 0;
    link.handler = {
      onCredit: () => {
        while (link.credit > 0 && sent < count) {
          link.send(message, { deliveryTag: tag });
          sent++;
        }
      },
      onDisposition: () => {
        if (++accepted < count) return;
        link.detach();
        resolve();
      },
    };
  });
}

/** Receives and settles `count` messages through a credit window. */
export function receiveAll(session: Session, count: number, address: string): Promise<void> {
  const source = { kind: "source", address } as const;
  const link = session.openReceiver({ name: nextName(), source, rcvSettleMode: 1 });
  return new Promise((resolve) => {
    let granted = Math.min(count, window);
    let settled = 0;
    link.addCredit(granted);
    link.handler = {
      onTransfer: (delivery) => link.propose(delivery, acceptedState),
      onSettled: () => {
        settled++;
        if (settled === count) {
          link.detach();
          resolve();
        } else if (granted < count && granted - settled <= window / 2) {
          const more = Math.min(count - granted, window / 2);
          granted += more;
          link.addCredit(more);
        }
      },
    };
  });
}
