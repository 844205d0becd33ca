/** What happens to an undeserializable message of a session: it is dead-lettered, or blocks its session. */
export type UndeserializableAction = "deadLetter" | "block";

/** The action of sessions that name none. */
export const defaultUndeserializableAction: UndeserializableAction = "deadLetter";

/** The value, or the default. Throws `TypeError`. */
export function requireUndeserializableAction(
  value: UndeserializableAction = defaultUndeserializableAction,
): UndeserializableAction {
  if (value === "deadLetter" || value === "block") return value;
  throw new TypeError(
    `undeserializableAction must be "deadLetter" or "block", not ${JSON.stringify(value)}.`,
  );
}
