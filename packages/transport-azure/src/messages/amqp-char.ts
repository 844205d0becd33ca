/** A character that rhea read, which by itself returns only the number of its code point. */
export class AmqpChar {
  readonly codePoint: number;

  constructor(codePoint: number) {
    this.codePoint = codePoint;
  }

  /** The character; rhea calls it for the key of a map. */
  toString(): string {
    return this.codePoint <= 0x10ffff ? String.fromCodePoint(this.codePoint) : "\ufffd";
  }
}
