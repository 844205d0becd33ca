import { Token, Type } from "cborg";
import { CarefulTokenizer } from "./careful-tokenizer.js";
import { readArgument } from "./check-tag.js";
import { isRecordTag, Records } from "./records.js";

/** The tag by which the decoder gets all records, whatever their ids. */
export const recordTag = 0xdfff;

/** The first byte of a tag of 16 bits. */
const tag16 = 0xd9;

/** Also reads records: each as one tag before an array of its values. The bytes must have been checked. */
export class RecordTokenizer extends CarefulTokenizer {
  readonly #records = new Records();
  /** The token after the tag of a record. */
  #values: Token | undefined;
  /** The keys of the record whose tag was the last token. */
  keys: readonly string[] = [];

  /** The values of an empty record may follow the last byte. */
  override done(): boolean {
    return this.#values === undefined && super.done();
  }

  override next(): Token {
    const values = this.#values;
    if (values !== undefined) {
      this.#values = undefined;
      return values;
    }
    const tag = this.data[this._pos] === tag16 ? readArgument(this.data, this._pos + 1, 2) : 0;
    if (!isRecordTag(tag)) return super.next();
    const start = this._pos;
    const { keys, position } = this.#records.head(this.data, start + 3, tag, start);
    this._pos = position;
    this.keys = keys;
    this.#values = new Token(Type.array, keys.length, 0);
    return new Token(Type.tag, recordTag, position - start);
  }
}
