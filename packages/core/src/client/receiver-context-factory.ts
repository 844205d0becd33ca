import { type Scheduler, systemScheduler } from "@waybill/foundation";
import { entityPathOf } from "../contracts/entity-path.js";
import type {
  EntityAddress,
  Transport,
  TransportReceiver,
  TransportSender,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import type { HealthMonitor } from "../diagnostics/health-monitor.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { CircuitBreakers } from "../receive/circuit-breaker/circuit-breakers.js";
import { LockRenewal } from "../receive/delivery/lock-renewal.js";
import { OtherReaders } from "../receive/delivery/other-readers.js";
import type { ReceiverContext } from "../receive/delivery/receiver-context.js";
import { SessionLock } from "../receive/delivery/session-lock.js";
import type { ResolvedClientOptions } from "./client-options.js";

/** How one receiver differs from the others of its client. */
export interface ReceiverKind {
  readonly address: EntityAddress;
  readonly pipeline: Pipeline;
  readonly renewForMs: number;
  /** Whether a copy of a message may be scheduled on the entity. */
  readonly canRetry: boolean;
}

/** The same for a receiver of a session. */
export interface SessionKind extends Omit<ReceiverKind, "canRetry"> {
  /** Whether the session stops at an undeserializable message. */
  readonly isBlocking: boolean;
  /** Renews the locks of several sessions; undefined for a renewal of its own. */
  readonly sessionRenewal: LockRenewal | undefined;
}

/** Makes the contexts of a client's receivers: the one place that knows what a receiver works with. */
export class ReceiverContextFactory {
  readonly breakers: CircuitBreakers;
  readonly #transport: Transport;
  readonly #options: ResolvedClientOptions;
  readonly #health: HealthMonitor;
  readonly #senderTo: (queueOrTopic: string) => TransportSender;
  /** By entity path. */
  readonly #otherReaders = new Map<string, OtherReaders>();

  constructor(
    transport: Transport,
    options: ResolvedClientOptions,
    health: HealthMonitor,
    senderTo: (queueOrTopic: string) => TransportSender,
  ) {
    this.#transport = transport;
    this.#options = options;
    this.#health = health;
    this.#senderTo = senderTo;
    const tellDirectory =
      options.circuitBreaker === undefined ? undefined : options.readerDirectory?.followCircuits?.();
    this.breakers = new CircuitBreakers({
      transport,
      scheduler: this.scheduler,
      options: options.circuitBreaker,
      onEvent: (event) => {
        health.circuitChanged(event);
        tellDirectory?.(event);
        options.onCircuitBreaker(event);
      },
    });
  }

  get scheduler(): Scheduler {
    return this.#transport.scheduler ?? systemScheduler;
  }

  /** The context of a receiver of an entity. */
  create(receiver: TransportReceiver, kind: ReceiverKind): ReceiverContext {
    const { address, canRetry } = kind;
    const queue = "queue" in address ? address.queue : address.topic;
    const retrySender = canRetry ? () => this.#senderTo(queue) : undefined;
    return this.#context(receiver, { ...kind, isBlocking: false, session: undefined, retrySender });
  }

  /** The context of a receiver that holds a session; the session's lock is renewed from now on. */
  createForSession(receiver: TransportSessionReceiver, kind: SessionKind): ReceiverContext {
    const renewal = kind.sessionRenewal ?? new LockRenewal(this.scheduler);
    const session = new SessionLock(receiver, renewal, kind.renewForMs, this.#health);
    session.keep();
    return this.#context(receiver, { ...kind, session, retrySender: undefined });
  }

  #context(
    receiver: TransportReceiver,
    kind: Pick<ReceiverKind, "address" | "pipeline" | "renewForMs"> &
      Pick<ReceiverContext, "isBlocking" | "session" | "retrySender">,
  ): ReceiverContext {
    const { address, pipeline, renewForMs, isBlocking, session, retrySender } = kind;
    const { quarantineQueue, consumerVersion, observer, onUndeserializable } = this.#options;
    this.#health.opened(receiver);
    return Object.freeze<ReceiverContext>({
      receiver,
      entityPath: receiver.entityPath,
      scheduler: this.scheduler,
      pipeline,
      renewal: new LockRenewal(this.scheduler),
      renewForMs,
      session,
      isSubQueue: address.subQueue !== undefined,
      isBlocking,
      breaker: this.breakers.breakerFor(address, pipeline),
      lookAhead: this.breakers.lookAheadFor(address, pipeline),
      otherReaders: this.#otherReadersOf(entityPathOf(address)),
      backoff: this.#options.unavailableBackoff,
      canDefer: this.#transport.capabilities.has("deferral"),
      consumerVersion,
      quarantine: () => (quarantineQueue === undefined ? undefined : this.#senderTo(quarantineQueue)),
      retrySender,
      onUndeserializable,
      observer,
      health: this.#health,
    });
  }

  #otherReadersOf(entityPath: string): OtherReaders | undefined {
    const { readerDirectory } = this.#options;
    if (readerDirectory === undefined) return undefined;
    const known = this.#otherReaders.get(entityPath);
    const readers = known ?? new OtherReaders(readerDirectory, entityPath, this.scheduler);
    this.#otherReaders.set(entityPath, readers);
    return readers;
  }
}
