import { WaybillError } from "@waybill/core";
import {
  type Awaitable,
  decodeFailure,
  quoted,
  requireInteger,
  unavailableFailure,
} from "@waybill/core/serializer";
import { untilAborted } from "@waybill/foundation";
import type { RegisteredSchema, SchemaSource } from "./schema-source.js";

/** How responses of a registry are cached. */
export interface SchemaCacheOptions {
  /** Maximum number of cached schemas; the oldest is evicted. The schema of an id never changes. Default 1,000. */
  readonly maxSchemas?: number | undefined;
  /** How long an id without a schema is cached, in milliseconds, so that undeserializable messages do not load the registry. Default 60,000. */
  readonly unknownIdTtlInMs?: number | undefined;
  /** How long a registry is not called after a failure, in milliseconds: bodies are unavailable meanwhile. Default 1,000. */
  readonly failureTtlInMs?: number | undefined;
  /** Timeout of a request to the registry, in milliseconds; then bodies are unavailable. Default 10,000. */
  readonly timeoutInMs?: number | undefined;
}

/** {@link SchemaCacheOptions} with every default filled in. */
export type ResolvedCacheOptions = Readonly<Record<keyof SchemaCacheOptions, number>>;

/** The defaults of {@link SchemaCacheOptions}. */
export const cacheDefaults: ResolvedCacheOptions = Object.freeze({
  maxSchemas: 1_000,
  unknownIdTtlInMs: 60_000,
  failureTtlInMs: 1_000,
  timeoutInMs: 10_000,
});

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveCacheOptions(options: SchemaCacheOptions = {}): ResolvedCacheOptions {
  const resolved = { ...cacheDefaults };
  for (const name of Object.keys(cacheDefaults) as (keyof SchemaCacheOptions)[]) {
    resolved[name] = requireInteger(`schema registry: ${name}`, options[name] ?? cacheDefaults[name], 1);
  }
  return resolved;
}

/** The time in milliseconds, of a monotonic clock. */
const now = () => performance.now();

/**
 * Finds compiled schemas of a registry by id, synchronously if one is cached. Concurrent requests for one id share the response. If the registry
 * fails, times out or returns something that is not a schema, bodies are unavailable; such failures are cached for `failureTtlInMs` at most.
 * `compile` throws for an unusable schema. Throws or rejects with `decodeFailure` or `unavailableFailure`.
 */
export function cachedSchemas<Compiled extends object>(
  source: SchemaSource,
  { maxSchemas, unknownIdTtlInMs, failureTtlInMs, timeoutInMs }: ResolvedCacheOptions,
  compile: (schema: RegisteredSchema, id: string) => Compiled,
): (id: string) => Awaitable<Compiled> {
  const known = new Map<string, Compiled>();
  const pending = new Map<string, Promise<Compiled>>();
  const failures = new Map<string, { readonly until: number; readonly error: WaybillError }>();

  function ask(id: string): Awaitable<Compiled> {
    let answer: Awaitable<RegisteredSchema | undefined>;
    const aborter = new AbortController();
    try {
      answer = source.schemaById(id, aborter.signal);
    } catch (error) {
      throw failed(id, error);
    }
    if (!isPromiseLike(answer)) return settle(id, answer);
    return withTimeout(answer, timeoutInMs, aborter).then(
      (schema) => settle(id, schema),
      (error: unknown) => {
        throw failed(id, error);
      },
    );
  }

  function settle(id: string, schema: RegisteredSchema | undefined): Compiled {
    if (schema === undefined) {
      const text = `${source.name} has no schema with the id ${quoted(id, 64)}.`;
      throw remembered(id, decodeFailure("schema-unknown", text), unknownIdTtlInMs);
    }
    let compiled: Compiled;
    try {
      compiled = compile(schema, id);
    } catch (error) {
      // A schema of another format is final; anything else may come from a proxy in between.
      if (error instanceof WaybillError && error.code === "deserialization-failed") throw error;
      throw failed(id, error, "returned an unusable schema");
    }
    keep(known, id, compiled, maxSchemas);
    return compiled;
  }

  function failed(id: string, cause: unknown, what = "could not be queried"): WaybillError {
    const text = `${source.name} ${what} for the schema id ${quoted(id, 64)}.`;
    return remembered(id, unavailableFailure(text, cause), failureTtlInMs);
  }

  function remembered(id: string, error: WaybillError, forMs: number): WaybillError {
    keep(failures, id, { until: now() + forMs, error }, maxSchemas);
    return error;
  }

  return (id) => {
    const found = known.get(id);
    if (found !== undefined) return found;
    const failure = failures.get(id);
    if (failure !== undefined && now() < failure.until) throw failure.error;
    failures.delete(id);
    const asking = pending.get(id);
    if (asking !== undefined) return asking;
    const asked = ask(id);
    if (!(asked instanceof Promise)) return asked;
    const shared = asked.finally(() => pending.delete(id));
    pending.set(id, shared);
    return shared;
  };
}

/** Rejects when the registry does not respond in time, and aborts the request. */
export async function withTimeout<Value>(
  answer: PromiseLike<Value>,
  timeoutInMs: number,
  aborter: AbortController,
): Promise<Value> {
  const timer = setTimeout(() => aborter.abort(), timeoutInMs);
  const toError = () => new Error(`No response within ${timeoutInMs} ms.`);
  try {
    return await untilAborted(Promise.resolve(answer), aborter.signal, toError);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of `use` for a value, synchronously if the value is available. */
export function withValue<Value, Result>(
  value: Awaitable<Value>,
  use: (value: Value) => Awaitable<Result>,
): Awaitable<Result> {
  return isPromiseLike(value) ? value.then(use) : use(value);
}

/** True also for promises of other libraries, which are not instances of `Promise`. */
export function isPromiseLike<Value>(value: Awaitable<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === "function";
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  const oldest = map.size >= most ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
