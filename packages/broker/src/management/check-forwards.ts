import type { Engine } from "../engine/engine.js";
import { entityKey } from "../entities/entity-path.js";
import { refusal } from "../errors/broker-error.js";

interface Forwarding {
  readonly requiresSession: boolean;
  readonly autoDeleteOnIdleMs: number;
  readonly forwardTo: string | undefined;
  readonly forwardDeadLetteredMessagesTo: string | undefined;
}

/**
 * Checks an entity's forwarding targets and returns its properties: an entity that forwards is never deleted when idle. Throws
 * `entity-not-found` for a missing target, `not-allowed` for one that cannot receive. Source: "Chaining Service Bus entities with
 * autoforwarding".
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
  if (options.requiresSession) {
    throw refusal(path, "not-allowed", `'${path}' cannot forward: it requires sessions.`);
  }
  return { ...options, autoDeleteOnIdleMs: Number.POSITIVE_INFINITY };
}

function checkTarget(engine: Engine, path: string, target: string | undefined): void {
  if (target === undefined) return;
  if (entityKey(target) === entityKey(path)) {
    throw refusal(path, "not-allowed", `'${path}' cannot forward to itself.`);
  }
  engine.entities.sendTarget(target);
}
