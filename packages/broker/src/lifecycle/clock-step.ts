import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";

/**
 * Adjusts to a step of the wall clock: scheduled times are wall-clock times, so their timers are armed again. All other timers run in
 * steady time. The last use of entities, kept in wall-clock time, is corrected.
 */
export function onClockStep(engine: Engine, byMs: number): void {
  for (const entity of engine.entities.all()) {
    entity.accessedAtMs += byMs;
    if (entity.main.scheduledCount > 0) armSchedules(entity.main);
  }
}

function armSchedules(store: MessageStore): void {
  for (const message of store.index.read(0)) {
    const { scheduledEnqueueTimeMs } = message.content;
    const isArmed = message.state === "scheduled" && message.dueMs !== undefined;
    if (isArmed && scheduledEnqueueTimeMs !== undefined) message.arm(scheduledEnqueueTimeMs);
  }
}
