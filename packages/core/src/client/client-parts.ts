import {
  afterwards,
  durationMs,
  requireDuration,
  requireInteger,
  requireKnownOptions,
  requireOneOf,
  requireOptions,
  type Scheduler,
  systemScheduler,
  withDefaults,
} from "@waybill/foundation";
import { entityPathOf } from "../contracts/entity-path.js";
import { loadedLater } from "../contracts/loaded-later.js";
import type { Awaitable } from "../contracts/serializer.js";
import type {
  EntityAddress,
  Transport,
  TransportReceiver,
  TransportReceiverEvents,
  TransportSender,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import type { CircuitBreakerEvent } from "../diagnostics/circuit-breaker-event.js";
import type { ClientHealth } from "../diagnostics/client-health.js";
import { HealthMonitor } from "../diagnostics/health-monitor.js";
import { ObservedSender } from "../diagnostics/observed-sender.js";
import type { UndecodedMessage } from "../message/message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type {
  CloseSubscriptionOptions,
  MessageHandlers,
  MessageSubscription,
} from "../receive/processing/processor-options.js";
import {
  type TypedMessageHandlers,
  type TypedSubscribeOptions,
  untypedHandlers,
} from "../receive/processing/typed-handlers.js";
import { Receiver } from "../receive/receiver/receiver.js";
import {
  type AcceptSessionReceiverOptions,
  acceptSessionOptionNames,
  defaultReceiverOptions,
  optionsOfTheSdk,
  type ReceiverOptions,
  receiverOptionNames,
  undeserializableActions,
} from "../receive/receiver/receiver-options.js";
import type { RehearsalReport } from "../rehearsal/rehearsal-report.js";
import { defaultRehearseOptions, type RehearseOptions } from "../rehearsal/rehearse-options.js";
import { RuleManager } from "../rules/rule-manager.js";
import { Sender } from "../sending/sender.js";
import { type ListSessionsOptions, listSessions } from "../sessions/list-sessions.js";
import type { SessionProcessorSettings } from "../sessions/session-processor.js";
import type {
  SessionMessageHandlers,
  SubscribeSessionsOptions,
  TypedSessionMessageHandlers,
} from "../sessions/session-processor-options.js";
import type { SessionOwner, SessionReceiver } from "../sessions/session-receiver.js";
import { subscribeToSessions } from "../sessions/session-subscription.js";
import { acceptSession } from "./accept-session.js";
import type { ResolvedClientOptions } from "./client-options.js";
import { type EntityName, entityAddress, requireName, requireReceiveMode } from "./entity-address.js";
import { closedError, OpenParts } from "./open-parts.js";
import { OwnSenders } from "./own-senders.js";
import type { ReceiverContextFactory } from "./receiver-context-factory.js";

const defaultSessionWaitMs = 60_000;

export const receiverContexts = loadedLater("receivers", () => import("./receiver-context-factory.js"));
export const sessionReceivers = loadedLater("sessions", () => import("../sessions/session-receiver.js"));
export const rehearsals = loadedLater("rehearsals", () => import("../rehearsal/rehearse.js"));

/** Everything that a client opens on its transport and closes with itself. The transport stays open, because other clients may use it. */
export class ClientParts extends OpenParts {
  readonly #transport: Transport;
  readonly #options: ResolvedClientOptions;
  #contexts: ReceiverContextFactory | undefined;
  readonly #health: HealthMonitor;
  readonly #senders: OwnSenders;
  /** Tells the reader directory of the client's circuits; undefined if it does not want to know. */
  readonly #tellDirectory: ((event: CircuitBreakerEvent) => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, options: ResolvedClientOptions) {
    requireTransport(transport);
    super();
    this.#transport = transport;
    this.#senders = new OwnSenders((queueOrTopic) => this.#openSender(queueOrTopic));
    this.#health = new HealthMonitor(this.scheduler);
    this.#options = options;
    if (options.circuitBreaker !== undefined)
      this.#tellDirectory = options.readerDirectory?.followCircuits?.();
  }

  readonly #events: TransportReceiverEvents = {
    onLinkStalled: (stall) => {
      this.#options.observer?.report(() => ({ type: "linkStalled", ...stall }));
      this.#health.linkStalled();
    },
  };

  get scheduler(): Scheduler {
    return this.#transport.scheduler ?? systemScheduler;
  }

  get fullyQualifiedNamespace(): string | undefined {
    return this.#transport.fullyQualifiedNamespace;
  }

  get identifier(): string | undefined {
    return this.#transport.identifier;
  }

  createRuleManager(topic: string, subscription: string): RuleManager {
    this.requireOpen();
    requireName("The topic", topic);
    requireName("The subscription", subscription);
    return this.add(
      new RuleManager({
        manager: this.#transport.createRuleManager(topic, subscription),
        topic,
        subscription,
        onClosed: this.forget,
      }),
    );
  }

  health(): ClientHealth {
    return this.#health.health(this.isClosed);
  }

  createSender(queueOrTopic: string): Sender {
    this.requireOpen();
    requireName("The queue or topic", queueOrTopic);
    return this.add(
      new Sender({
        sender: this.#openSender(queueOrTopic),
        pipeline: this.#options.pipeline,
        onClosed: this.forget,
      }),
    );
  }

  #openSender(queueOrTopic: string): TransportSender {
    const sender = this.#transport.createSender(queueOrTopic);
    const { observer } = this.#options;
    return observer === undefined ? sender : new ObservedSender(sender, observer);
  }

  createReceiver(entity: EntityName, options: ReceiverOptions = {}): Receiver<UndecodedMessage> {
    requireKnownOptions("createReceiver", options, receiverOptionNames, optionsOfTheSdk);
    return this.#openReceiver(entity, options, this.#options.pipeline, false);
  }

  /** Subscribes with a receiver that closes with the subscription. */
  subscribe(
    entity: EntityName,
    given: MessageHandlers<unknown, UndecodedMessage> | TypedMessageHandlers<MessageType>,
    typedOptions: TypedSubscribeOptions = {},
  ): MessageSubscription {
    this.requireOpen();
    requireOptions("subscribe", typedOptions);
    const { receiveMode, ...options } = typedOptions;
    const { pipeline, handlers } = untypedHandlers(this.#options.pipeline, given);
    const receiver = this.#openReceiver(entity, { receiveMode }, pipeline, true);
    try {
      const subscription = receiver.subscribe(handlers, options);
      const close = (closing?: CloseSubscriptionOptions) =>
        subscription.close(closing).finally(() => receiver.close());
      return { close, [Symbol.asyncDispose]: close };
    } catch (error) {
      receiver.close().catch(() => {});
      throw error;
    }
  }

  #openReceiver(
    { queueOrTopic, subscription }: EntityName,
    options: ReceiverOptions,
    pipeline: Pipeline,
    isForSubscription: boolean,
  ): Receiver<UndecodedMessage> {
    this.requireOpen();
    const { receiveMode = defaultReceiverOptions.receiveMode, subQueueType } = options;
    requireReceiveMode(receiveMode);
    renewForMs(options);
    const address = entityAddress({ queueOrTopic, subscription }, subQueueType);
    const receiver = this.#transport.createReceiver(address, receiveMode, this.#events);
    this.#health.opened(receiver);
    const canRetry =
      subscription === undefined &&
      subQueueType === undefined &&
      receiveMode === "peekLock" &&
      this.#transport.capabilities.has("scheduling");
    const kind = {
      address,
      pipeline,
      renewForMs: renewForMs(options),
      retrySender: canRetry ? () => this.#senders.to(queueOrTopic) : undefined,
    };
    return this.add(
      new Receiver({
        ...kind,
        receiver,
        scheduler: this.scheduler,
        backoff: this.#options.unavailableBackoff,
        isForSubscription,
        onClosed: this.#onReceiverClosed(receiver),
        load: () => afterwards(this.#loaded(), (contexts) => (state) => contexts.open(receiver, kind, state)),
      }),
    );
  }

  /** Loads the code of receivers, if that was not done before. */
  #loaded(): Awaitable<ReceiverContextFactory> {
    if (this.#contexts !== undefined) return this.#contexts;
    return afterwards(receiverContexts(), ({ ReceiverContextFactory }) => {
      this.#contexts ??= new ReceiverContextFactory({
        transport: this.#transport,
        options: this.#options,
        health: this.#health,
        senderTo: (queueOrTopic) => this.#senders.to(queueOrTopic),
        onCircuitBreaker: (event) => {
          this.#health.circuitChanged(event);
          this.#tellDirectory?.(event);
          this.#options.onCircuitBreaker(event);
        },
      });
      return this.#contexts;
    });
  }

  #onReceiverClosed(receiver: TransportReceiver): (part: Receiver<UndecodedMessage>) => void {
    return (part) => {
      this.forget(part);
      this.#health.closed(receiver);
    };
  }

  /** Accepts the named session, or the next one if `sessionId` is undefined. */
  async acceptSession(
    entity: EntityName,
    sessionId: string | undefined,
    options: AcceptSessionReceiverOptions = {},
  ): Promise<SessionReceiver<UndecodedMessage>> {
    this.requireOpen();
    requireKnownOptions("acceptSession", options, acceptSessionOptionNames, optionsOfTheSdk);
    const { receiveMode = defaultReceiverOptions.receiveMode, abortSignal } = options;
    requireReceiveMode(receiveMode);
    renewForMs(options);
    const maxWaitTimeInMs = durationMs("maxWaitTimeInMs", options.maxWaitTimeInMs, defaultSessionWaitMs);
    const { undeserializableAction = "deadLetter" } = options;
    requireOneOf("undeserializableAction", undeserializableAction, undeserializableActions);
    const isBlocking = undeserializableAction === "block";
    const accepting = { receiveMode, maxWaitTimeInMs, abortSignal, ...this.#events };
    const address = entityAddress(entity);
    // First, because a session that was accepted would stay locked without it.
    const [{ SessionReceiver }, contexts] = await Promise.all([sessionReceivers(), this.#loaded()]);
    this.requireOpen();
    const receiver = await acceptSession(this.#transport, this, address, sessionId, accepting);
    const { pipeline } = this.#options;
    const kind = {
      address,
      pipeline,
      renewForMs: renewForMs(options),
      isBlocking,
      sessionRenewal: undefined,
    };
    this.#health.opened(receiver);
    const context = contexts.createForSession(receiver, kind);
    return this.add(new SessionReceiver<UndecodedMessage>(context, this.#sessionOwner(receiver)));
  }

  #sessionOwner(receiver: TransportSessionReceiver): SessionOwner {
    return {
      isForSubscription: false,
      stateEnvelope: this.#options.sessionStateEnvelope,
      statePipeline: this.#options.pipeline,
      onClosed: this.#onReceiverClosed(receiver),
    };
  }

  subscribeSessions(
    entity: EntityName,
    given: SessionMessageHandlers<unknown, UndecodedMessage> | TypedSessionMessageHandlers<MessageType>,
    options: SubscribeSessionsOptions = {},
  ): MessageSubscription {
    this.requireOpen();
    const { pipeline, handlers } = untypedHandlers(this.#options.pipeline, given);
    if (options.receiveMode !== undefined) requireReceiveMode(options.receiveMode);
    const address = entityAddress(entity);
    return this.add(
      subscribeToSessions(handlers, options, {
        entityPath: entityPathOf(address),
        scheduler: this.scheduler,
        backoff: this.#options.unavailableBackoff,
        onClosed: this.forget,
        open: () =>
          afterwards(this.#loaded(), (contexts) => this.#sessionProcessing(address, pipeline, contexts)),
      }),
    );
  }

  #sessionProcessing(
    address: EntityAddress,
    pipeline: Pipeline,
    contexts: ReceiverContextFactory,
  ): SessionProcessorSettings {
    return {
      transport: this.#transport,
      events: this.#events,
      address,
      entityPath: entityPathOf(address),
      scheduler: this.scheduler,
      breaker: contexts.breakers.breakerFor(address, pipeline),
      lookAhead: contexts.breakers.lookAheadFor(address, pipeline),
      backoff: this.#options.unavailableBackoff,
      open: (receiver, kind) => {
        this.#health.opened(receiver);
        const context = contexts.createForSession(receiver, { address, pipeline, ...kind });
        return { context, owner: this.#sessionOwner(receiver) };
      },
    };
  }

  listSessions(
    entity: EntityName,
    options: ListSessionsOptions | undefined,
  ): AsyncGenerator<string, void, undefined> {
    this.requireOpen();
    return listSessions(this.#transport, entityAddress(entity), () => this.requireOpen(), options);
  }

  /** Reads the waiting messages of an entity as the client would, and changes nothing. */
  async rehearse(entity: EntityName, options: RehearseOptions = {}): Promise<RehearsalReport> {
    const resolved = withDefaults("rehearse", options, defaultRehearseOptions);
    if (resolved.maxMessageCount !== undefined)
      requireInteger("maxMessageCount", resolved.maxMessageCount, 1);
    requireDuration("watchForInMs", resolved.watchForInMs, 0);
    this.requireOpen();
    const { rehearse } = await rehearsals();
    this.requireOpen();
    const address = entityAddress(entity, resolved.subQueueType);
    const receiver = this.#transport.createReceiver(address, "peekLock");
    const part = this.add({ close: () => receiver.close() });
    try {
      return await rehearse(
        receiver,
        this.#options.pipeline,
        this.#transport.scheduler ?? systemScheduler,
        resolved,
      );
    } catch (error) {
      throw this.isClosed ? closedError() : error;
    } finally {
      this.forget(part);
      await receiver.close();
    }
  }

  override close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await super.close();
    } finally {
      await Promise.all([this.#senders.close(), this.#contexts?.breakers.close()]);
    }
  }
}

/** Throws `TypeError`, so it must be called before anything is opened. */
function renewForMs({ maxAutoLockRenewalDurationInMs }: ReceiverOptions): number {
  const name = "maxAutoLockRenewalDurationInMs";
  return durationMs(name, maxAutoLockRenewalDurationInMs, defaultReceiverOptions[name]);
}

function requireTransport(transport: Transport): void {
  if (typeof transport?.createReceiver === "function" && typeof transport.capabilities?.has === "function")
    return;
  throw new TypeError(
    "A client needs a transport, as azureTransport(serviceBusClient) or localTransport(broker) make.",
  );
}
