import type { Engine } from "../engine/engine.js";
import { TimerEntry } from "../timing/timing-wheel.js";
import type { Entity } from "./entity-registry.js";

/** Fires when an entity's idle time is over. */
export class IdleTimer extends TimerEntry {
  readonly #engine: Engine;
  readonly #entity: Entity;

  constructor(engine: Engine, entity: Entity) {
    super();
    this.#engine = engine;
    this.#entity = entity;
  }

  override onDue(nowMs: number): void {
    this.#engine.onIdleDue(this.#entity, nowMs);
  }
}
