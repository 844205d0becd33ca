import { isPromise } from "@waybill/foundation";
import type { Awaitable } from "../contracts/serializer.js";
import { hasCode, type WaybillError } from "../errors/error.js";
import { upcastFailure } from "../errors/failure.js";
import { redactedCause } from "../errors/redacted-cause.js";
import { toFailure } from "../errors/to-failure.js";
import { cast } from "./cast.js";
import type { ConverterContext } from "./message-type.js";
import type { KnownVersion } from "./message-type-registry.js";

/** The context of upcasting a body. */
export interface UpcastContext extends ConverterContext {
  /** The serializer that read the body; undefined if none was needed. */
  readonly serializer: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Upcasts a body to the current version and validates it against that version's schema, because an upcaster may be wrong. Throws or rejects
 * with the failure to report.
 */
export function upcastBody(body: unknown, known: KnownVersion, context: UpcastContext): Awaitable<unknown> {
  const { serializer, timeoutMs } = context;
  // A message without a body has none in any version; the current schema decides whether that is valid.
  if (body === undefined) return checkedEmpty(known);
  const upcast = cast(body, known.version.upcasts, context, timeoutMs, upcastError);
  return isPromise(upcast)
    ? upcast.then((value) => checked(value, known, serializer))
    : checked(upcast, known, serializer);
}

function checkedEmpty({ type }: KnownVersion): undefined {
  const result = type.versions.at(-1)?.check?.(undefined);
  if (result !== undefined && !result.isValid) {
    throw upcastFailure(
      "upcast-invalid",
      `Without a body the message does not fit version ${type.version}: ${result.text}`,
    );
  }
}

function checked(body: unknown, known: KnownVersion, serializer: string | undefined): unknown {
  const check = known.checkUpcast(serializer);
  if (check === undefined) return body;
  const result = check(body);
  if (result.isValid) return result.value;
  const { version } = known.type;
  throw upcastFailure(
    "upcast-invalid",
    `Upcast to version ${version}, the body does not fit: ${result.text}`,
  );
}

/** An upcaster may report `unavailable`; of any other error only the stack is kept. */
function upcastError(text: string, error: unknown): WaybillError {
  if (hasCode(error, "unavailable")) return toFailure(error);
  return upcastFailure("upcast-failed", text, redactedCause(error));
}
