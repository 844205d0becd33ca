import { controllerForMany } from "@waybill/foundation";
import { amqpError } from "../sdk/amqp-error.js";
import type { Abortable, AmqpConnection } from "./sdk-internals.js";

const ends = new WeakMap<object, AbortSignal>();

/**
 * Aborts when the connection breaks, is closed or has ended. Uses one listener per event on the connection, however many callers there are.
 */
export function endOf({ _connection: inner }: AmqpConnection): AbortSignal {
  const known = ends.get(inner);
  if (known !== undefined) return known;
  const controller = controllerForMany();
  ends.set(inner, controller.signal);
  const end = () => {
    inner.off("disconnected", end);
    inner.off("connection_close", onClose);
    // The connection may be opened again.
    ends.delete(inner);
    controller.abort();
  };
  // Listeners of the close itself are notified first. Not every closed connection also emits `disconnected`.
  const onClose = () => setImmediate(end);
  inner.on("disconnected", end);
  inner.on("connection_close", onClose);
  return controller.signal;
}

/** An AMQP error that the SDK converts to a retryable error. */
export function connectionEnded(doing: string): Error {
  return amqpError({ condition: "amqp:connection:forced", description: `The connection ended ${doing}.` });
}

/**
 * Makes a call of the SDK that ends when one of `signals` or the caller's own signal aborts; the latter may be a polyfill. Unless the
 * caller aborted, it then rejects with a connection error; `doing` says during what the connection ended.
 */
export async function untilEnded<Result>(
  signals: readonly AbortSignal[],
  options: Abortable = {},
  doing: string,
  call: (options: Abortable) => Promise<Result>,
): Promise<Result> {
  const { abortSignal: caller } = options;
  const ending = new AbortController();
  const end = () => ending.abort();
  for (const signal of [...signals, caller]) signal?.addEventListener("abort", end);
  try {
    if (caller?.aborted) end();
    return await call({ ...options, abortSignal: ending.signal });
  } catch (error) {
    throw ending.signal.aborted && !caller?.aborted ? connectionEnded(doing) : error;
  } finally {
    for (const signal of [...signals, caller]) signal?.removeEventListener("abort", end);
  }
}
