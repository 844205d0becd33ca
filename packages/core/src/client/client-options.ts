import { callHook, isObject, kindOf, type OptionNames, requireKnownOptions } from "@waybill/foundation";
import type { ReaderDirectory } from "../contracts/reader-directory.js";
import type { CircuitBreakerEvent } from "../diagnostics/circuit-breaker-event.js";
import type { Diagnostics } from "../diagnostics/diagnostics.js";
import { Observer } from "../diagnostics/observer.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { MessageType } from "../message-types/message-type.js";
import { type PipelineOptions, pipelineOptionNames } from "../pipeline/options.js";
import { makePipeline, type Pipeline } from "../pipeline/pipeline.js";
import {
  type CircuitBreakerOptions,
  type ResolvedCircuitBreakerOptions,
  resolveCircuitBreakerOptions,
} from "../receive/circuit-breaker/circuit-breaker-options.js";
import {
  resolveUnavailableBackoff,
  type UnavailableBackoff,
} from "../receive/delivery/unavailable-backoff.js";

/** Options of a client besides those of its pipeline. */
export interface ClientOptions {
  /**
   * The queue or topic for undeserializable messages that were received in receive-and-delete mode; they are sent there with their raw body and
   * dead-letter record. Without it they are handed over raw: to `processError`, or returned by `receiveMessages` with `failure`.
   */
  readonly quarantineQueue?: string | undefined;
  /**
   * Called for every received message whose body could not be read, when it has been decided what happens to it: the event's `disposition`
   * says so. A message that is held is not settled yet. Its errors are ignored. Default: none.
   */
  readonly onUndeserializable?: ((event: UndeserializableEvent) => void) | undefined;
  /** Receives events of the client's work, for logs, metrics and traces. Default: none. */
  readonly diagnostics?: Diagnostics | undefined;
  /**
   * The name and version of the consumer in dead-letter records, for example `"orders-service 1.4.2"`; truncated to 128 characters.
   * Default: none.
   */
  readonly consumerVersion?: string | undefined;
  /**
   * Whether a session's state is written in an envelope with its content type and type, so that its format need not be recognised. `false`
   * writes only the serializer's bytes, like the official SDK. Default: true.
   */
  readonly sessionStateEnvelope?: boolean | undefined;
  /** How messages are held that cannot be read because a dependency is unavailable. Defaults: see {@link UnavailableBackoff}. */
  readonly unavailableBackoff?: UnavailableBackoff | undefined;
  /**
   * Knows the running readers of an entity. A message whose content type or message version this client does not know is left to a reader that
   * does: abandoned up to four times with doubling delays, then held until that reader stops. Default: it is dead-lettered.
   */
  readonly readerDirectory?: ReaderDirectory | undefined;
  /** When undeserializable messages are held instead of dead-lettered; `false`: never. On by default; see {@link CircuitBreakerOptions}. */
  readonly circuitBreaker?: CircuitBreakerOptions | false | undefined;
  /** Called when a circuit opens, becomes half open or closes. Its errors are ignored. Default: none. */
  readonly onCircuitBreaker?: ((event: CircuitBreakerEvent) => void) | undefined;
}

/** The options of a client: its own, and either those of a pipeline or a pipeline. */
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
  readonly readerDirectory: ReaderDirectory | undefined;
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
  readerDirectory: true,
  circuitBreaker: true,
  onCircuitBreaker: true,
};

/** Checks the options and fills in the defaults. Throws like `createPipeline`, and `TypeError` for invalid values. */
export function resolveClientOptions(options: WaybillClientOptions): ResolvedClientOptions {
  if (!isObject(options)) {
    throw new TypeError("A client needs options: a serializer at least, or a pipeline.");
  }
  requireKnownOptions<object>("WaybillClient", options, optionNames);
  const { quarantineQueue, onUndeserializable, consumerVersion, circuitBreaker, onCircuitBreaker } = options;
  if (quarantineQueue !== undefined && (typeof quarantineQueue !== "string" || quarantineQueue === "")) {
    throw new TypeError("quarantineQueue must be the name of a queue or topic.");
  }
  const { readerDirectory, sessionStateEnvelope = true } = options;
  if (readerDirectory !== undefined && typeof readerDirectory?.readersOf !== "function")
    throw new TypeError("readerDirectory must be an object with readersOf.");
  if (typeof sessionStateEnvelope !== "boolean")
    throw new TypeError("sessionStateEnvelope must be true or false.");
  const observer = options.diagnostics === undefined ? undefined : new Observer(options.diagnostics);
  return Object.freeze<ResolvedClientOptions>({
    pipeline: "pipeline" in options ? requirePipeline(options.pipeline) : makePipeline(options),
    quarantineQueue,
    // The hook is called between receiving and settling, where its exception would leave messages unsettled.
    onUndeserializable: (event) => {
      callHook(() => onUndeserializable?.(event));
      observer?.undeserializable(event);
    },
    observer,
    consumerVersion,
    sessionStateEnvelope,
    readerDirectory,
    unavailableBackoff: resolveUnavailableBackoff(options.unavailableBackoff),
    circuitBreaker: circuitBreaker === false ? undefined : resolveCircuitBreakerOptions(circuitBreaker),
    onCircuitBreaker: (event) => callHook(() => onCircuitBreaker?.(event)),
  });
}

function requirePipeline(pipeline: Pipeline): Pipeline {
  if (typeof pipeline?.serialize === "function" && typeof pipeline.deserialize === "function")
    return pipeline;
  throw new TypeError(`pipeline must be a pipeline, as createPipeline makes it; got ${kindOf(pipeline)}.`);
}
