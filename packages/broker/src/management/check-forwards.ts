import type { Engine } from "../engine/engine.js";
import { entityKey } from "../entities/entity-path.js";

interface Forwarding {
  readonly autoDeleteOnIdleMs: number;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
}

/**
 * Checks an entity's forwarding targets and returns its properties: an entity that forwards is never deleted when idle. Throws
 * `entity-not-found` for a missing target, `not-allowed` for one that cannot receive. An entity may forward to itself, which ends after as
 * many hops as every chain. Source: "Chaining Service Bus entities with autoforwarding".
 */
export function checkForwards<Options extends Forwarding>(
  engine: Engine,
  path: string,
  options: Options,
): Options {
  const { forwardTo, forwardDeadLetteredMessagesTo } = options;
  checkTarget(engine, path, forwardTo);
  checkTarget(engine, path, forwardDeadLetteredMessagesTo);
  if (forwardTo === undefined) return options;
  return { ...options, autoDeleteOnIdleMs: Number.POSITIVE_INFINITY };
}

function checkTarget(engine: Engine, path: string, target: string | undefined): void {
  if (target === undefined || entityKey(target) === entityKey(path)) return;
  engine.entities.sendTarget(target);
}
