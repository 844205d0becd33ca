import { Token, Tokenizer, Type } from "cborg";
import { readArgument } from "./check-tag.js";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const INDEFINITE_LENGTH = 31;
const BREAK = 0xff;

/**
 * Reads strings that the library's own tokenizer does not read as they are: those that begin with U+FEFF, which it drops, and those that come
 * in pieces, as Java's Jackson writes long texts, which it refuses. The bytes must have been checked.
 */
export class CarefulTokenizer extends Tokenizer {
  override next(): Token {
    const head = this.data[this._pos] as number;
    const major = head >> 5;
    const isInPieces = (head & 0x1f) === INDEFINITE_LENGTH;
    if (major !== 3 && !(major === 2 && isInPieces)) return super.next();
    const start = this._pos;
    const content = isInPieces ? this.#pieces() : this.#piece();
    const isText = major === 3;
    return new Token(
      isText ? Type.string : Type.bytes,
      isText ? utf8.decode(content) : content,
      this._pos - start,
    );
  }

  #piece(): Uint8Array {
    const info = (this.data[this._pos] as number) & 0x1f;
    const width = info < 24 ? 0 : 1 << (info - 24);
    const size = width === 0 ? info : readArgument(this.data, this._pos + 1, width);
    const start = this._pos + 1 + width;
    this._pos = start + size;
    return this.data.subarray(start, this._pos);
  }

  #pieces(): Uint8Array {
    this._pos++;
    const pieces: Uint8Array[] = [];
    while (this.data[this._pos] !== BREAK) pieces.push(this.#piece());
    this._pos++;
    const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
    let length = 0;
    for (const piece of pieces) {
      whole.set(piece, length);
      length += piece.length;
    }
    return whole;
  }
}
