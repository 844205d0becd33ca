import { checkApplicationProperties } from "../messages/check-message.js";
import type { ApplicationProperties } from "../messages/message.js";
import { copyApplicationProperties } from "../messages/message-content.js";
import type { StoredMessage } from "../messages/stored-message.js";

/**
 * Checks the application properties that would result from a settlement's `propertiesToModify`. Throws like `checkApplicationProperties`.
 */
export function checkChanges(
  { content, propertyChanges }: StoredMessage,
  changes: ApplicationProperties | undefined,
  entity: string,
): void {
  if (changes === undefined) return;
  checkApplicationProperties({ ...content.applicationProperties, ...propertyChanges, ...changes }, entity);
}

/** Applies a settlement's changes to a message's application properties. */
export function changeProperties(message: StoredMessage, changes: ApplicationProperties | undefined): void {
  if (changes === undefined) return;
  message.store.changeProperties(message, {
    ...message.propertyChanges,
    ...copyApplicationProperties(changes),
  });
}
