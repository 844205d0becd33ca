import { type Scheduler, systemScheduler } from "@waybill/foundation";
import { entityPathOf } from "../contracts/entity-path.js";
import type {
  EntityAddress,
  Transport,
  TransportReceiver,
  TransportSender,
  TransportSessionReceiver,
} from "../contracts/transport.js";
import type { CircuitBreakerEvent } from "../diagnostics/circuit-breaker-event.js";
import type { HealthMonitor } from "../diagnostics/health-monitor.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { CircuitBreakers } from "../receive/circuit-breaker/circuit-breakers.js";
import { LockRenewal } from "../receive/delivery/lock-renewal.js";
import { OtherReaders } from "../receive/delivery/other-readers.js";
import type { ReceiverContext } from "../receive/delivery/receiver-context.js";
import { SessionLock } from "../receive/delivery/session-lock.js";
import { LoadedReceiver } from "../receive/receiver/loaded-receiver.js";
import type { ReceiverState } from "../receive/receiver/receiver-state.js";
import type { ResolvedClientOptions } from "./client-options.js";

/** How one receiver differs from the others of its client. */
export interface ReceiverKind {
  readonly address: EntityAddress;
  readonly pipeline: Pipeline;
  readonly renewForMs: number;
  /** Sends to the entity itself, to schedule copies; undefined where that is not possible. */
  readonly retrySender: (() => TransportSender) | undefined;
}

/** The same for a receiver of a session. */
export interface SessionKind extends Omit<ReceiverKind, "retrySender"> {
  /** Whether the session stops at an undeserializable message. */
  readonly isBlocking: boolean;
  /** Renews the locks of several sessions; undefined for a renewal of its own. */
  readonly sessionRenewal: LockRenewal | undefined;
}

/** What the contexts of a client's receivers have in common. */
export interface ReceiverContextFactorySettings {
  readonly transport: Transport;
  readonly options: ResolvedClientOptions;
  readonly health: HealthMonitor;
  readonly senderTo: (queueOrTopic: string) => TransportSender;
  readonly onCircuitBreaker: (event: CircuitBreakerEvent) => void;
}

/**
 * Makes the contexts of a client's receivers: the one place that knows what a receiver works with. It is loaded with the first receiver, and with
 * it all other code that receives.
 */
export class ReceiverContextFactory {
  readonly breakers: CircuitBreakers;
  readonly #settings: ReceiverContextFactorySettings;
  /** By entity path. */
  readonly #otherReaders = new Map<string, OtherReaders>();

  constructor(settings: ReceiverContextFactorySettings) {
    const { transport, options, onCircuitBreaker } = settings;
    this.#settings = settings;
    this.breakers = new CircuitBreakers({
      transport,
      scheduler: this.scheduler,
      options: options.circuitBreaker,
      onEvent: onCircuitBreaker,
    });
  }

  get scheduler(): Scheduler {
    return this.#settings.transport.scheduler ?? systemScheduler;
  }

  /** What the receiver of an entity does from now on. */
  open(receiver: TransportReceiver, kind: ReceiverKind, state: ReceiverState): LoadedReceiver {
    return new LoadedReceiver(this.create(receiver, kind), state);
  }

  /** The context of a receiver of an entity. */
  create(receiver: TransportReceiver, kind: ReceiverKind): ReceiverContext {
    return this.#context(receiver, { ...kind, isBlocking: false, session: undefined });
  }

  /** The context of a receiver that holds a session; the session's lock is renewed from now on. */
  createForSession(receiver: TransportSessionReceiver, kind: SessionKind): ReceiverContext {
    const renewal = kind.sessionRenewal ?? new LockRenewal(this.scheduler);
    const session = new SessionLock(receiver, renewal, kind.renewForMs, this.#settings.health);
    session.keep();
    return this.#context(receiver, { ...kind, session, retrySender: undefined });
  }

  #context(
    receiver: TransportReceiver,
    kind: Pick<ReceiverKind, "address" | "pipeline" | "renewForMs"> &
      Pick<ReceiverContext, "isBlocking" | "session" | "retrySender">,
  ): ReceiverContext {
    const { address, pipeline, renewForMs, isBlocking, session, retrySender } = kind;
    const { transport, options, health, senderTo } = this.#settings;
    const { quarantineQueue, consumerVersion, observer, onUndeserializable } = options;
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
      backoff: options.unavailableBackoff,
      canDefer: transport.capabilities.has("deferral"),
      consumerVersion,
      quarantine: () => (quarantineQueue === undefined ? undefined : senderTo(quarantineQueue)),
      retrySender,
      onUndeserializable,
      observer,
      health,
    });
  }

  #otherReadersOf(entityPath: string): OtherReaders | undefined {
    const { readerDirectory } = this.#settings.options;
    if (readerDirectory === undefined) return undefined;
    const known = this.#otherReaders.get(entityPath);
    const readers = known ?? new OtherReaders(readerDirectory, entityPath, this.scheduler);
    this.#otherReaders.set(entityPath, readers);
    return readers;
  }
}
