/** One failed attempt to read a body, with the place where it failed. */
export interface AttemptView {
  readonly serializer: string | undefined;
  readonly position: number;
  readonly stage: string;
  readonly reason: string;
  readonly detail: string;
  /** The byte at which it failed, where the attempt names one. */
  readonly offset: number | undefined;
}

/** What every serializer of ours writes where it knows the place. */
const offsetPattern = /\boffset (\d{1,15})\b/;

/** Shows an attempt of a report or of a dead-letter record. */
export function attemptView(attempt: Omit<AttemptView, "offset">): AttemptView {
  const { serializer, position, stage, reason, detail } = attempt;
  return { serializer, position, stage, reason, detail, offset: offsetIn(detail) };
}

function offsetIn(detail: string): number | undefined {
  const digits = offsetPattern.exec(detail)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
