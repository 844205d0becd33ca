/** One failed attempt to read a body, with the place where it failed. */
export interface AttemptView {
  readonly serializer: string | undefined;
  readonly position: number;
  readonly stage: string;
  readonly reason: string;
  readonly detail: string;
  /** The byte at which it failed, if the attempt names one. */
  readonly offset: number | undefined;
}

/** How our serializers name the position: a byte, or a character of a text. */
const offsetPattern = /\b(offset|character) (\d{1,15})\b/;

/** An attempt of a report or of a dead-letter record. `body`, if available, is used to convert characters to bytes. */
export function attemptView(attempt: Omit<AttemptView, "offset">, body?: Uint8Array): AttemptView {
  const { serializer, position, stage, reason, detail } = attempt;
  return { serializer, position, stage, reason, detail, offset: offsetIn(detail, body) };
}

function offsetIn(detail: string, body: Uint8Array | undefined): number | undefined {
  const [, unit, digits] = offsetPattern.exec(detail) ?? [];
  if (digits === undefined) return undefined;
  return unit === "offset" ? Number(digits) : body && byteOf(body, Number(digits));
}

/** The byte at which a character of a UTF-8 text begins; a byte order mark does not count as a character. */
function byteOf(body: Uint8Array, character: number): number {
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return Buffer.byteLength(new TextDecoder().decode(body).slice(0, character)) + (hasMark ? 3 : 0);
}
