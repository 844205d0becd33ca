import type { Socket } from "node:net";
import { ACCEPTED, type Session } from "@waybill/amqp";
import { message, openSession } from "../amqp-client.js";

/** Messages of one client in flight at once. */
const window = 20;
/** One in this many messages is timed. */
const timedShare = 16;
const tag = Buffer.alloc(16, 7);

/** Clients that are connected, each to send to a queue of its own and to receive from it. */
export class Crowd {
  readonly #clients: Client[];

  private constructor(clients: Client[]) {
    this.#clients = clients;
  }

  /** Connects `count` clients, fifty at a time. */
  static async open(port: number, count: number): Promise<Crowd> {
    const clients: Client[] = [];
    while (clients.length < count) {
      const opened = Array.from({ length: Math.min(50, count - clients.length) }, () => openSession(port));
      for (const { session, socket } of await Promise.all(opened))
        clients.push(new Client(session, socket, `queue-${clients.length}`));
    }
    return new Crowd(clients);
  }

  /** Every client sends and receives `count` messages; resolves with the times of a sample in milliseconds. */
  async exchange(perClient: number): Promise<number[]> {
    const times: number[] = [];
    await Promise.all(this.#clients.map((client) => client.exchange(perClient, times)));
    return times.sort((a, b) => a - b);
  }

  close(): void {
    for (const client of this.#clients) client.close();
  }
}

class Client {
  readonly #session: Session;
  readonly #socket: Socket;
  readonly #queue: string;
  #links = 0;

  constructor(session: Session, socket: Socket, queue: string) {
    this.#session = session;
    this.#socket = socket;
    this.#queue = queue;
  }

  exchange(count: number, times: number[]): Promise<void> {
    const name = `${this.#queue}-${this.#links++}`;
    const address = this.#queue;
    const sender = this.#session.openSender({ name: `${name}-out`, target: { kind: "target", address } });
    const source = { kind: "source", address } as const;
    const receiver = this.#session.openReceiver({ name: `${name}-in`, source, rcvSettleMode: 0 });
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
          receiver.settle(delivery, ACCEPTED);
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

  close(): void {
    this.#socket.destroy();
  }
}
