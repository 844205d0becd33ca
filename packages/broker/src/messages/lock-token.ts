import { randomFillSync } from "node:crypto";
import { byteDigits } from "@waybill/foundation";

/** The content of a lock token: the message in its store, and the 64 random bits of its lock. */
export interface LockIdentity {
  readonly sequence: number;
  /** The two halves of the random bits, as signed integers of 32 bits. The first is never 0. */
  readonly serial: number;
  readonly secret: number;
}

const wordSize = 2 ** 32;
const poolWords = 1024;
const tokenForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Converts locks to UUIDs (formatted as version 4) and back, so that no table of tokens is needed. A token cannot be guessed from other
 * tokens: 64 of its bits are random.
 *
 * Layout: word 0 is the lower half of the sequence number; word 1 its next 16 bits, the version, its top 4 bits and the serial's top 2;
 * word 2 the variant and the serial's other 30 bits; word 3 the secret.
 */
export class LockTokens {
  readonly #pool = new Int32Array(poolWords);
  #used = poolWords;
  readonly #words = new Uint32Array(4);

  /** 32 random bits for a lock, as a signed integer; never 0. */
  next(): number {
    for (;;) {
      if (this.#used === poolWords) {
        randomFillSync(this.#pool);
        this.#used = 0;
      }
      const word = this.#pool[this.#used++] as number;
      if (word !== 0) return word;
    }
  }

  /** Formats a token in lower case. */
  format(identity: LockIdentity): string {
    const [word0 = 0, word1 = 0, word2 = 0, word3 = 0] = this.#write(identity);
    const text1 = hex(word1);
    const text2 = hex(word2);
    return `${hex(word0)}-${text1.slice(0, 4)}-${text1.slice(4)}-${text2.slice(0, 4)}-${text2.slice(4)}${hex(word3)}`;
  }

  /** Writes the 16 bytes of a token, in the order of its digits, into `target` from `start` on; returns `target`. */
  encode(identity: LockIdentity, target: Uint8Array = new Uint8Array(16), start = 0): Uint8Array {
    const words = this.#write(identity);
    for (let at = 0; at < 16; at++) target[start + at] = (words[at >> 2] as number) >>> (24 - 8 * (at & 3));
    return target;
  }

  /** Parses a token, ignoring case; undefined for text that is not a token of a broker. */
  parse(token: string): LockIdentity | undefined {
    if (!tokenForm.test(token)) return undefined;
    const digits = token.replaceAll("-", "");
    const word1 = Number.parseInt(digits.slice(8, 16), 16);
    const word2 = Number.parseInt(digits.slice(16, 24), 16);
    const high = (word1 >>> 16) | (((word1 >>> 8) & 0xf) << 16);
    return {
      sequence: high * wordSize + Number.parseInt(digits.slice(0, 8), 16),
      serial: ((word1 & 0x3) << 30) | (word2 & 0x3fffffff),
      secret: Number.parseInt(digits.slice(24), 16) | 0,
    };
  }

  /** The words of a token, in a shared array that the next call overwrites. */
  #write({ sequence, serial, secret }: LockIdentity): Uint32Array {
    const words = this.#words;
    const high = Math.floor(sequence / wordSize);
    words[0] = sequence % wordSize;
    words[1] = ((high & 0xffff) << 16) | 0x4000 | (((high >>> 16) & 0xf) << 8) | (serial >>> 30);
    words[2] = 0x80000000 | (serial & 0x3fffffff);
    words[3] = secret;
    return words;
  }
}

function hex(word: number): string {
  return `${byteDigits[word >>> 24]}${byteDigits[(word >>> 16) & 0xff]}${byteDigits[(word >>> 8) & 0xff]}${byteDigits[word & 0xff]}`;
}
