import { WaybillError } from "@waybill/core";
import { decodeFailure, quoted, unavailableFailure } from "@waybill/core/serializer";
import { untilAborted } from "@waybill/foundation";
import { type CompiledSchema, type CompileSettings, compileSchema } from "./compiled-schema.js";
import { schemaUnknown } from "./message-schema.js";
import type { AvroSchema } from "./normalize-schema.js";

/**
 * Finds the schema of a registry id: the schema, or undefined if the registry has none. Throwing (or rejecting) means that the registry did not
 * respond; the message is then read again later.
 */
export type SchemaById = (id: string) => AvroSchema | undefined | Promise<AvroSchema | undefined>;

/** The schema of an id, synchronously if it is cached. */
export type SchemaSource = (
  id: string,
  signal: AbortSignal | undefined,
) => CompiledSchema | Promise<CompiledSchema>;

/** Maximum number of cached schemas; the oldest is evicted. The schema of an id never changes. */
const schemasLimit = 1_000;

/** Adds a cache of compiled schemas to a lookup; concurrent requests for one id share the result. */
export function schemaSource(find: SchemaById, settings: CompileSettings): SchemaSource {
  const known = new Map<string, CompiledSchema>();
  const pending = new Map<string, Promise<CompiledSchema>>();

  function remember(id: string, schema: AvroSchema | undefined): CompiledSchema {
    if (schema === undefined) throw schemaUnknown(describeId(id));
    const compiled = compileFetched(id, schema, settings);
    const oldest = known.size >= schemasLimit ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(id, compiled);
    return compiled;
  }

  function ask(id: string): CompiledSchema | Promise<CompiledSchema> {
    let answer: ReturnType<SchemaById>;
    try {
      answer = find(id);
    } catch (error) {
      throw lookupFailure(id, error);
    }
    if (!isPromiseLike(answer)) return remember(id, answer);
    const promise = Promise.resolve(answer)
      .catch((error: unknown) => {
        throw lookupFailure(id, error);
      })
      .then((schema) => remember(id, schema))
      .finally(() => pending.delete(id));
    pending.set(id, promise);
    return promise;
  }

  return (id, signal) => {
    const found = known.get(id) ?? pending.get(id) ?? ask(id);
    if (!(found instanceof Promise)) return found;
    // The lookup itself continues: other callers may be waiting for it.
    return untilAborted(found, signal, () => {
      return new WaybillError("aborted", "The operation was aborted.", { cause: signal?.reason });
    });
  };
}

// Promises of other libraries are not instances of `Promise`.
function isPromiseLike(answer: ReturnType<SchemaById>): answer is Promise<AvroSchema | undefined> {
  return typeof (answer as { readonly then?: unknown } | undefined)?.then === "function";
}

/** A registry id as errors name it. */
export function describeId(id: string): string {
  return `the schema id ${quoted(id, 64)}`;
}

function compileFetched(id: string, schema: AvroSchema, settings: CompileSettings): CompiledSchema {
  try {
    return compileSchema(schema, settings);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw decodeFailure(
      "schema-unknown",
      `The schema source returned an unusable schema for ${describeId(id)}: ${text}`,
      error,
    );
  }
}

function lookupFailure(id: string, error: unknown): WaybillError {
  if (error instanceof WaybillError) return error;
  return unavailableFailure(`The schema source failed to look up ${describeId(id)}.`, error);
}
