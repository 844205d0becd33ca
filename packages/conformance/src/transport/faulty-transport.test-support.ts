import { createBroker, createManualClock, type SubscriptionOptions } from "@waybill/broker";
import type { EncodedMessage, Transport } from "@waybill/core";
import type {
  DeliveredMessage,
  EntityAddress,
  TransportCapability,
  TransportReceiver,
  TransportRuleManager,
  TransportSender,
  TransportSessionReceiver,
} from "@waybill/core/transport";
import { localTransport } from "@waybill/transport-local";
import { expect, it } from "vitest";
import type { Case } from "../case.js";
import type { TransportSubject } from "./harness/transport-subject.js";
import { transportCases } from "./transport-cases.js";

/** The fault of a broken transport. */
export interface Fault {
  transport?(transport: Transport): Partial<Transport>;
  sender?(sender: TransportSender): Partial<TransportSender>;
  receiver?(receiver: TransportReceiver, address: EntityAddress): Partial<TransportReceiver>;
  acceptSession?(accept: Transport["acceptSession"]): Transport["acceptSession"];
  session?(session: TransportSessionReceiver): Partial<TransportSessionReceiver>;
  rules?(rules: TransportRuleManager): Partial<TransportRuleManager>;
  sent?(message: EncodedMessage): EncodedMessage;
  delivered?(message: DeliveredMessage): DeliveredMessage;
}

/** All capabilities of the contract. */
export const everyCapability: readonly TransportCapability[] = [
  "scheduling",
  "deferral",
  "sessions",
  "sessionEnumeration",
  "rules",
  "transferDeadLetter",
];

/**
 * Registers a test that a case which the local transport passes fails for a broken copy of it: by an assertion, or by a call that should not
 * reject.
 */
export function catches(
  name: string,
  clause: string,
  fault: Fault,
  errorName: "AssertionError" | "WaybillError" = "AssertionError",
): void {
  it(`${name}: "${clause}"`, async () => {
    await findCase(transportCases(localSubject()), clause).run();
    const checked = findCase(transportCases(localSubject(fault)), clause).run();
    await expect(checked).rejects.toThrow(expect.objectContaining({ name: errorName }));
  });
}

export function findCase(cases: readonly Case[], beginning: string): Case {
  const found = cases.find(({ name }) => name.startsWith(beginning));
  if (found === undefined) throw new TypeError(`No case begins with "${beginning}".`);
  return found;
}

/**
 * The local transport, on a new broker whose clock advances only when a case moves it; or a copy of it with a fault, for which cases do not wait
 * long.
 */
export function localSubject(fault?: Fault): TransportSubject {
  return {
    capabilities: everyCapability,
    maxMessageBytes: 1024 * 1024,
    ...(fault !== undefined && { patienceMs: 100 }),
    async create() {
      const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
      const broker = createBroker({ clock });
      const transport = localTransport(broker);
      let created = 0;
      return {
        transport: breakTransport(transport, fault ?? {}),
        async createQueue(setting: SubscriptionOptions) {
          const queue = `queue-${++created}`;
          await broker.createQueue(queue, setting);
          return queue;
        },
        async createTopic(subscriptions: readonly string[], setting: SubscriptionOptions) {
          const topic = `topic-${++created}`;
          await broker.createTopic(topic);
          for (const name of subscriptions) await broker.createSubscription(topic, name, setting);
          return topic;
        },
        async advance(durationMs) {
          clock.advance(durationMs);
          await new Promise((resolve) => setImmediate(resolve));
        },
        now: () => new Date(clock.now()),
        async [Symbol.asyncDispose]() {
          await transport.close();
          await broker.close();
        },
      };
    },
  };
}

/** The transport with a fault; everything else works as before. */
function breakTransport(transport: Transport, fault: Fault): Transport {
  const accept = transport.acceptSession.bind(transport);
  const acceptBroken = fault.acceptSession?.(accept) ?? accept;
  return withMembers(transport, {
    createSender: (entity) => breakSender(transport.createSender(entity), fault),
    createReceiver: (address, mode) => breakReceiver(transport.createReceiver(address, mode), address, fault),
    async acceptSession(address, id, options) {
      const session = await acceptBroken(address, id, options);
      return withMembers(session, fault.session?.(session) ?? {});
    },
    createRuleManager(topic, subscription) {
      const rules = transport.createRuleManager(topic, subscription);
      return withMembers(rules, fault.rules?.(rules) ?? {});
    },
    ...fault.transport?.(transport),
  });
}

function breakSender(sender: TransportSender, fault: Fault): TransportSender {
  const { sent } = fault;
  const changing: Partial<TransportSender> =
    sent === undefined ? {} : { send: (messages, options) => sender.send(messages.map(sent), options) };
  return withMembers(sender, { ...changing, ...fault.sender?.(sender) });
}

function breakReceiver(receiver: TransportReceiver, address: EntityAddress, fault: Fault): TransportReceiver {
  const { delivered } = fault;
  const changing: Partial<TransportReceiver> =
    delivered === undefined
      ? {}
      : { receive: async (options) => (await receiver.receive(options)).map(delivered) };
  return withMembers(receiver, { ...changing, ...fault.receiver?.(receiver, address) });
}

/** The object with some members replaced; the others are bound to the object. */
function withMembers<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, key) {
      if (Object.hasOwn(members, key)) return members[key as keyof T];
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
