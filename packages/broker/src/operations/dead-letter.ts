import type { Engine } from "../engine/engine.js";
import { refusal } from "../errors/broker-error.js";
import { deadLetterMessage } from "../lifecycle/dead-letter-message.js";
import type { ApplicationProperties } from "../messages/message.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Why a message is dead-lettered. */
export interface DeadLetterOptions {
  /** At most 4096 characters; readable as the application property `DeadLetterReason`. Default: none. */
  readonly reason?: string | undefined;
  /** At most 4096 characters; readable as the application property `DeadLetterErrorDescription`. Default: none. */
  readonly description?: string | undefined;
  /** Application properties to add or overwrite, or to remove by `undefined`. Default: none. */
  readonly propertiesToModify?: ApplicationProperties | undefined;
}

const textLimit = 4096;

/** Checks a dead-letter request; throws `argument-error`, or `not-allowed` inside a dead-letter queue. */
export function checkDeadLetter(message: StoredMessage, { reason, description }: DeadLetterOptions): void {
  const { path, kind } = message.store;
  if (kind !== "main") {
    throw refusal(path, "not-allowed", `A message in '${path}' is already dead-lettered.`);
  }
  for (const [name, text] of Object.entries({ reason, description })) {
    if (text !== undefined && text.length > textLimit) {
      const text = `Cannot dead-letter message ${message.sequence} of '${path}': the ${name} is longer than ${textLimit} characters.`;
      throw refusal(path, "argument-error", text);
    }
  }
}

/** Moves a locked message to the dead-letter queue. */
export function deadLetter(
  engine: Engine,
  message: StoredMessage,
  { reason, description }: DeadLetterOptions,
  nowMs: number,
): void {
  const record: Record<string, string> = {};
  if (reason !== undefined) record.DeadLetterReason = reason;
  if (description !== undefined) record.DeadLetterErrorDescription = description;
  deadLetterMessage(engine, message, record, nowMs);
}
