import type { ApplicationProperties } from "../messages/message.js";
import { copyApplicationProperties } from "../messages/message-content.js";
import type { StoredMessage } from "../messages/stored-message.js";

/** Lays a settlement's properties to modify over a message's application properties. */
export function changeProperties(message: StoredMessage, changes: ApplicationProperties | undefined): void {
  if (changes === undefined) return;
  message.propertyChanges = { ...message.propertyChanges, ...copyApplicationProperties(changes) };
}
