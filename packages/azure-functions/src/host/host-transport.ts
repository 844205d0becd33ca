import { type Transport, WaybillError } from "@waybill/core";
import {
  type EntityAddress,
  entityPathOf,
  type ReceiveMode,
  type TransportCapability,
  type TransportReceiver,
  type TransportReceiverEvents,
  type TransportRuleManager,
  type TransportSender,
  type TransportSessionReceiver,
} from "@waybill/core/transport";
import type { Invocation } from "./invocation.js";
import { InvocationReceiver, InvocationSessionReceiver } from "./invocation-receiver.js";

/** A session whose messages do not tell when its lock expires is renewed as if it had this long left, in milliseconds. */
const assumedLockMs = 15_000;

/**
 * The transport of a function: the host has received its messages, and everything else goes over the connection of the user's own client.
 * It lacks the capability of deferral, because nobody would receive what the client sets aside.
 */
export class HostTransport implements Transport {
  readonly capabilities: ReadonlySet<TransportCapability>;
  readonly #beside: () => Transport | undefined;
  /** The invocation for which a receiver is being created, and those of sessions by the session's id. */
  #next: Invocation | undefined;
  readonly #sessions = new Map<string, Invocation>();
  /** Receivers over the user's own connection, by their entity. */
  readonly #receivers = new Map<string, TransportReceiver>();

  /** `beside` makes the transport of the user's own client when it is first needed; it returns undefined without one. */
  constructor(beside: () => Transport | undefined, capabilities: readonly TransportCapability[]) {
    this.#beside = beside;
    this.capabilities = new Set(capabilities);
  }

  /** Creates a receiver of the messages of an invocation. */
  receiving<Receiver>(invocation: Invocation, create: () => Receiver): Receiver {
    this.#next = invocation;
    try {
      return create();
    } finally {
      this.#next = undefined;
    }
  }

  /** The same for a session. */
  async receivingSession<Receiver>(
    sessionId: string,
    invocation: Invocation,
    accept: () => Promise<Receiver>,
  ): Promise<Receiver> {
    this.#sessions.set(sessionId, invocation);
    try {
      return await accept();
    } finally {
      this.#sessions.delete(sessionId);
    }
  }

  createSender(queueOrTopic: string): TransportSender {
    return this.#required(queueOrTopic).createSender(queueOrTopic);
  }

  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events?: TransportReceiverEvents,
  ): TransportReceiver {
    const path = entityPathOf(address);
    const invocation = this.#next;
    this.#next = undefined;
    return invocation === undefined
      ? this.#required(path).createReceiver(address, receiveMode, events)
      : new InvocationReceiver(path, invocation, () => this.receiverBeside(address));
  }

  async acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
  ): Promise<TransportSessionReceiver> {
    const path = entityPathOf(address);
    const id = sessionId ?? "";
    const invocation = this.#sessions.get(id);
    if (invocation === undefined)
      throw new WaybillError("session-cannot-be-locked", "The host has not delivered this session.", {
        entityPath: path,
      });
    const lockedUntilUtc =
      invocation.messages[0]?.delivered.lockedUntilUtc ?? new Date(Date.now() + assumedLockMs);
    const beside = () => this.receiverBeside(address);
    return new InvocationSessionReceiver(path, invocation, beside, { id, lockedUntilUtc });
  }

  /** A receiver of the entity over the user's own connection, kept for all invocations; it opens no link to receive. */
  receiverBeside(address: EntityAddress): TransportReceiver {
    const path = entityPathOf(address);
    const receiver = this.#receivers.get(path) ?? this.#required(path).createReceiver(address, "peekLock");
    this.#receivers.set(path, receiver);
    return receiver;
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    return this.#required(topic).createRuleManager(topic, subscription);
  }

  async close(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  #required(entityPath: string): Transport {
    const transport = this.#beside();
    if (transport !== undefined) return transport;
    const text = "This needs a connection of its own: give waybillFunctions a serviceBusClient.";
    throw new WaybillError("configuration-invalid", text, { entityPath });
  }
}
