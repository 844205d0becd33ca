import type { EncodedMessage, Transport } from "@waybill/core";
import type {
  DeliveredMessage,
  TransportReceiveOptions,
  TransportReceiver,
  TransportSender,
} from "@waybill/core/transport";

/** The faults of a transport. */
export interface Fault {
  transport?(transport: Transport): Partial<Transport>;
  sender?(sender: TransportSender): Partial<TransportSender>;
  receiver?(
    receiver: TransportReceiver,
    address: Parameters<Transport["createReceiver"]>[0],
  ): Partial<TransportReceiver>;
  sent?(message: EncodedMessage): EncodedMessage;
  delivered?(message: DeliveredMessage): DeliveredMessage;
}

/** The transport with a fault; everything else works as before. */
export function breakTransport(transport: Transport, fault: Fault): Transport {
  return withMembers(transport, {
    createSender: (entity) => breakSender(transport.createSender(entity), fault),
    createReceiver: (address, mode) => breakReceiver(transport.createReceiver(address, mode), address, fault),
    ...fault.transport?.(transport),
  });
}

function breakSender(sender: TransportSender, fault: Fault): TransportSender {
  const { sent } = fault;
  const changing: Partial<TransportSender> =
    sent === undefined ? {} : { send: (messages, options) => sender.send(messages.map(sent), options) };
  return withMembers(sender, { ...changing, ...fault.sender?.(sender) });
}

function breakReceiver(
  receiver: TransportReceiver,
  address: Parameters<Transport["createReceiver"]>[0],
  fault: Fault,
): TransportReceiver {
  const { delivered } = fault;
  const changing: Partial<TransportReceiver> =
    delivered === undefined
      ? {}
      : {
          receive: async (options: TransportReceiveOptions) =>
            (await receiver.receive(options)).map(delivered),
        };
  return withMembers(receiver, { ...changing, ...fault.receiver?.(receiver, address) });
}

/** The object with some members replaced; the others are bound to the object. */
export function withMembers<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return members[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
