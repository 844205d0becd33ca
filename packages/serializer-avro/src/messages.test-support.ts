import type { Serializer } from "@waybill/core";
import type { DeserializeContext, MediaType, SerializeContext } from "@waybill/core/serializer";

/** The properties of a test's message. */
interface Setting {
  readonly messageType?: string;
  /** A schema id after `avro/binary+`. */
  readonly schemaId?: string;
  readonly isDeclared?: boolean;
  readonly maxDepth?: number;
  readonly maxItems?: number;
  readonly signal?: AbortSignal;
}

export function contextOf(setting: Setting = {}): SerializeContext & DeserializeContext {
  const mediaType: MediaType = {
    essence: setting.schemaId === undefined ? "application/avro" : "avro/binary",
    suffix: undefined,
    schemaId: setting.schemaId,
    parameters: new Map(),
  };
  return {
    messageType: setting.messageType,
    contentType: undefined,
    mediaType,
    applicationProperties: {},
    abortSignal: setting.signal,
    isDeclared: setting.isDeclared ?? true,
    maxDepth: setting.maxDepth ?? 128,
    maxItems: setting.maxItems ?? 1_000_000,
    maxItemsIn: () => setting.maxItems ?? 1_000_000,
  };
}

export function write(serializer: Serializer, value: unknown, setting?: Setting): Uint8Array {
  const body = serializer.serialize(value, contextOf(setting));
  if (body instanceof Promise) throw new TypeError("Avro writes without waiting.");
  return body.bytes;
}

export function read(serializer: Serializer, bytes: Uint8Array, setting?: Setting): unknown {
  return serializer.deserialize(bytes, contextOf(setting));
}

export function roundTrip(serializer: Serializer, value: unknown, setting?: Setting): unknown {
  return read(serializer, write(serializer, value, setting), setting);
}

/** A body with the header that `serializer` writes and the given payload. */
export function framed(serializer: Serializer, sample: unknown, payload: readonly number[]): Uint8Array {
  return Uint8Array.from([...write(serializer, sample).subarray(0, 10), ...payload]);
}

/** The error that a call throws. */
export function errorOf(call: () => unknown): Error & { readonly reason?: string; readonly code?: string } {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("Nothing was thrown.");
}
