import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { batchMessageFormat, splitBatch } from "@waybill/amqp/batches";
import { required } from "@waybill/foundation";
import rhea, { type Delivery, type EventContext, type Message, type Sender } from "rhea";
import { openStore } from "./lmdb-store.js";

/**
 * The least that stores and forwards and that the official client takes for its service: one list of messages, given to whoever has
 * credit and forgotten when delivered. With a directory, a message is accepted once it is synced to an LMDB store there, and completed once its removal is.
 * Resolves with its port.
 */
export async function serveWithRhea(directory?: string): Promise<number> {
  const store = directory === undefined ? undefined : openStore(directory);
  const container = rhea.create_container();
  container.sasl_server_mechanisms.enable_anonymous();
  const tokenLinks = new WeakSet<object>();
  const list = new MessageList((message) => void store?.remove(message));

  container.on("receiver_open", ({ receiver }: EventContext) => {
    if (receiver?.target.address === "$cbs") tokenLinks.add(receiver);
    receiver?.set_target(receiver.target as never);
  });
  container.on("message", (context: EventContext) => {
    const { message, receiver } = context;
    const { delivery } = context;
    if (receiver !== undefined && tokenLinks.has(receiver)) {
      answerToken(context);
      delivery?.accept();
      return;
    }
    const isBatch = (context as { format?: number }).format === batchMessageFormat;
    const messages = isBatch
      ? splitBatch(message as unknown as Buffer).map(
          (one) => rhea.message.decode(one as Buffer) as unknown as Message,
        )
      : [required(message)];
    const keep = () => {
      for (const one of messages) list.add(one);
      delivery?.accept();
    };
    if (store === undefined) keep();
    else void store.put(messages).then(keep);
  });

  container.on("sender_open", ({ sender }: EventContext) => {
    sender?.set_source((sender as Sender & { source: object }).source as never);
    const address = sender?.source.address;
    // A reply link of the management address would be given the messages of the queue.
    if (address?.endsWith("/$management")) sender?.close({ condition: "amqp:not-implemented" });
    else if (address !== "$cbs") list.join(sender as SenderWithCredit);
  });
  container.on("sendable", ({ sender }: EventContext) => list.give(sender as SenderWithCredit));
  container.on("settled", ({ sender }: EventContext) => {
    if (sender !== undefined) list.give(sender as SenderWithCredit);
  });
  container.on("sender_draining", ({ sender }: EventContext) => {
    sender?.set_drained(true);
  });
  // A client that leaves the settling to the server is never done with a delivery by itself, and rhea keeps 2,048 at most.
  container.on("accepted", ({ delivery }: EventContext) => {
    if (delivery === undefined || delivery.remote_settled) return;
    const settle = () => {
      delivery.update(true, rhea.types.wrap_described([], 0x24));
      (delivery as { remote_settled: boolean }).remote_settled = true;
    };
    const message = list.locked.get(delivery);
    if (store === undefined || message === undefined) settle();
    else void store.remove(message).then(settle);
  });
  for (const event of ["sender_close", "disconnected"] as const) {
    container.on(event, ({ sender }: EventContext) => list.leave(sender));
  }

  const server = container.listen({
    port: 0,
    host: "127.0.0.1",
    receiver_options: { credit_window: 5000, max_message_size: 1024 * 1024, autoaccept: false },
    sender_options: { autosettle: true },
  });
  server.on("connection", (socket) => socket.setNoDelay());
  return new Promise((resolve) => {
    server.on("listening", () => resolve((server.address() as AddressInfo).port));
  });
}

/** What rhea's types leave out. */
interface SenderWithCredit extends Sender {
  readonly credit: number;
  readonly delivery_count: number;
  readonly remote: { readonly attach: { readonly rcv_settle_mode?: number } };
}

/** Messages in the order of their arrival, and the links on which they go out. */
class MessageList {
  #messages: Message[] = [];
  #next = 0;
  #madeIds = 0;
  /** How many messages each link was given. */
  readonly #given = new Map<SenderWithCredit, number>();
  readonly #forget: (message: Message) => void;
  /** The messages of deliveries that the client has yet to complete. */
  readonly locked = new WeakMap<Delivery, Message>();

  constructor(forget: (message: Message) => void) {
    this.#forget = forget;
  }

  add(message: Message): void {
    // The official client fails at a message without an id.
    message.message_id ??= `m${this.#madeIds++}`;
    this.#messages.push(message);
    for (const sender of this.#given.keys()) if (sender.credit > 0) this.give(sender);
  }

  join(sender: SenderWithCredit): void {
    this.#given.set(sender, 0);
  }

  /** Forgets a link, or those that are over. */
  leave(sender: Sender | undefined): void {
    for (const one of this.#given.keys()) if (one === sender || !one.is_open()) this.#given.delete(one);
  }

  /** Gives a link what its credit allows. rhea lowers the credit when it writes, so it is counted here. */
  give(sender: SenderWithCredit): void {
    let given = this.#given.get(sender);
    if (given === undefined) return;
    // Only the official client leaves the settling to the server, and asks how long its lock lasts.
    const isPeekLock = sender.remote.attach.rcv_settle_mode === 1;
    const lockedUntil = isPeekLock && rhea.types.wrap_timestamp(Date.now() + 60_000);
    const allowed = sender.delivery_count + sender.credit;
    while (given < allowed && this.#next < this.#messages.length && sender.sendable()) {
      const message = required(this.#messages[this.#next++]);
      if (isPeekLock) message.message_annotations = { "x-opt-locked-until": lockedUntil };
      const delivery = sender.send(message, randomBytes(16));
      if (isPeekLock) this.locked.set(delivery, message);
      else this.#forget(message);
      given++;
    }
    this.#given.set(sender, given);
    if (this.#next < this.#messages.length) return;
    this.#messages = [];
    this.#next = 0;
  }
}

/** Takes any token, as `$cbs` does. */
function answerToken({ message, connection }: EventContext): void {
  const { reply_to, message_id } = required(message);
  connection
    .find_sender(({ source }: Sender) => source.address === "$cbs")
    ?.send({
      to: required(reply_to),
      correlation_id: required(message_id),
      application_properties: { "status-code": 202, "status-description": "Accepted" },
      body: null,
    });
}
