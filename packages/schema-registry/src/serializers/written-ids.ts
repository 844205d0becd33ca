import { WaybillError } from "@waybill/core";
import { type Awaitable, encodeFailure, quoted, unavailableFailure } from "@waybill/core/serializer";
import { withTimeout } from "../sources/cached-schemas.js";
import type { SchemaToWrite } from "../sources/schema-source.js";
import type { ResolvedRegistryOptions } from "./registry-options.js";

/** More schemas than any program uses to write. */
const maxIds = 1_000;

/** The ids of schemas to write: looked up, or registered, once for each schema and subject. */
export class WrittenIds {
  readonly #options: ResolvedRegistryOptions;
  readonly #ids = new Map<string, string>();
  readonly #pending = new Map<string, Promise<string>>();

  constructor(options: ResolvedRegistryOptions) {
    this.#options = options;
  }

  /** The id of a schema, synchronously if it is known. Rejects with `encodeFailure` or `unavailableFailure`. */
  get(schema: SchemaToWrite): Awaitable<string> {
    const key = `${schema.subject}\n${schema.definition}`;
    const known = this.#ids.get(key) ?? this.#pending.get(key);
    if (known !== undefined) return known;
    const asked = this.#ask(schema)
      .then((id) => {
        if (this.#ids.size >= maxIds) this.#ids.clear();
        this.#ids.set(key, id);
        return id;
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, asked);
    return asked;
  }

  async #ask(schema: SchemaToWrite): Promise<string> {
    const { source, writes, checkCompatibility } = this.#options;
    if (checkCompatibility) await this.#requireCompatible(schema);
    const method = writes === "register" ? source.register : source.findId;
    if (method === undefined)
      throw encodeFailure(
        `The schema ${quoted(schema.subject)} cannot be written: ${source.name} is read-only.`,
      );
    const id = await this.#call(schema, (signal) => method.call(source, schema, signal));
    if (id !== undefined) return id;
    throw encodeFailure(
      `${source.name} does not have this version of the schema ${quoted(schema.subject)}. Register it, or set writes: "register".`,
    );
  }

  async #requireCompatible(schema: SchemaToWrite): Promise<void> {
    const { source } = this.#options;
    const { isCompatible } = source;
    if (isCompatible === undefined)
      throw encodeFailure(
        `${source.name} cannot check whether a schema is compatible; omit checkCompatibility.`,
      );
    if (await this.#call(schema, (signal) => isCompatible.call(source, schema, signal))) return;
    throw encodeFailure(
      `${source.name} reports that the schema ${quoted(schema.subject)} is not compatible with the schemas of its subject.`,
    );
  }

  async #call<Answer>(
    schema: SchemaToWrite,
    call: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const aborter = new AbortController();
    try {
      return await withTimeout(call(aborter.signal), this.#options.cache.timeoutInMs, aborter);
    } catch (error) {
      if (error instanceof WaybillError) throw error;
      throw unavailableFailure(
        `${this.#options.source.name} could not be queried for the schema ${quoted(schema.subject)}.`,
        error,
      );
    }
  }
}
