import { WaybillError } from "@waybill/core";
import {
  type Awaitable,
  decodeFailure,
  quoted,
  requireInteger,
  unavailableFailure,
} from "@waybill/core/serializer";
import type { RegisteredSchema, SchemaSource } from "./schema-source.js";

/** How answers of a registry are kept. */
export interface SchemaCacheOptions {
  /** How many schemas are kept; the oldest leaves. What a registry gives an id to never changes. Default 1,000. */
  readonly maxSchemas?: number | undefined;
  /** How long an id without a schema is remembered, in milliseconds, so that poison does not make load. Default 60,000. */
  readonly unknownIdTtlInMs?: number | undefined;
  /** How long a registry that failed is left alone, in milliseconds: bodies are unavailable meanwhile without a call. Default 1,000. */
  readonly failureTtlInMs?: number | undefined;
  /** How long the registry may take for an answer, in milliseconds. Default 10,000; then bodies are unavailable. */
  readonly timeoutInMs?: number | undefined;
}

/** {@link SchemaCacheOptions} with every default filled in. */
export type ResolvedCacheOptions = Readonly<Record<keyof SchemaCacheOptions, number>>;

const defaults: ResolvedCacheOptions = Object.freeze({
  maxSchemas: 1_000,
  unknownIdTtlInMs: 60_000,
  failureTtlInMs: 1_000,
  timeoutInMs: 10_000,
});

/** Checks the options and fills in the defaults. Throws `TypeError`. */
export function resolveCacheOptions(options: SchemaCacheOptions = {}): ResolvedCacheOptions {
  const resolved = { ...defaults };
  for (const name of Object.keys(defaults) as (keyof SchemaCacheOptions)[]) {
    resolved[name] = requireInteger(`schema registry: ${name}`, options[name] ?? defaults[name], 1);
  }
  return resolved;
}

/** Makes of a schema what bodies are read with. Throws for a schema that is not usable. */
export type Compile<Compiled> = (schema: RegisteredSchema, id: string) => Compiled;

/** Says when a registry failed, in milliseconds of a clock that never goes back. */
const now = () => performance.now();

/**
 * What was compiled of a registry's schemas, by id. Callers that ask for one id at a time share the answer. A registry that fails, takes too
 * long or answers with what is not a schema makes bodies unavailable, and nothing of that is kept for longer than `failureTtlInMs`.
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

  /** What was compiled for an id, at once when it is known. Throws or rejects with `decodeFailure` or `unavailableFailure`. */
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

  /** What a registry said a moment ago, it is not asked again. */
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
      // A schema of another format is final; anything else may be an answer that somebody on the way made up.
      if (error instanceof WaybillError && error.code === "deserialization-failed") throw error;
      throw this.#failed(id, error, "answered with something that is not a usable schema");
    }
    keep(this.#known, id, compiled, this.#options.maxSchemas);
    return compiled;
  }

  #unknownId(id: string): WaybillError {
    return decodeFailure("schema-unknown", `${this.#source.name} has no schema of the id ${quoted(id, 64)}.`);
  }

  #failed(id: string, cause: unknown, what = "could not be asked"): WaybillError {
    const error = unavailableFailure(
      `${this.#source.name} ${what} for the schema id ${quoted(id, 64)}.`,
      cause,
    );
    const until = now() + this.#options.failureTtlInMs;
    keep(this.#failures, id, { until, error }, this.#options.maxSchemas);
    return error;
  }
}

/** Rejects when an answer takes too long, and tells who is asked to stop. */
export async function withTimeout<Value>(
  answer: PromiseLike<Value>,
  timeoutInMs: number,
  aborter: AbortController,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`No answer within ${timeoutInMs} ms.`));
      aborter.abort();
    }, timeoutInMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Also promises of other libraries, which are no instances of `Promise`. */
export function isPromiseLike<Value>(value: Awaitable<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === "function";
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  const oldest = map.size >= most ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
