import { type Scheduler, steadyNowOf } from "@waybill/foundation";
import { entityPathOf } from "../../contracts/entity-path.js";
import type { EntityAddress, Transport, TransportReceiver } from "../../contracts/transport.js";
import type { CircuitBreakerEvent } from "../../diagnostics/circuit-breaker-event.js";
import type { Pipeline } from "../../pipeline/pipeline.js";
import { CircuitBreaker } from "./circuit-breaker.js";
import type { ResolvedCircuitBreakerOptions } from "./circuit-breaker-options.js";
import { LookAhead, type OnReadable } from "./look-ahead.js";

/** Dependencies of a client's circuit breakers. */
export interface CircuitBreakersSettings {
  readonly transport: Transport;
  readonly scheduler: Scheduler;
  /** Undefined when circuit breakers are switched off. */
  readonly options: ResolvedCircuitBreakerOptions | undefined;
  readonly onEvent: (event: CircuitBreakerEvent) => void;
}

/**
 * The circuit breakers of a client: one for each entity and pipeline, shared by all its receivers, because what any of them decodes
 * tells whether the consumer works.
 */
export class CircuitBreakers {
  readonly #settings: CircuitBreakersSettings;
  /** By pipeline, then by entity. */
  readonly #breakers = new WeakMap<Pipeline, Map<string, CircuitBreaker>>();
  /** Receivers for peeking, created on first use. */
  readonly #receivers = new Map<string, TransportReceiver>();

  constructor(settings: CircuitBreakersSettings) {
    this.#settings = settings;
  }

  /** Looks at the waiting messages of an entity; undefined for dead-letter queues. */
  lookAheadFor(address: EntityAddress, pipeline: Pipeline): LookAhead | undefined {
    if (address.subQueue !== undefined) return undefined;
    const breaker = this.breakerFor(address, pipeline);
    return breaker?.lookAhead ?? this.#lookAhead(address, pipeline, () => {});
  }

  /** The breaker of an entity; undefined for dead-letter queues, because nothing is dead-lettered from them. */
  breakerFor(address: EntityAddress, pipeline: Pipeline): CircuitBreaker | undefined {
    const { options, scheduler, onEvent } = this.#settings;
    if (options === undefined || address.subQueue !== undefined) return undefined;
    const ofPipeline = this.#breakers.get(pipeline) ?? new Map<string, CircuitBreaker>();
    this.#breakers.set(pipeline, ofPipeline);
    const entityPath = entityPathOf(address);
    let breaker = ofPipeline.get(entityPath);
    if (breaker === undefined) {
      breaker = new CircuitBreaker({
        options,
        entityPath,
        now: () => steadyNowOf(scheduler),
        onEvent,
        createLookAhead: (onReadable) => this.#lookAhead(address, pipeline, onReadable),
      });
      ofPipeline.set(entityPath, breaker);
    }
    return breaker;
  }

  /** Closes the receivers for peeking. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#receivers.values(), (receiver) => receiver.close()));
  }

  #lookAhead(address: EntityAddress, pipeline: Pipeline, onReadable: OnReadable): LookAhead {
    const { scheduler } = this.#settings;
    return new LookAhead(() => this.#receiver(address), pipeline, scheduler, onReadable);
  }

  #receiver(address: EntityAddress): TransportReceiver {
    const entityPath = entityPathOf(address);
    let receiver = this.#receivers.get(entityPath);
    if (receiver === undefined) {
      receiver = this.#settings.transport.createReceiver(address, "peekLock");
      this.#receivers.set(entityPath, receiver);
    }
    return receiver;
  }
}
