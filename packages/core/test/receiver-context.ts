import type { WaybillClientOptions } from "@waybill/core";
import { systemScheduler } from "@waybill/foundation";
import { resolveClientOptions } from "../src/client/client-options.js";
import { ReceiverContextFactory } from "../src/client/receiver-context-factory.js";
import type { EntityAddress, ReceiveMode, TransportSessionReceiver } from "../src/contracts/transport.js";
import { HealthMonitor } from "../src/diagnostics/health-monitor.js";
import { type Delivery, openDelivery } from "../src/receive/delivery/delivery.js";
import type { ReceiverContext } from "../src/receive/delivery/receiver-context.js";
import type { Fixture } from "./fixture.js";

export interface ContextOptions {
  readonly client: WaybillClientOptions;
  readonly address?: EntityAddress;
  readonly receiveMode?: ReceiveMode;
  readonly renewForMs?: number;
  /** The session that it receives from. */
  readonly session?: TransportSessionReceiver;
  readonly isBlocking?: boolean;
}

/** The context of a receiver, as a client makes it. */
export function contextOf({ transport }: Fixture, options: ContextOptions): ReceiverContext {
  const { client, address = { queue: "orders" }, receiveMode = "peekLock", renewForMs = 300_000 } = options;
  const resolved = resolveClientOptions(client);
  const contexts = new ReceiverContextFactory({
    transport,
    options: resolved,
    health: new HealthMonitor(transport.scheduler ?? systemScheduler),
    senderTo: (name) => transport.createSender(name),
    onCircuitBreaker: () => {},
  });
  const kind = { address, pipeline: resolved.pipeline, renewForMs };
  const { session, isBlocking = false } = options;
  if (session === undefined) {
    const receiver = transport.createReceiver(address, receiveMode);
    return contexts.create(receiver, { ...kind, retrySender: undefined });
  }
  return contexts.createForSession(session, { ...kind, isBlocking, sessionRenewal: undefined });
}

/** Receives so many messages, with their deliveries. */
export async function receiveOpen(context: ReceiverContext, maxMessages: number) {
  const messages = await context.receiver.receive({ maxMessages, maxWaitTimeInMs: 0 });
  return messages.map((delivered) => {
    const delivery = openDelivery(context, delivered, context.renewForMs, () => {}) as Delivery;
    return { delivered, delivery, event: undefined, isDeferred: false };
  });
}
