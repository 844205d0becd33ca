import { randomBytes } from "node:crypto";

/** What a lock token says: the store, the message in it, and which of its locks. */
export interface LockIdentity {
  readonly storeId: number;
  readonly sequence: number;
  readonly serial: number;
}

const WORD = 2 ** 32;
const TOKEN = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/**
 * Turns numeric lock identities into UUIDs (version 4 in form) and back, so that no table of tokens is needed. A random mask
 * keeps tokens of different brokers and of earlier runs apart.
 *
 * Layout before masking: word 0 is the low half of the sequence; word 1 its next 16 bits, version, its top 4 bits and the
 * store's low 8; word 2 variant, the store's next 20 bits and the serial's top 10; word 3 the serial's low half.
 */
export class LockTokens {
  readonly #mask: Uint32Array;
  readonly #words = new Uint32Array(4);
  #lastSerial = 0;

  constructor() {
    const mask = new Uint32Array(new Uint8Array(randomBytes(16)).buffer);
    mask[1] = mask[1]! & ~0xf000;
    mask[2] = mask[2]! & ~0xc0000000;
    this.#mask = mask;
  }

  /** A serial that no lock of this broker had before; never 0. */
  nextSerial(): number {
    this.#lastSerial += 1;
    return this.#lastSerial;
  }

  /** Writes a token in lower case. */
  format(identity: LockIdentity): string {
    const [word0, word1, word2, word3] = this.#write(identity);
    const text1 = hex(word1!);
    const text2 = hex(word2!);
    return `${hex(word0!)}-${text1.slice(0, 4)}-${text1.slice(4)}-${text2.slice(0, 4)}-${text2.slice(4)}${hex(word3!)}`;
  }

  /** The 16 bytes of a token, in the order of its digits. */
  encode(identity: LockIdentity): Uint8Array {
    const words = this.#write(identity);
    const bytes = new Uint8Array(16);
    for (let at = 0; at < 16; at++) bytes[at] = words[at >> 2]! >>> (24 - 8 * (at & 3));
    return bytes;
  }

  /** Reads a token in any letter case; undefined for text that no broker wrote. */
  parse(token: string): LockIdentity | undefined {
    if (!TOKEN.test(token)) return undefined;
    const digits = token.replaceAll("-", "");
    const mask = this.#mask;
    const word0 = (Number.parseInt(digits.slice(0, 8), 16) ^ mask[0]!) >>> 0;
    const word1 = (Number.parseInt(digits.slice(8, 16), 16) ^ mask[1]!) >>> 0;
    const word2 = (Number.parseInt(digits.slice(16, 24), 16) ^ mask[2]!) >>> 0;
    const word3 = (Number.parseInt(digits.slice(24), 16) ^ mask[3]!) >>> 0;
    const high = (word1 >>> 16) | (((word1 >>> 8) & 0xf) << 16);
    return {
      storeId: (word1 & 0xff) | (((word2 >>> 10) & 0xfffff) << 8),
      sequence: high * WORD + word0,
      serial: (word2 & 0x3ff) * WORD + word3,
    };
  }

  /** The words of a token, in an array that the next call fills again. */
  #write({ storeId, sequence, serial }: LockIdentity): Uint32Array {
    const words = this.#words;
    const mask = this.#mask;
    const high = Math.floor(sequence / WORD);
    words[0] = (sequence % WORD) ^ mask[0]!;
    words[1] =
      (((high & 0xffff) << 16) | 0x4000 | (((high >>> 16) & 0xf) << 8) | (storeId & 0xff)) ^ mask[1]!;
    words[2] =
      (0x80000000 | (((storeId >>> 8) & 0xfffff) << 10) | (Math.floor(serial / WORD) & 0x3ff)) ^ mask[2]!;
    words[3] = (serial % WORD) ^ mask[3]!;
    return words;
  }
}

function hex(word: number): string {
  return word.toString(16).padStart(8, "0");
}
