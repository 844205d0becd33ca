import {
  type CircuitBreakerOptions,
  type ResolvedCircuitBreakerOptions,
  resolveCircuitBreakerOptions,
} from "../circuit-breaker/circuit-breaker-options.js";
import type { CircuitBreakerEvent } from "../diagnostics/circuit-breaker-event.js";
import type { Diagnostics } from "../diagnostics/diagnostics.js";
import { Observer } from "../diagnostics/observer.js";
import { callHook } from "../foundation/call-hook.js";
import { kindOf, type OptionNames, requireKnownOptions } from "../foundation/known-options.js";
import { resolveUnavailableBackoff, type UnavailableBackoff } from "../holding/unavailable-backoff.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { MessageType } from "../message-types/message-type.js";
import { type PipelineOptions, pipelineOptionNames } from "../pipeline/options.js";
import { makePipeline, type Pipeline } from "../pipeline/pipeline.js";

/** What a client does beside reading and writing bodies. */
export interface ClientOptions {
  /**
   * Where messages go, raw and with their dead-letter record, that were received in receive-and-delete mode and cannot be read. Without
   * it they are handed over raw: to `processError`, or returned marked by `receiveMessages`.
   */
  readonly quarantineQueue?: string | undefined;
  /** Is notified of every received message whose body could not be read, after it was settled. What it throws is ignored. */
  readonly onUndeserializable?: ((event: UndeserializableEvent) => void) | undefined;
  /** Is notified of what the client does: for logs, metrics and traces. */
  readonly diagnostics?: Diagnostics | undefined;
  /** Stands in dead-letter records, for example `"orders-service 1.4.2"`. At most 128 characters are kept. */
  readonly consumerVersion?: string | undefined;
  /**
   * Whether a session's state is written with its content type and type in front, so that it can be read for sure. `false` writes the
   * serializer's bytes alone, as the official SDK writes and reads states. Default: true.
   */
  readonly sessionStateEnvelope?: boolean | undefined;
  /** How messages are kept that cannot be read because something they need is out of reach. */
  readonly unavailableBackoff?: UnavailableBackoff | undefined;
  /** When messages that cannot be read are held instead of dead-lettered; false never. On by default. */
  readonly circuitBreaker?: CircuitBreakerOptions | false | undefined;
  /** Is notified when a circuit breaker opens, tries and closes. What it throws is ignored. */
  readonly onCircuitBreaker?: ((event: CircuitBreakerEvent) => void) | undefined;
}

/** The options of a client: its own, and those of its pipeline or a pipeline that is ready. */
export type WaybillClientOptions<Types extends MessageType = MessageType> = ClientOptions &
  (PipelineOptions<Types> | { readonly pipeline: Pipeline<Types> });

/** {@link WaybillClientOptions} checked, with every default filled in. */
export interface ResolvedClientOptions {
  readonly pipeline: Pipeline;
  readonly quarantineQueue: string | undefined;
  readonly onUndeserializable: (event: UndeserializableEvent) => void;
  readonly observer: Observer | undefined;
  readonly consumerVersion: string | undefined;
  readonly sessionStateEnvelope: boolean;
  readonly unavailableBackoff: Required<UnavailableBackoff>;
  readonly circuitBreaker: ResolvedCircuitBreakerOptions | undefined;
  readonly onCircuitBreaker: (event: CircuitBreakerEvent) => void;
}

const optionNames: OptionNames<ClientOptions & PipelineOptions & { readonly pipeline: Pipeline }> = {
  ...pipelineOptionNames,
  pipeline: true,
  quarantineQueue: true,
  onUndeserializable: true,
  diagnostics: true,
  consumerVersion: true,
  sessionStateEnvelope: true,
  unavailableBackoff: true,
  circuitBreaker: true,
  onCircuitBreaker: true,
};

/** Checks the options and fills in the defaults. Throws as `createPipeline` does, and `TypeError` for values no program should pass. */
export function resolveClientOptions(options: WaybillClientOptions): ResolvedClientOptions {
  if (typeof options !== "object" || options === null) {
    throw new TypeError("A client needs options: a serializer at least, or a pipeline.");
  }
  requireKnownOptions<object>("WaybillClient", options, optionNames);
  const { quarantineQueue, onUndeserializable, consumerVersion, circuitBreaker, onCircuitBreaker } = options;
  if (quarantineQueue !== undefined && (typeof quarantineQueue !== "string" || quarantineQueue === "")) {
    throw new TypeError("quarantineQueue must be the name of a queue or topic.");
  }
  const { sessionStateEnvelope = true } = options;
  if (typeof sessionStateEnvelope !== "boolean")
    throw new TypeError("sessionStateEnvelope must be true or false.");
  const observer = options.diagnostics === undefined ? undefined : new Observer(options.diagnostics);
  const told = onUndeserializable === undefined ? ignore : shielded(onUndeserializable);
  return Object.freeze({
    pipeline: "pipeline" in options ? requirePipeline(options.pipeline) : makePipeline(options),
    quarantineQueue,
    onUndeserializable: observer === undefined ? told : observed(told, observer),
    observer,
    consumerVersion,
    sessionStateEnvelope,
    unavailableBackoff: resolveUnavailableBackoff(options.unavailableBackoff),
    circuitBreaker: circuitBreaker === false ? undefined : resolveCircuitBreakerOptions(circuitBreaker),
    onCircuitBreaker: onCircuitBreaker === undefined ? ignore : shielded(onCircuitBreaker),
  });
}

function requirePipeline(pipeline: Pipeline): Pipeline {
  if (typeof pipeline?.serialize === "function" && typeof pipeline.deserialize === "function")
    return pipeline;
  throw new TypeError(`pipeline must be a pipeline, as createPipeline makes it; got ${kindOf(pipeline)}.`);
}

/** The hook runs between receiving and settling, where an exception of its own would leave messages behind. */
function shielded<Event>(hook: (event: Event) => void): (event: Event) => void {
  return (event) => callHook(() => hook(event));
}

function observed(
  told: (event: UndeserializableEvent) => void,
  observer: Observer,
): (event: UndeserializableEvent) => void {
  return (event) => {
    told(event);
    observer.undeserializable(event);
  };
}

function ignore(): void {}
