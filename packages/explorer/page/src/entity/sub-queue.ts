/** The end of the path of a dead-letter queue. */
export const subQueuePattern = /\/\$(?:Transfer\/\$)?DeadLetterQueue$/i;
