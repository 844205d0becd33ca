import { type BrokerReceivedMessage, createBroker, createManualClock } from "@waybill/broker";
import type { EncodedMessage, Transport } from "@waybill/core";
import { type EntityAddress, entityPathOf, type TransportReceiver } from "@waybill/core/transport";
import { localCatalog, localTransport } from "@waybill/transport-local";

/** A broker per test, whose clock advances only when the test advances it. */
export function openFixture() {
  const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
  const broker = createBroker({ clock });
  const { transport, leftOpen } = watched(localTransport(broker));
  const catalog = localCatalog(broker);

  /** Receives the available messages and settles them. */
  async function settle(
    address: EntityAddress,
    how: (receiver: TransportReceiver, delivery: object) => Promise<void>,
  ): Promise<void> {
    const receiver = transport.createReceiver(address, "peekLock");
    const [message] = await receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });
    if (message?.settlement !== undefined) await how(receiver, message.settlement);
    await receiver.close();
  }

  return {
    broker,
    clock,
    transport,
    catalog,
    /** The senders and receivers that nobody has closed. */
    leftOpen,
    /** The entities of a census. */
    source: { transport, catalog },
    now: () => new Date(clock.now()),
    send: (entity: string, message: EncodedMessage) => transport.createSender(entity).send([message]),
    schedule: (entity: string, message: EncodedMessage, inMs: number) =>
      transport.createSender(entity).schedule([message], new Date(clock.now() + inMs)),
    defer: (address: EntityAddress) => settle(address, (receiver, delivery) => receiver.defer(delivery)),
    deadLetter: (address: EntityAddress) =>
      settle(address, (receiver, delivery) => receiver.deadLetter(delivery, { deadLetterReason: "Test" })),
    complete: (address: EntityAddress) =>
      settle(address, (receiver, delivery) => receiver.complete(delivery)),
    /** All messages, whether they can be peeked or not. */
    everything: (): EncodedMessage[] =>
      broker.snapshot().stores.flatMap(({ messages }) => messages.map(({ message }) => toEncoded(message))),
    async [Symbol.asyncDispose](): Promise<void> {
      await transport.close();
      await broker.close();
    },
  };
}

function toEncoded({
  body,
  contentType,
  subject,
  applicationProperties,
}: BrokerReceivedMessage): EncodedMessage {
  return {
    body: body.section === "data" ? Uint8Array.from(body.bytes) : (body as EncodedMessage["body"]),
    contentType,
    subject,
    applicationProperties: applicationProperties as EncodedMessage["applicationProperties"],
  };
}

/** A transport that remembers which of its senders and receivers are open. */
function watched(transport: Transport) {
  const open = new Map<object, string>();
  const watch = <T extends { close(): Promise<void> }>(link: T, name: string): T => {
    open.set(link, name);
    const close = () => {
      open.delete(link);
      return link.close();
    };
    return replaced(link, { close } as Partial<T>);
  };
  return {
    leftOpen: () => [...open.values()],
    transport: replaced(transport, {
      createSender: (entity) => watch(transport.createSender(entity), `sender of ${entity}`),
      createReceiver: (address, ...how) =>
        watch(transport.createReceiver(address, ...how), `receiver of ${entityPathOf(address)}`),
    }),
  };
}

/** An object with some of its methods replaced. */
export function replaced<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(name in methods ? methods : target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
