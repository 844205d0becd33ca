import { asciiText } from "@waybill/core/serializer";
import { type DecodeOptions, Token, Tokenizer, Type } from "cborg";
import { readArgument, setTag, utf8 } from "./check-tag.js";
import { decimalTag, tagValues, toDecimal } from "./tag-values.js";

const indefiniteLength = 31;
const breakCode = 0xff;

/** Strings up to this length have their length in the first byte. */
const longestCompact = 23;
const textType = 3;
const bytesType = 2;
const tagType = 6;

/**
 * Reads strings exactly, short ones faster than the tokenizer of the library, and tags with their content. With `needsCare` it also reads strings that begin with U+FEFF, which the
 * library drops, and strings in chunks, which it refuses; Java's Jackson writes long strings in chunks. The bytes must have been checked.
 */
export class CarefulTokenizer extends Tokenizer {
  readonly #needsCare: boolean;

  constructor(bytes: Uint8Array, options: DecodeOptions, needsCare: boolean) {
    super(bytes, options);
    this.#needsCare = needsCare;
  }

  override next(): Token {
    const head = this.data[this._pos] as number;
    const major = head >> 5;
    const info = head & 0x1f;
    if (major === textType && info <= longestCompact) return this.#compact(info);
    if (major === tagType) return this.#tagged(info);
    const isInPieces = info === indefiniteLength;
    if (!this.#needsCare || (major !== textType && !(major === bytesType && isInPieces))) return super.next();
    const start = this._pos;
    const content = isInPieces ? this.#pieces() : this.#piece();
    const isText = major === textType;
    return new Token(
      isText ? Type.string : Type.bytes,
      isText ? utf8.decode(content) : content,
      this._pos - start,
    );
  }

  /** One token for a tag and its content: the library would call a function of its own for each. */
  #tagged(info: number): Token {
    const start = this._pos;
    const width = info < 24 ? 0 : 1 << (info - 24);
    const tag = width === 0 ? info : readArgument(this.data, start + 1, width);
    this._pos = start + 1 + width;
    if (tag === setTag) return this.next();
    return new Token(Type.string, tag === decimalTag ? this.#decimal() : tagValues[tag]?.(this.next().value));
  }

  #decimal(): string {
    // The head of an array of two.
    this._pos++;
    const exponent = this.next().value;
    return toDecimal(exponent, this.next().value);
  }

  #compact(length: number): Token {
    const start = this._pos + 1;
    const end = start + length;
    this._pos = end;
    const text = asciiText(this.data, start, end) ?? utf8.decode(this.data.subarray(start, end));
    return new Token(Type.string, text, length + 1);
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
    while (this.data[this._pos] !== breakCode) pieces.push(this.#piece());
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
