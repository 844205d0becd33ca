/** Ctrl-C interrupted a command; the text says what was done and how to continue. */
export class Interruption extends Error {
  override readonly name = "Interruption";
}
