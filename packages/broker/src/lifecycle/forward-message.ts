import type { Engine } from "../engine.js";
import type { ReceivingEntity } from "../entities/entity-registry.js";
import type { StoredMessage } from "../messages/stored-message.js";

export function forwardOnArrival(
  _engine: Engine,
  _from: ReceivingEntity,
  _message: StoredMessage,
  _nowMs: number,
): boolean {
  return false;
}

export function forwardDeadLetter(
  _engine: Engine,
  _from: ReceivingEntity,
  _message: StoredMessage,
  _nowMs: number,
): boolean {
  return false;
}
