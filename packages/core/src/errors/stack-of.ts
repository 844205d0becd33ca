const builtIns = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError] as const;

/** In front of the text in a stack stands the name of the error. */
const longestName = 64;

/** Frames beyond these are seldom the author's. */
const mostFrames = 10;

/**
 * An error of the same kind that shows where another was thrown, for the `cause` of a failure: its name and the frames of its stack, and not its
 * text, which may quote the payload. Undefined for what is no error.
 */
export function stackOf(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const Kind = builtIns.find((each) => error instanceof each) ?? Error;
  const shown = new Kind();
  shown.name = /^\w+$/.test(error.name) && error.name.length <= longestName ? error.name : "Error";
  shown.stack = [shown.name, ...framesOf(error)].join("\n");
  return shown;
}

/** A text may have lines that look like frames: they begin behind it, and where it does not stand in the stack, nothing is sure. */
function framesOf({ message, stack }: Error): string[] {
  if (typeof stack !== "string" || typeof message !== "string") return [];
  const start = stack.indexOf(message);
  if (start < 0 || start > longestName) return [];
  const frames = stack.slice(start + message.length).split("\n");
  return frames.filter((line) => /^\s+at \S/.test(line)).slice(0, mostFrames);
}
