/** The user asked for something that cannot be done; the text says what to do instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
