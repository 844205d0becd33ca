import { type Transport, WaybillError } from "@waybill/core";
import {
  type EntityAddress,
  entityPathOf,
  type ReceiveMode,
  type TransportAcceptSessionOptions,
  type TransportCapability,
  type TransportListSessionsOptions,
  type TransportReceiver,
  type TransportReceiverEvents,
  type TransportRuleManager,
  type TransportSender,
  type TransportSessionReceiver,
} from "@waybill/core/transport";
import { underEither, untilAborted } from "@waybill/foundation";
import {
  type AzureTransportOptions,
  type ResolvedAzureTransportOptions,
  resolveAzureTransportOptions,
} from "./azure-transport-options.js";
import { AzureRuleManager } from "./management/azure-rule-manager.js";
import { AzureReceiver } from "./receiving/azure-receiver.js";
import { AzureSessionReceiver } from "./receiving/azure-session-receiver.js";
import { type SessionLister, sessionLister } from "./receiving/list-sessions.js";
import { NextSessionWaits } from "./receiving/next-session-waits.js";
import { ReceiverPool } from "./receiving/receiving-links.js";
import { abortedError, closedError, toAzureError } from "./sdk/azure-error.js";
import { explainRefusedSession } from "./sdk/explain-refused-session.js";
import type {
  ServiceBusClientLike,
  ServiceBusReceiverLike,
  ServiceBusReceiverSettings,
  ServiceBusSessionReceiverLike,
} from "./sdk/service-bus-client.js";
import { applySdkPatches, withoutSdkPatches } from "./sdk-patches/apply-sdk-patches.js";
import type { SdkPatchReport } from "./sdk-patches/report.js";
import { AzureSender } from "./sending/azure-sender.js";
import { LockedDeliveries } from "./settlement/locked-deliveries.js";
import { clientConnection } from "./watchdog/client-connection.js";
import { LinkWatchdog } from "./watchdog/link-watchdog.js";
import { ReceiverWatch } from "./watchdog/receiver-watch.js";

/** A transport over a `ServiceBusClient`. */
export interface AzureTransport extends Transport {
  /** Which patches were applied to the client, which were skipped, and why. */
  readonly sdkPatches: SdkPatchReport;
}

/**
 * A transport over your own `ServiceBusClient` of `@azure/service-bus`: its credentials, proxy, WebSockets and retries apply. Create the
 * client with {@link azureRetryOptions}. Closing the transport closes all senders and receivers it created and leaves the client open.
 * Throws `TypeError` for anything other than a client, such as a connection string, and for unknown options.
 */
export function azureTransport(
  serviceBusClient: ServiceBusClientLike,
  options: AzureTransportOptions = {},
): AzureTransport {
  if (typeof serviceBusClient?.createReceiver !== "function") {
    throw new TypeError("azureTransport needs a ServiceBusClient of @azure/service-bus.");
  }
  return new ServiceBusTransport(serviceBusClient, resolveAzureTransportOptions(options));
}

/** Those of every client. */
const capabilities = ["scheduling", "deferral", "sessions", "rules", "transferDeadLetter"] as const;

/**
 * The SDK must not convert bodies and dates, nor renew locks: it identifies messages by message id, which may be missing or not unique.
 * Core renews the locks.
 */
const asReceived = {
  maxAutoLockRenewalDurationInMs: 0,
  skipParsingBodyAsJson: true,
  skipConvertingDate: true,
};

/** How long a session that the SDK accepted too late may take to be released, and how often to check, in milliseconds. */
const freeingTimeoutMs = 2_000;
const freeingPauseMs = 50;

type Part = AzureSender | AzureReceiver | AzureRuleManager;

class ServiceBusTransport implements AzureTransport {
  readonly capabilities: ReadonlySet<TransportCapability>;
  readonly sdkPatches: SdkPatchReport;
  /** Present with the capability `sessionEnumeration`. */
  readonly listSessions?: SessionLister;
  readonly #client: ServiceBusClientLike;
  readonly #completesOnLink: boolean;
  readonly #watchdog: LinkWatchdog | undefined;
  readonly #parts = new Set<Part>();
  readonly #waits = new NextSessionWaits();
  readonly #closing = new AbortController();

  constructor(client: ServiceBusClientLike, { sdkPatches, watchdog }: ResolvedAzureTransportOptions) {
    this.#client = client;
    this.#watchdog = watchdog && new LinkWatchdog(watchdog, clientConnection(client));
    this.#completesOnLink = sdkPatches;
    this.sdkPatches = sdkPatches ? applySdkPatches(client) : withoutSdkPatches(client);
    const list = sessionLister(client);
    this.capabilities = new Set(list === undefined ? capabilities : [...capabilities, "sessionEnumeration"]);
    if (list !== undefined) this.listSessions = (...call) => this.#listSessions(list, ...call);
  }

  get fullyQualifiedNamespace(): string | undefined {
    return this.#client.fullyQualifiedNamespace;
  }

  get identifier(): string | undefined {
    return this.#client.identifier;
  }

  createSender(queueOrTopic: string): TransportSender {
    const create = () => this.#client.createSender(queueOrTopic);
    return this.#add(new AzureSender(queueOrTopic, create, this.#forget));
  }

  createReceiver(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    events?: TransportReceiverEvents,
  ): TransportReceiver {
    const open = () => this.#openReceiver(address, receiveMode);
    const settings = this.#settings(address, receiveMode);
    const locked = new LockedDeliveries(false);
    const watch: ReceiverWatch = this.#watch(settings.entityPath, undefined, events, () => links.shared);
    const links = new ReceiverPool(open, locked, watch);
    return this.#add(new AzureReceiver({ ...settings, locked, watch, links, open }));
  }

  async acceptSession(
    address: EntityAddress,
    sessionId: string | undefined,
    { receiveMode, maxWaitTimeInMs, abortSignal, ...events }: TransportAcceptSessionOptions,
  ): Promise<TransportSessionReceiver> {
    const settings = this.#settings(address, receiveMode);
    const session = await this.#call(settings.entityPath, abortSignal, (signal) =>
      sessionId === undefined
        ? this.#acceptNext(address, receiveMode, maxWaitTimeInMs, signal)
        : this.#acceptNamed(address, sessionId, receiveMode, signal),
    );
    const locked = new LockedDeliveries(true);
    const watch = this.#watch(settings.entityPath, session.sessionId, events, () => session);
    return this.#add(new AzureSessionReceiver({ ...settings, locked, watch, session }));
  }

  createRuleManager(topic: string, subscription: string): TransportRuleManager {
    const create = () => this.#client.createRuleManager(topic, subscription);
    const path = entityPathOf({ topic, subscription });
    return this.#add(new AzureRuleManager(path, create, this.#forget));
  }

  #listSessions(
    list: SessionLister,
    address: EntityAddress,
    options: TransportListSessionsOptions,
  ): Promise<string[]> {
    const path = entityPathOf(address);
    return this.#call(path, options.abortSignal, (signal) =>
      untilAborted(list(address, { ...options, abortSignal: signal }), signal, () => abortedError(path)),
    );
  }

  /** Makes a call that ends when the signal aborts or the transport is closed; maps errors. */
  async #call<Answer>(
    path: string,
    abortSignal: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    if (this.#isClosed) throw closedError(path);
    if (abortSignal?.aborted) throw abortedError(path);
    try {
      return await underEither(this.#closing.signal, abortSignal, call);
    } catch (error) {
      throw this.#isClosed ? closedError(path) : toAzureError(error, path);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#closing.abort();
    await Promise.all(Array.from(this.#parts, (part) => part.close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #openReceiver(address: EntityAddress, receiveMode: ReceiveMode): ServiceBusReceiverLike {
    const options: ServiceBusReceiverSettings = { ...asReceived, receiveMode };
    if (address.subQueue !== undefined) options.subQueueType = address.subQueue;
    return "queue" in address
      ? this.#client.createReceiver(address.queue, options)
      : this.#client.createReceiver(address.topic, address.subscription, options);
  }

  #acceptNext(
    address: EntityAddress,
    receiveMode: ReceiveMode,
    maxWaitTimeInMs: number,
    signal: AbortSignal,
  ): Promise<ServiceBusSessionReceiverLike> {
    const options = { ...asReceived, receiveMode };
    const ask = () =>
      "queue" in address
        ? this.#client.acceptNextSession(address.queue, options)
        : this.#client.acceptNextSession(address.topic, address.subscription, options);
    return this.#waits.accept({
      entityPath: entityPathOf(address),
      receiveMode,
      ask,
      maxWaitTimeInMs,
      signal,
    });
  }

  async #acceptNamed(
    address: EntityAddress,
    sessionId: string,
    receiveMode: ReceiveMode,
    signal: AbortSignal,
  ): Promise<ServiceBusSessionReceiverLike> {
    const path = entityPathOf(address);
    if (sessionId === "") {
      throw new WaybillError("not-supported", "The SDK treats an empty session id as any session.", {
        entityPath: path,
      });
    }
    const untilMs = performance.now() + freeingTimeoutMs;
    for (;;) {
      const mayBeFreed = this.#waits.hasAbandoned(path) && performance.now() < untilMs;
      try {
        return await this.#requestSession(address, sessionId, receiveMode, signal);
      } catch (error) {
        const mapped = toAzureError(error, path);
        if (mapped.code !== "session-cannot-be-locked") throw mapped;
        if (!mayBeFreed) {
          throw await explainRefusedSession(mapped, this.#openReceiver(address, "peekLock"), path);
        }
        await new Promise((resolve) => setTimeout(resolve, freeingPauseMs));
      }
    }
  }

  async #requestSession(
    address: EntityAddress,
    sessionId: string,
    receiveMode: ReceiveMode,
    signal: AbortSignal,
  ): Promise<ServiceBusSessionReceiverLike> {
    const options = { ...asReceived, receiveMode };
    const asking =
      "queue" in address
        ? this.#client.acceptSession(address.queue, sessionId, options)
        : this.#client.acceptSession(address.topic, address.subscription, sessionId, options);
    try {
      return await untilAborted(asking, signal, () => abortedError(entityPathOf(address)));
    } catch (error) {
      // The SDK cannot cancel the request: a session that it locks after the abort is released.
      if (signal.aborted) this.#waits.free({ entityPath: entityPathOf(address), receiveMode }, asking);
      throw error;
    }
  }

  #settings(address: EntityAddress, receiveMode: ReceiveMode) {
    const completesOnLink = this.#completesOnLink;
    return { entityPath: entityPathOf(address), receiveMode, completesOnLink, onClosed: this.#forget };
  }

  #watch(
    path: string,
    sessionId: string | undefined,
    events: TransportReceiverEvents | undefined,
    peeker: () => ServiceBusReceiverLike,
  ): ReceiverWatch {
    const watchdog = this.#watchdog;
    return new ReceiverWatch({
      entityPath: path,
      sessionId,
      watchdog,
      events,
      peeker,
      locked: () => this.#lockedIn(path, sessionId),
    });
  }

  /** Sequence numbers locked by any receiver of an entity, or by the receiver of one session. */
  #lockedIn(path: string, sessionId: string | undefined): Set<bigint> {
    const receivers = Array.from(this.#parts)
      .filter((part) => part instanceof AzureReceiver)
      .filter((part) => part.entityPath === path)
      .filter((part) => sessionId === undefined || (part as AzureSessionReceiver).sessionId === sessionId);
    return new Set(receivers.flatMap((receiver) => receiver.heldSequenceNumbers()));
  }

  #add<One extends Part>(part: One): One {
    if (this.#isClosed) void part.close();
    else this.#parts.add(part);
    return part;
  }

  readonly #forget = (part: Part): void => {
    this.#parts.delete(part);
  };
}
