import type { Socket } from "node:net";
import { acceptedState, type Session } from "@waybill/amqp";
import { message, openSession, tag } from "../amqp-client.js";

/** Messages of one client in flight at once. */
const window = 20;
/** One in this many messages is timed. */
const timedShare = 16;

/** Connects `count` clients, fifty at a time, each to send to a queue of its own and to receive from it. */
export async function openCrowd(port: number, count: number) {
  const clients: Client[] = [];
  while (clients.length < count) {
    const opened = Array.from({ length: Math.min(50, count - clients.length) }, () => openSession(port));
    for (const one of await Promise.all(opened)) clients.push({ ...one, queue: `queue-${clients.length}` });
  }
  return {
    /** Every client sends and receives so many messages; resolves with the times of a sample in milliseconds. */
    async exchange(perClient: number): Promise<number[]> {
      const times: number[] = [];
      await Promise.all(clients.map((client) => exchange(client, perClient, times)));
      return times;
    },
    close() {
      for (const { socket } of clients) socket.destroy();
    },
  };
}

interface Client {
  readonly session: Session;
  readonly socket: Socket;
  readonly queue: string;
}

let links = 0;

function exchange({ session, queue }: Client, count: number, times: number[]): Promise<void> {
  const name = `${queue}-${links++}`;
  const sender = session.openSender({ name: `${name}-out`, target: { kind: "target", address: queue } });
  const source = { kind: "source", address: queue } as const;
  const receiver = session.openReceiver({ name: `${name}-in`, source, rcvSettleMode: 0 });
  const sentAt = new Float64Array(count);
  let sent = 0;
  let received = 0;
  return new Promise((resolve) => {
    // A queue keeps the order, so that the n-th received message is the n-th sent one.
    const pump = (): void => {
      while (sender.credit > 0 && sent < count && sent - received < window) {
        sentAt[sent++] = performance.now();
        sender.send(message, { deliveryTag: tag });
      }
    };
    sender.handler = { onCredit: pump, onDisposition: () => {} };
    receiver.addCredit(window);
    receiver.handler = {
      onTransfer: (delivery) => {
        receiver.settle(delivery, acceptedState);
        if (received % timedShare === 0) times.push(performance.now() - (sentAt[received] ?? 0));
        received++;
        if (received < count) receiver.addCredit(1);
        else {
          sender.detach();
          receiver.detach();
          resolve();
        }
        pump();
      },
    };
  });
}
