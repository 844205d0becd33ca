import { controllerForMany } from "../foundation/controller-for-many.js";
import { amqpError } from "../sdk/amqp-error.js";
import type { Abortable, AmqpConnection } from "./sdk-internals.js";

const ends = new WeakMap<object, AbortSignal>();

/** Aborts when the connection breaks, is closed or has ended. One listener for each event on the connection serves all. */
export function endOf({ _connection: inner }: AmqpConnection): AbortSignal {
  const known = ends.get(inner);
  if (known !== undefined) return known;
  const controller = controllerForMany();
  ends.set(inner, controller.signal);
  const end = () => {
    inner.off("disconnected", end);
    inner.off("connection_close", onClose);
    // It may be opened again.
    ends.delete(inner);
    controller.abort();
  };
  // Who is notified of the close itself comes first. Not every closed connection emits `disconnected`, too.
  const onClose = () => setImmediate(end);
  inner.on("disconnected", end);
  inner.on("connection_close", onClose);
  return controller.signal;
}

/** An error of AMQP, from which the SDK makes one of its own that may be tried again. */
export function connectionEnded(doing: string): Error {
  return amqpError({ condition: "amqp:connection:forced", description: `The connection ended ${doing}.` });
}

/**
 * Makes a call of the SDK that ends when one of the signals aborts, or its caller's, which need not be the platform's. When the caller did not
 * end it, it rejects with the end of the connection, of which `doing` says when it was.
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
