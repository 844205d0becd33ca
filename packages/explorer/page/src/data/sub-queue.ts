/** The end of the path of a dead-letter queue. */
export const subQueuePattern = /\/\$(?:Transfer\/\$)?DeadLetterQueue$/i;

/** The queue or topic to which one sends to reach an entity: not a sub-queue, nor a subscription. */
export function sendTarget(path: string): string {
  return path.replace(subQueuePattern, "").replace(/\/subscriptions\/.*$/i, "");
}
