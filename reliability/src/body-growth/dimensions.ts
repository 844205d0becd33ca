import { WaybillError } from "@waybill/core";
import { type DeserializeContext, parseMediaType } from "@waybill/core/serializer";
import { allBodies } from "../growing-bodies/all-bodies.js";
import type { GrowingBody } from "../growing-bodies/growing-body.js";
import { type GrowingMessage, growingMessages, pipelineOf } from "../growing-bodies/growing-messages.js";
import { type GrowingSchema, growingSchemas } from "../growing-bodies/growing-schemas.js";
import { type GrowingValue, growingValues } from "../growing-bodies/growing-values.js";

/** Something that grows, and the work that it makes in a size of about as many bytes. */
export interface Dimension {
  readonly ofSize: (bytes: number) => Sized;
  /** Whether a mebibyte has to take less than the bar. Schemas are compiled once, so only their growth counts. */
  readonly hasBar: boolean;
}

/** Work of one size. */
export interface Sized {
  readonly bytes: number;
  readonly work: () => unknown;
  /** The same work by the library beneath alone, where that takes long; undefined elsewhere. */
  readonly bare?: (() => unknown) | undefined;
}

/** What is read, what is written, and what is compiled. */
export const dimensions: ReadonlyMap<string, Dimension> = new Map([
  ...[...allBodies].map(([name, body]) => [name, reading(body)] as const),
  ...[...growingMessages].map(([name, message]) => [name, messageOf(message)] as const),
  ...[...growingValues].map(([name, value]) => [name, writing(value)] as const),
  ...[...growingSchemas].map(([name, schema]) => [name, compiling(schema)] as const),
]);

function reading(body: GrowingBody): Dimension {
  const { deserialize } = body.serializer();
  const context = contextOf(body.contentType);
  return {
    hasBar: true,
    ofSize: (size) => {
      const bytes = new Uint8Array(body.make(size));
      return {
        bytes: bytes.length,
        work: () => refusable(() => deserialize(bytes, context)),
        bare: body.bare && (() => body.bare?.(bytes)),
      };
    },
  };
}

function messageOf(growing: GrowingMessage): Dimension {
  const pipeline = pipelineOf(growing);
  return {
    hasBar: true,
    ofSize: (size) => {
      const message = growing.make(size);
      return { bytes: size, work: () => pipeline.deserialize(message) };
    },
  };
}

function writing({ serializer, make }: GrowingValue): Dimension {
  const { serialize } = serializer();
  const context = { ...contextOf(undefined), maxItemsIn: () => Number.MAX_SAFE_INTEGER };
  return {
    hasBar: true,
    ofSize: (size) => {
      const value = make(size);
      const written = serialize(value, context) as { readonly bytes: Uint8Array };
      return { bytes: written.bytes.length, work: () => serialize(value, context) };
    },
  };
}

function compiling({ make, compile }: GrowingSchema): Dimension {
  return {
    hasBar: false,
    ofSize: (size) => {
      const schema = make(size);
      return { bytes: JSON.stringify(schema).length, work: () => compile(schema as never) };
    },
  };
}

/** A value and a refusal both take time; only another error is a fault. */
function refusable(deserialize: () => unknown): void {
  try {
    deserialize();
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
  }
}

/** Without a limit on items, which would hide how the time grows beyond it. */
function contextOf(contentType: string | undefined): DeserializeContext {
  return {
    contentType,
    mediaType: contentType === undefined ? undefined : parseMediaType(contentType),
    messageType: undefined,
    applicationProperties: {},
    abortSignal: undefined,
    isDeclared: true,
    maxDepth: 128,
    maxItems: Number.MAX_SAFE_INTEGER,
  };
}
