/** What happens to an undeserializable message of a session: `"deadLetter"` dead-letters it, `"block"` stops the session at it. */
export type UndeserializableAction = "deadLetter" | "block";

export const defaultUndeserializableAction: UndeserializableAction = "deadLetter";

/** Checks the value and fills in the default. Throws `TypeError`. */
export function requireUndeserializableAction(
  value: UndeserializableAction = defaultUndeserializableAction,
): UndeserializableAction {
  if (value === "deadLetter" || value === "block") return value;
  throw new TypeError(
    `undeserializableAction must be "deadLetter" or "block", not ${JSON.stringify(value)}.`,
  );
}
