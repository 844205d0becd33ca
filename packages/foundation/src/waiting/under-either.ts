import { nodeBuiltin } from "../platform/node-builtin.js";
import { onAbort } from "./abort-signals.js";

interface Events {
  setMaxListeners(count: number, ...targets: object[]): void;
}

const events = nodeBuiltin<Events>("node:events");

/**
 * Runs work under a signal that aborts when either of two does, and removes its listeners afterwards: each call of `AbortSignal.any` would
 * leave a reference on both signals permanently.
 */
export async function underEither<Result>(
  first: AbortSignal,
  second: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // Many calls may wait under one signal: from the eleventh on, the platform would warn of a leak.
  events?.setMaxListeners(0, first);
  if (second === undefined) return work(first);
  events?.setMaxListeners(0, second);
  const either = new AbortController();
  const abort = () => either.abort(first.aborted ? first.reason : second.reason);
  const stopFirst = onAbort(first, abort);
  const stopSecond = onAbort(second, abort);
  try {
    return await work(either.signal);
  } finally {
    stopFirst();
    stopSecond();
  }
}

/** A controller whose signal may have many listeners; Node.js warns from the eleventh on. */
export function controllerForMany(): AbortController {
  const controller = new AbortController();
  events?.setMaxListeners(0, controller.signal);
  return controller;
}
