import { WaybillError } from "@waybill/core";
import { type Awaitable, encodeFailure, quoted, unavailableFailure } from "@waybill/core/serializer";
import { withTimeout } from "../sources/cached-schemas.js";
import type { SchemaToWrite } from "../sources/schema-source.js";
import type { ResolvedRegistryOptions } from "./registry-options.js";

/** More schemas than any program uses to write. */
const maxIds = 1_000;

/**
 * Finds the ids of schemas to write: looked up, or registered, once for each schema and subject. Synchronously if an id is known. Rejects with
 * `encodeFailure` or `unavailableFailure`.
 */
export function writtenIds({
  source,
  writes,
  checkCompatibility,
  cache,
}: ResolvedRegistryOptions): (schema: SchemaToWrite) => Awaitable<string> {
  const ids = new Map<string, string>();
  const pending = new Map<string, Promise<string>>();

  async function ask(schema: SchemaToWrite): Promise<string> {
    if (checkCompatibility) await requireCompatible(schema);
    const method = writes === "register" ? source.register : source.findId;
    if (method === undefined)
      throw encodeFailure(
        `The schema ${quoted(schema.subject)} cannot be written: ${source.name} is read-only.`,
      );
    const id = await call(schema, (signal) => method.call(source, schema, signal));
    if (id !== undefined) return id;
    throw encodeFailure(
      `${source.name} does not have this version of the schema ${quoted(schema.subject)}. Register it, or set writes: "register".`,
    );
  }

  async function requireCompatible(schema: SchemaToWrite): Promise<void> {
    const { isCompatible } = source;
    if (isCompatible === undefined)
      throw encodeFailure(
        `${source.name} cannot check whether a schema is compatible; omit checkCompatibility.`,
      );
    if (await call(schema, (signal) => isCompatible.call(source, schema, signal))) return;
    throw encodeFailure(
      `${source.name} reports that the schema ${quoted(schema.subject)} is not compatible with the schemas of its subject.`,
    );
  }

  async function call<Answer>(
    { subject }: SchemaToWrite,
    make: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const aborter = new AbortController();
    try {
      return await withTimeout(make(aborter.signal), cache.timeoutInMs, aborter);
    } catch (error) {
      if (error instanceof WaybillError) throw error;
      throw unavailableFailure(
        `${source.name} could not be queried for the schema ${quoted(subject)}.`,
        error,
      );
    }
  }

  return (schema) => {
    const key = `${schema.subject}\n${schema.definition}`;
    const known = ids.get(key) ?? pending.get(key);
    if (known !== undefined) return known;
    const asked = ask(schema)
      .then((id) => {
        if (ids.size >= maxIds) ids.clear();
        ids.set(key, id);
        return id;
      })
      .finally(() => pending.delete(key));
    pending.set(key, asked);
    return asked;
  };
}
