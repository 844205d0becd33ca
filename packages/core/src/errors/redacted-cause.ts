const builtIns = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError] as const;

/** Longest error name expected before the message in `stack`. */
const maxNameLength = 64;

/** Later frames are seldom in the author's code. */
const maxFrames = 10;

/**
 * A copy of an error for the `cause` of a failure: with its class, its name and the frames of its stack, but not its message, which may
 * quote the payload. Undefined for values that are not errors.
 */
export function redactedCause(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const Kind = builtIns.find((each) => error instanceof each) ?? Error;
  const shown = new Kind();
  shown.name = /^\w+$/.test(error.name) && error.name.length <= maxNameLength ? error.name : "Error";
  shown.stack = [shown.name, ...framesOf(error)].join("\n");
  return shown;
}

/**
 * The message may contain lines that look like frames, so frames are read only after it; if the stack does not contain the message, none
 * are returned.
 */
function framesOf({ message, stack }: Error): string[] {
  if (typeof stack !== "string" || typeof message !== "string") return [];
  const start = stack.indexOf(message);
  if (start < 0 || start > maxNameLength) return [];
  const frames = stack.slice(start + message.length).split("\n");
  return frames.filter((line) => /^\s+at \S/.test(line)).slice(0, maxFrames);
}
