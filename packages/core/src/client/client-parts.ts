import { CircuitBreakers } from "../circuit-breaker/circuit-breakers.js";
import { entityPathOf } from "../contracts/entity-path.js";
import type {
  Transport,
  TransportReceiver,
  TransportReceiverEvents,
  TransportSender,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import type { ClientHealth } from "../diagnostics/client-health.js";
import { HealthMonitor } from "../diagnostics/health-monitor.js";
import { ObservedSender } from "../diagnostics/observed-sender.js";
import {
  requireKnownOptions,
  requireOneOf,
  requireOptions,
  withDefaults,
} from "../foundation/known-options.js";
import { durationMs, requireInteger } from "../foundation/numbers.js";
import { type Scheduler, systemScheduler } from "../foundation/scheduler.js";
import type { UndecodedMessage } from "../message/message.js";
import type { MessageType } from "../message-types/message-type.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type {
  CloseSubscriptionOptions,
  MessageHandlers,
  MessageSubscription,
} from "../processing/processor-options.js";
import {
  type TypedMessageHandlers,
  type TypedSubscribeOptions,
  untypedHandlers,
} from "../processing/typed-handlers.js";
import { Receiver, type ReceiverSettings } from "../receiving/receiver.js";
import {
  type AcceptSessionReceiverOptions,
  acceptSessionOptionNames,
  defaultReceiverOptions,
  optionsOfTheSdk,
  type ReceiverOptions,
  receiverOptionNames,
  undeserializableActions,
} from "../receiving/receiver-options.js";
import type { RehearsalReport } from "../rehearsal/rehearsal-report.js";
import { defaultRehearseOptions, type RehearseOptions, rehearse } from "../rehearsal/rehearse.js";
import { RuleManager } from "../rules/rule-manager.js";
import { Sender } from "../sending/sender.js";
import { type ListSessionsOptions, listSessions } from "../sessions/list-sessions.js";
import { SessionProcessor } from "../sessions/session-processor.js";
import type {
  SessionMessageHandlers,
  SubscribeSessionsOptions,
  TypedSessionMessageHandlers,
} from "../sessions/session-processor-options.js";
import { SessionReceiver } from "../sessions/session-receiver.js";
import { acceptSession } from "./accept-session.js";
import type { ResolvedClientOptions } from "./client-options.js";
import { type EntityName, entityAddress, requireName, requireReceiveMode } from "./entity-address.js";
import { closedError, OpenParts } from "./open-parts.js";
import { OwnSenders } from "./own-senders.js";

const defaultSessionWaitMs = 60_000;

/** Everything that a client opens on its transport and closes with itself. The transport stays open, because other clients may use it. */
export class ClientParts extends OpenParts {
  readonly #transport: Transport;
  readonly #options: ResolvedClientOptions;
  readonly #breakers: CircuitBreakers;
  readonly #health: HealthMonitor;
  readonly #senders: OwnSenders;
  #closing: Promise<void> | undefined;

  constructor(transport: Transport, options: ResolvedClientOptions) {
    const { circuitBreaker, onCircuitBreaker } = options;
    requireTransport(transport);
    super();
    this.#transport = transport;
    this.#senders = new OwnSenders((queueOrTopic) => this.#openSender(queueOrTopic));
    this.#health = new HealthMonitor(this.scheduler);
    this.#options = options;
    this.#breakers = new CircuitBreakers({
      transport,
      scheduler: this.scheduler,
      options: circuitBreaker,
      onEvent: (event) => {
        this.#health.circuitChanged(event);
        onCircuitBreaker(event);
      },
    });
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
    const canRetry =
      subscription === undefined &&
      subQueueType === undefined &&
      receiveMode === "peekLock" &&
      this.#transport.capabilities.has("scheduling");
    const retrySender = canRetry ? () => this.#senders.to(queueOrTopic) : undefined;
    const settings = this.#receiverSettings(receiver, options);
    const breaker = this.#breakers.breakerFor(address, pipeline);
    return this.add(new Receiver({ ...settings, pipeline, breaker, retrySender, isForSubscription }));
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
    const receiver = await acceptSession(this.#transport, this, address, sessionId, accepting);
    const breaker = this.#breakers.breakerFor(address, this.#options.pipeline);
    const settings = { ...this.#receiverSettings(receiver, options), breaker, isSession: true, isBlocking };
    return this.add(new SessionReceiver<UndecodedMessage>(settings));
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
      new SessionProcessor(handlers, options, {
        transport: this.#transport,
        events: this.#events,
        address,
        entityPath: entityPathOf(address),
        scheduler: this.scheduler,
        breaker: this.#breakers.breakerFor(address, pipeline),
        backoff: this.#options.unavailableBackoff,
        settingsOf: (receiver, maxAutoLockRenewalDurationInMs) => ({
          ...this.#receiverSettings(receiver, { maxAutoLockRenewalDurationInMs }),
          pipeline,
        }),
        onClosed: this.forget,
      }),
    );
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
    requireInteger("maxMessageCount", resolved.maxMessageCount, 1);
    this.requireOpen();
    const address = entityAddress(entity, resolved.subQueueType);
    const receiver = this.#transport.createReceiver(address, "peekLock");
    const part = this.add({ close: () => receiver.close() });
    try {
      return await rehearse(receiver, this.#options.pipeline, resolved);
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
      await Promise.all([this.#senders.close(), this.#breakers.close()]);
    }
  }

  #receiverSettings<R extends TransportReceiver | TransportSessionReceiver>(
    receiver: R,
    options: ReceiverOptions,
  ): ReceiverSettings & { receiver: R; stateEnvelope: boolean } {
    const { pipeline, observer, consumerVersion, unavailableBackoff, onUndeserializable, quarantineQueue } =
      this.#options;
    this.#health.opened(receiver);
    return {
      receiver,
      pipeline,
      observer,
      health: this.#health,
      entityPath: receiver.entityPath,
      scheduler: this.scheduler,
      isSubQueue: options.subQueueType !== undefined,
      isSession: false,
      isBlocking: false,
      isForSubscription: false,
      retrySender: undefined,
      breaker: undefined,
      canDefer: this.#transport.capabilities.has("deferral"),
      renewForMs: renewForMs(options),
      stateEnvelope: this.#options.sessionStateEnvelope,
      backoff: unavailableBackoff,
      consumerVersion,
      quarantine: () => (quarantineQueue === undefined ? undefined : this.#senders.to(quarantineQueue)),
      onUndeserializable,
      onClosed: (part) => {
        this.forget(part);
        this.#health.closed(receiver);
      },
    };
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
