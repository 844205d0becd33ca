import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";

/**
 * What a step of the wall clock changes: schedules are instants, so they are due at another moment now. Everything else is armed for a time
 * from then, which goes on; of how long entities have been idle the wall clock's account is set right.
 */
export function onClockStep(engine: Engine, byMs: number): void {
  for (const entity of engine.entities.all()) {
    entity.accessedAtMs += byMs;
    if (entity.main.scheduledCount > 0) armSchedules(engine, entity.main);
  }
}

function armSchedules(engine: Engine, store: MessageStore): void {
  for (const message of store.index.from(0)) {
    const { scheduledEnqueueTimeMs } = message.content;
    const isArmed = message.state === "scheduled" && message.timerSlot >= 0;
    if (isArmed && scheduledEnqueueTimeMs !== undefined) engine.timers.arm(message, scheduledEnqueueTimeMs);
  }
}
