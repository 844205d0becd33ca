import { connect as connectSocket } from "node:net";
import {
  type AmqpMap,
  type AmqpValue,
  type Connection,
  createConnection,
  type DeliveryState,
  described,
  encodeMessage,
  encodeValue,
  type IncomingDelivery,
  isTyped,
  type ReceiverLink,
  type SaslCredentials,
  type SenderLink,
  type Session,
  scanMessage,
  stringMap,
  uint,
  uuid,
} from "@waybill/amqp";
import type { BrokerServer } from "./index.js";

/** A plain AMQP client, for behaviour that the official client does not have. */
export async function connectRaw(
  server: BrokerServer,
  saslCredentials: SaslCredentials = { mechanism: "ANONYMOUS" },
  hostname?: string,
) {
  const socket = connectSocket(server.port, server.host);
  socket.setNoDelay();
  const opened = deferred<void>();
  const closed = deferred<string | undefined>();
  const connection: Connection = createConnection({
    role: "client",
    containerId: "raw",
    ...(hostname !== undefined && { hostname }),
    incomingWindow: 100_000,
    saslCredentials,
    handler: {
      onOutput: () => queueMicrotask(flush),
      onOpen: () => opened.resolve(),
      onClose(error) {
        closed.resolve(error?.condition);
        opened.reject(new Error(`the connection was closed: ${error?.description}`));
      },
    },
  });
  function flush(): void {
    for (const part of connection.takeOutput()) socket.write(part);
  }
  socket.on("data", (bytes) => connection.receive(bytes));
  socket.on("error", () => socket.destroy());
  socket.on("close", () => connection.disconnect());
  connection.tick(performance.now());
  await opened.promise;
  const session = connection.openSession();
  return {
    socket,
    connection,
    session,
    /** The condition with which the connection was closed. */
    closed: closed.promise,
    send: openSends(session),
    sender: (address: string, properties?: AmqpMap) => openSender(session, address, properties),
    receiver: (address: string, options: ReceiveOptions = {}) => openReceiver(session, address, options),
    management: (path: string) => openManagement(session, path),
    /** Resolves once the server has processed everything sent before: its refusal of a link comes after that. */
    synchronize: () => openSender(session, "").catch(() => {}),
    async [Symbol.asyncDispose](): Promise<void> {
      socket.destroy();
    },
  };
}

export interface ReceiveOptions {
  readonly credit?: number;
  readonly filter?: AmqpMap;
  readonly properties?: AmqpMap;
}

/** A promise with the functions that settle it. */
function deferred<Value>() {
  let resolve!: (value: Value) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<Value>((done, fail) => {
    resolve = done;
    reject = fail;
  });
  return { promise, resolve, reject };
}

let tags = 0;
const nextTag = (): Uint8Array => Buffer.from(String(tags++));

/** Opens a sending link; rejects with the condition of the server's refusal. */
function openSender(session: Session, address: string, properties?: AmqpMap): Promise<SenderLink> {
  const link = session.openSender({
    name: `s${tags++}`,
    target: { kind: "target", address },
    ...(properties && { properties }),
  });
  return new Promise((resolve, reject) => {
    link.handler = {
      onCredit: () => resolve(link),
      onDetach: (error) => reject(new Error(`${error?.condition}: ${error?.description}`)),
    };
  });
}

/** Sends one message and resolves with its outcome. */
export function sendOn(
  link: SenderLink,
  message: Uint8Array,
  options: { state?: DeliveryState; format?: number } = {},
): Promise<DeliveryState | undefined> {
  return new Promise((resolve) => {
    const delivery = link.send(message, { deliveryTag: nextTag(), ...options });
    const before = link.handler.onDisposition;
    link.handler.onDisposition = (settled, state) => {
      if (settled === delivery) resolve(state);
      else before?.(settled, state);
    };
  });
}

export function text(body: string): Uint8Array {
  return encodeMessage({ properties: { messageId: body }, body: { kind: "value", value: body } });
}

/** A transfer frame with an incomplete message, on the link with this handle of the first session. */
export function unfinishedTransfer(handle: number, payload: Uint8Array): Buffer {
  const fields = [uint(handle), uint(1_000_000 + handle), Buffer.from("u"), uint(0), false, true];
  const body = encodeValue(described(0x14n, fields));
  const head = Buffer.from([0, 0, 0, 0, 2, 0, 0, 0]);
  head.writeUInt32BE(head.length + body.length + payload.length);
  return Buffer.concat([head, body, payload]);
}

function openSends(session: Session) {
  return async (address: string, ...bodies: string[]): Promise<void> => {
    const link = await openSender(session, address);
    for (const body of bodies) await sendOn(link, text(body));
    link.detach();
  };
}

/** Opens a receiving link; `take` waits for the next messages. */
async function openReceiver(session: Session, address: string, options: ReceiveOptions) {
  const taken: IncomingDelivery[] = [];
  const settled = new Map<IncomingDelivery, (state: DeliveryState | undefined) => void>();
  let wake = (): void => {};
  const { credit = 0, filter, properties } = options;
  const link: ReceiverLink = session.openReceiver({
    name: `r${tags++}`,
    source: { kind: "source", address, ...(filter && { filter }) },
    rcvSettleMode: 1,
    ...(properties && { properties }),
  });
  const detached = deferred<string | undefined>();
  link.handler = {
    onTransfer(delivery) {
      taken.push(delivery);
      wake();
    },
    onSettled: (delivery, state) => settled.get(delivery)?.(state),
    onDetach: (error) => detached.resolve(error?.condition),
  };
  if (credit > 0) link.addCredit(credit);
  return {
    link,
    /** The condition with which the link was detached. */
    detached: detached.promise,
    async take(count: number): Promise<IncomingDelivery[]> {
      while (taken.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return taken.splice(0, count);
    },
    settle(delivery: IncomingDelivery, state: DeliveryState): Promise<DeliveryState | undefined> {
      return new Promise((resolve) => {
        settled.set(delivery, resolve);
        link.propose(delivery, state);
      });
    },
  };
}

/** Opens the links to a management node; `call` sends a request and resolves with its response. */
async function openManagement(session: Session, path: string) {
  const address = path === "$cbs" ? path : `${path}/$management`;
  const replyTo = `replies-${tags++}`;
  const waiting = new Map<string, (answer: Answer) => void>();
  const link = session.openReceiver({
    name: replyTo,
    source: { kind: "source", address },
    target: { kind: "target", address: replyTo },
    creditWindow: 10,
  });
  link.handler.onTransfer = ({ message }) => {
    const answer = scanMessage(message);
    const id = answer.decodeProperties()?.correlationId as string;
    const properties = answer.decodeApplicationProperties()!;
    waiting.get(id)?.({ properties, body: answer.decodeBody()[0]! });
  };
  const sender = await openSender(session, address);
  return {
    call(
      operation: string,
      body: AmqpValue,
      properties: Record<string, AmqpValue> = {},
      state?: DeliveryState,
    ): Promise<Answer> {
      const messageId = `request-${tags++}`;
      const request = encodeMessage({
        properties: { messageId, replyTo },
        applicationProperties: stringMap({ operation, ...properties }),
        body: { kind: "value", value: body },
      });
      return new Promise((resolve) => {
        waiting.set(messageId, resolve);
        sender.send(request, { deliveryTag: nextTag(), settled: true, ...(state && { state }) });
      });
    },
  };
}

export interface Answer {
  readonly properties: AmqpMap;
  readonly body: AmqpValue;
}

/** A number in a response, whatever its AMQP type. */
export function numberIn(answer: Answer, name: string): number {
  const value = answer.properties.get(name);
  return isTyped(value) && "value" in value ? Number(value.value) : Number.NaN;
}

/** The lock token of a delivery tag. */
export function lockTokenOf(tag: Uint8Array): AmqpValue {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, ...rest] = tag;
  return uuid(Uint8Array.of(d, c, b, a, f, e, h, g, ...rest));
}
