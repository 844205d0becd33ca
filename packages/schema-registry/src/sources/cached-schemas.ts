import { WaybillError } from "@waybill/core";
import {
  type Awaitable,
  decodeFailure,
  quoted,
  requireInteger,
  unavailableFailure,
} from "@waybill/core/serializer";
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

/** Compiles a schema to read bodies with. Throws for an unusable schema. */
export type Compile<Compiled> = (schema: RegisteredSchema, id: string) => Compiled;

/** The time in milliseconds, of a monotonic clock. */
const now = () => performance.now();

/**
 * Compiled schemas of a registry, by id. Concurrent requests for one id share the response. If the registry fails, times out or returns something
 * that is not a schema, bodies are unavailable; such failures are cached for `failureTtlInMs` at most.
 */
export class CachedSchemas<Compiled extends object> {
  readonly #source: SchemaSource;
  readonly #options: ResolvedCacheOptions;
  readonly #compile: Compile<Compiled>;
  readonly #known = new Map<string, Compiled>();
  readonly #unknown = new Map<string, number>();
  readonly #pending = new Map<string, Promise<Compiled>>();
  readonly #failures = new Map<string, { readonly until: number; readonly error: WaybillError }>();

  constructor(source: SchemaSource, options: ResolvedCacheOptions, compile: Compile<Compiled>) {
    this.#source = source;
    this.#options = options;
    this.#compile = compile;
  }

  /** The compiled schema of an id, synchronously if it is cached. Throws or rejects with `decodeFailure` or `unavailableFailure`. */
  get(id: string): Awaitable<Compiled> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    this.#requireAskable(id);
    const pending = this.#pending.get(id);
    if (pending !== undefined) return pending;
    const asked = this.#ask(id);
    if (!(asked instanceof Promise)) return asked;
    const shared = asked.finally(() => this.#pending.delete(id));
    this.#pending.set(id, shared);
    return shared;
  }

  /** Throws a cached failure, without calling the registry again. */
  #requireAskable(id: string): void {
    const unknownUntil = this.#unknown.get(id);
    if (unknownUntil !== undefined) {
      if (now() < unknownUntil) throw this.#unknownId(id);
      this.#unknown.delete(id);
    }
    const failure = this.#failures.get(id);
    if (failure === undefined) return;
    if (now() < failure.until) throw failure.error;
    this.#failures.delete(id);
  }

  #ask(id: string): Awaitable<Compiled> {
    let answer: Awaitable<RegisteredSchema | undefined>;
    const aborter = new AbortController();
    try {
      answer = this.#source.schemaById(id, aborter.signal);
    } catch (error) {
      throw this.#failed(id, error);
    }
    if (!isPromiseLike(answer)) return this.#settle(id, answer);
    return withTimeout(answer, this.#options.timeoutInMs, aborter).then(
      (schema) => this.#settle(id, schema),
      (error: unknown) => {
        throw this.#failed(id, error);
      },
    );
  }

  #settle(id: string, schema: RegisteredSchema | undefined): Compiled {
    if (schema === undefined) {
      keep(this.#unknown, id, now() + this.#options.unknownIdTtlInMs, this.#options.maxSchemas);
      throw this.#unknownId(id);
    }
    let compiled: Compiled;
    try {
      compiled = this.#compile(schema, id);
    } catch (error) {
      // A schema of another format is final; anything else may come from a proxy in between.
      if (error instanceof WaybillError && error.code === "deserialization-failed") throw error;
      throw this.#failed(id, error, "returned an unusable schema");
    }
    keep(this.#known, id, compiled, this.#options.maxSchemas);
    return compiled;
  }

  #unknownId(id: string): WaybillError {
    return decodeFailure(
      "schema-unknown",
      `${this.#source.name} has no schema with the id ${quoted(id, 64)}.`,
    );
  }

  #failed(id: string, cause: unknown, what = "could not be queried"): WaybillError {
    const error = unavailableFailure(
      `${this.#source.name} ${what} for the schema id ${quoted(id, 64)}.`,
      cause,
    );
    const until = now() + this.#options.failureTtlInMs;
    keep(this.#failures, id, { until, error }, this.#options.maxSchemas);
    return error;
  }
}

/** Rejects when the registry does not respond in time, and aborts the request. */
export async function withTimeout<Value>(
  answer: PromiseLike<Value>,
  timeoutInMs: number,
  aborter: AbortController,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`No response within ${timeoutInMs} ms.`));
      aborter.abort();
    }, timeoutInMs);
  });
  try {
    return await Promise.race([answer, late]);
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
