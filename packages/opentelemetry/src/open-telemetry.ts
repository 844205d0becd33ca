import { createNoopMeter, type MeterProvider, metrics, ProxyTracerProvider, trace } from "@opentelemetry/api";
import type { Diagnostics } from "@waybill/core/diagnostics";
import { requireInteger, requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import { scopeName } from "./attributes.js";
import { Instruments } from "./instruments.js";
import { beginTrace } from "./spans.js";

/** Options of {@link openTelemetry}. */
export interface OpenTelemetryOptions {
  /**
   * The parent of a handler's span: `"child"` makes it a child of the span that created the message, in the producer's trace; `"linked"` starts
   * a new trace. It is linked to that span in both cases. Default: `"child"`.
   */
  readonly processSpans?: "child" | "linked" | undefined;
  /**
   * How many message types metrics distinguish; further ones count as `_other`, because each subject that a sender invents would add a time
   * series. Default: 100.
   */
  readonly maxMessageTypes?: number | undefined;
}

/** The defaults of {@link OpenTelemetryOptions}. */
const defaultOpenTelemetryOptions = Object.freeze({
  processSpans: "child",
  maxMessageTypes: 100,
} as const);

/**
 * The `diagnostics` of a client that creates OpenTelemetry spans and metrics by the semantic conventions for messaging. It uses the SDK that
 * is registered globally, before or after this call; without one it does nothing. Throws `TypeError`.
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Diagnostics {
  requireKnownOptions("openTelemetry", options, defaultOpenTelemetryOptions);
  const {
    processSpans = defaultOpenTelemetryOptions.processSpans,
    maxMessageTypes = defaultOpenTelemetryOptions.maxMessageTypes,
  } = options;
  requireOneOf("processSpans", processSpans, ["child", "linked"]);
  requireInteger("maxMessageTypes", maxMessageTypes, 0);
  return Object.freeze(new OpenTelemetryDiagnostics(processSpans === "child", maxMessageTypes));
}

/** A class, because an object literal with getters has its properties in a dictionary, and these are read several times per message. */
class OpenTelemetryDiagnostics implements Diagnostics {
  readonly #begin: Diagnostics["trace"];
  readonly #maxMessageTypes: number;
  #provider: MeterProvider | undefined = undefined;
  #record: Diagnostics["onEvent"] = undefined;

  constructor(isChild: boolean, maxMessageTypes: number) {
    this.#begin = (operation) => beginTrace(operation, isChild);
    this.#maxMessageTypes = maxMessageTypes;
  }

  get trace(): Diagnostics["trace"] {
    return isTracerRegistered() ? this.#begin : undefined;
  }

  get onEvent(): Diagnostics["onEvent"] {
    const provider = metrics.getMeterProvider();
    if (provider === this.#provider) return this.#record;
    this.#provider = provider;
    const instruments = isMeterRegistered(provider)
      ? new Instruments(provider, this.#maxMessageTypes)
      : undefined;
    this.#record = instruments === undefined ? undefined : (event) => instruments.record(event);
    return this.#record;
  }
}

const noTracerProvider = new ProxyTracerProvider().getDelegate();

/** The API always returns a tracer; without a registered provider, no spans need to be described. */
function isTracerRegistered(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noTracerProvider;
}

function isMeterRegistered(provider: MeterProvider): boolean {
  return provider.getMeter(scopeName) !== createNoopMeter();
}
