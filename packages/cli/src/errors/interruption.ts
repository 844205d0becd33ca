/** Ctrl-C ended a command before its end; the text says what was done and how to go on. */
export class Interruption extends Error {
  override readonly name = "Interruption";
}
