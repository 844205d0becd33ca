import { countComparisons } from "./rule-work.js";

/** The part of a pattern between two `%` signs. */
export interface Piece {
  readonly length: number;
  /** Whether it matches at this position. */
  matchesAt(text: string, at: number): boolean;
  /** The first position at or after `from` where the piece matches and ends at or before `end`; -1 if there is none. */
  find(text: string, from: number, end: number): number;
}

const wordBits = 32;

/**
 * Compiles a piece with wildcards (`undefined`). It uses one bit for each prefix that the text read so far ends with (Baeza-Yates and
 * Gonnet's shift-and), so a text is read once, 32 prefixes at a time, whatever it repeats.
 */
export function compileWildPiece(characters: readonly (string | undefined)[]): Piece {
  const { length } = characters;
  const masks = new Masks(characters);
  return {
    length,
    matchesAt(text, at) {
      for (let index = 0; index < length; index++) {
        const character = characters[index];
        if (character !== undefined && text[at + index] !== character) return false;
      }
      return true;
    },
    find: (text, from, end) => search(masks, length, text, from, end),
  };
}

/** For each character the positions in a piece where it may occur. */
class Masks {
  readonly wordCount: number;
  readonly #anywhere: Int32Array;
  readonly #byCode = new Map<number, Int32Array>();

  constructor(characters: readonly (string | undefined)[]) {
    this.wordCount = Math.ceil(characters.length / wordBits);
    this.#anywhere = new Int32Array(this.wordCount);
    for (const [index, character] of characters.entries())
      if (character === undefined) mark(this.#anywhere, index);
    for (const [index, character] of characters.entries()) {
      if (character !== undefined) mark(this.#own(character.charCodeAt(0)), index);
    }
  }

  of(code: number): Int32Array {
    return this.#byCode.get(code) ?? this.#anywhere;
  }

  #own(code: number): Int32Array {
    let mask = this.#byCode.get(code);
    if (mask === undefined) {
      countComparisons(this.wordCount);
      mask = this.#anywhere.slice();
      this.#byCode.set(code, mask);
    }
    return mask;
  }
}

function mark(words: Int32Array, index: number): void {
  const at = Math.floor(index / wordBits);
  words[at] = (words[at] as number) | (1 << (index % wordBits));
}

function search(masks: Masks, length: number, text: string, from: number, end: number): number {
  const { wordCount } = masks;
  const state = new Int32Array(wordCount);
  const accepted = 1 << ((length - 1) % wordBits);
  /** No word from this index on has a bit set. */
  let used = 0;
  let comparisons = 0;
  for (let at = from; at < end; at++) {
    const mask = masks.of(text.charCodeAt(at));
    let carry = 1;
    const reach = Math.min(used + 1, wordCount);
    used = 0;
    for (let word = 0; word < reach; word++) {
      const before = state[word] as number;
      const after = ((before << 1) | carry) & (mask[word] as number);
      carry = before >>> (wordBits - 1);
      state[word] = after;
      if (after !== 0) used = word + 1;
    }
    comparisons += reach;
    if (used === wordCount && ((state[wordCount - 1] as number) & accepted) !== 0) {
      countComparisons(comparisons);
      return at + 1 - length;
    }
    if ((at & 0xfff) === 0) {
      countComparisons(comparisons);
      comparisons = 0;
    }
  }
  countComparisons(comparisons);
  return -1;
}
