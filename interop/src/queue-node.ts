import { randomUUID } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import {
  type AmqpError,
  acceptedState,
  addressOf,
  type Connection,
  createConnection,
  type DeliveryState,
  type IncomingDelivery,
  type ReceiverLink,
  type SenderLink,
  saslAnonymous,
} from "@waybill/amqp";
import { listen } from "waybill-harness/ports.js";

/** How a queue node listens and behaves. */
export interface QueueNodeOptions {
  /** Largest frame the node accepts, in bytes. Default that of the AMQP package. */
  readonly maxFrameSize?: number;
  /** What to say to each message a client sends. Default accepted. */
  readonly policy?: (delivery: IncomingDelivery) => DeliveryState;
}

/**
 * A node of in-memory queues on loopback, one for each address a link names: just enough of a server for
 * foreign AMQP clients to show what `@waybill/amqp` makes of them. Settlements are recorded, not acted on.
 */
export class QueueNode {
  /** Every settlement clients sent: message text (its last 16 characters) and outcome. */
  readonly settlements: { readonly message: string; readonly state: DeliveryState | undefined }[] = [];
  /** Errors that ended a connection. */
  readonly errors: AmqpError[] = [];
  readonly #queues = new Map<string, Queue>();
  readonly #options: QueueNodeOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  constructor(options: QueueNodeOptions = {}) {
    this.#options = options;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Its port, once it listens. */
  get port(): number {
    return this.#port;
  }

  async listen(): Promise<this> {
    this.#port = await listen(this.#server);
    return this;
  }

  /** Messages now in a queue. */
  depth(address: string): number {
    return this.#queues.get(address)?.messages.length ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    socket.setNoDelay();
    this.#sockets.add(socket);
    const connection: Connection = createConnection({
      containerId: "queue-node",
      ...(this.#options.maxFrameSize && { maxFrameSize: this.#options.maxFrameSize }),
      maxMessageSize: 8_388_608,
      saslMechanisms: [saslAnonymous()],
      handler: {
        onOutput: () => queueMicrotask(() => flush(connection, socket)),
        onLink: (link) => {
          const queue = this.#queueAt(
            addressOf(link.role === "receiver" ? link.remoteTarget : link.remoteSource),
          );
          if (!queue) link.refuse({ condition: "amqp:not-found", description: "a link needs an address" });
          else if (link.role === "receiver") this.#take(link, queue);
          else this.#give(link, queue);
        },
        onClose: (error) => {
          if (error) this.errors.push(error);
        },
      },
    });
    socket.on("data", (bytes) => connection.receive(bytes));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      connection.disconnect();
    });
  }

  #take(link: ReceiverLink, queue: Queue): void {
    link.handler.onTransfer = (delivery) => {
      const state = this.#options.policy?.(delivery) ?? acceptedState;
      if (state === acceptedState) queue.messages.push({ bytes: delivery.message, format: delivery.format });
      link.settle(delivery, state);
      queue.pump();
    };
    link.accept({ creditWindow: 1000 });
  }

  #give(link: SenderLink, queue: Queue): void {
    queue.receivers.add(link);
    link.handler = {
      onCredit: () => queue.pump(),
      onDetach: () => queue.receivers.delete(link),
      onDisposition: (delivery, state) => {
        this.settlements.push({ message: String(delivery.context), state });
        link.settle(delivery, state);
      },
    };
    link.accept();
  }

  #queueAt(address: string | undefined): Queue | undefined {
    if (address === undefined) return undefined;
    const queue = this.#queues.get(address) ?? new Queue();
    this.#queues.set(address, queue);
    return queue;
  }
}

/** Messages in order, and the links that ask for them in turn. */
class Queue {
  readonly messages: { readonly bytes: Uint8Array; readonly format: number }[] = [];
  readonly receivers = new Set<SenderLink>();

  pump(): void {
    for (const link of this.receivers) {
      while (link.credit > 0) {
        const message = this.messages.shift();
        if (!message) return;
        const context = Buffer.from(message.bytes.subarray(-16)).toString();
        const deliveryTag = Buffer.from(randomUUID().replaceAll("-", ""), "hex");
        link.send(message.bytes, { deliveryTag, format: message.format, context });
      }
    }
  }
}

/** Writes a turn's output with one system call, and ends the socket of a connection that is over. */
function flush(connection: Connection, socket: Socket): void {
  socket.cork();
  for (const part of connection.takeOutput()) socket.write(part);
  socket.uncork();
  if (connection.isEnded) socket.end();
}
