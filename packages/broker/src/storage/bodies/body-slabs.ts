import { Buffer } from "node:buffer";
import { CopyPool } from "./copy-pool.js";

const slabBytes = 256 * 1024;
/** Larger bodies get their own slab. */
const maxSharedBytes = slabBytes / 4;
/** Bodies start at multiples of this, after a header of reference count and length. */
const unitBytes = 8;
const unitsPerSlab = slabBytes / unitBytes;
const headerBytes = 8;
/** Empty slabs kept for reuse, 16 MB: allocating new ones each time costs garbage collections and page clearing. */
const spareSlabs = 64;

interface Slab {
  readonly buffer: ArrayBuffer;
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
  /** Number of bodies still referenced. */
  live: number;
}

/**
 * Stores bodies in large chunks of memory: no object per body, about 12 bytes of overhead each. A slab is reused or freed after its last
 * body, so readers get copies.
 */
export class BodySlabs {
  readonly #slabs = new Map<number, Slab>();
  readonly #spare: Slab[] = [];
  readonly #copies = new CopyPool();
  #current: Slab | undefined;
  #currentNumber = 0;
  #lastNumber = 0;
  #nextUnit = 0;
  #memoryBytes = 0;

  /** The memory of all slabs, in bytes. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** The number of slabs. */
  get slabCount(): number {
    return this.#slabs.size;
  }

  put(bytes: Uint8Array): number {
    const { length } = bytes;
    if (length > maxSharedBytes) return this.#putAlone(bytes);
    const units = 1 + Math.ceil(length / unitBytes);
    let slab = this.#current;
    if (slab === undefined || this.#nextUnit + units > unitsPerSlab) slab = this.#openSlab();
    const unit = this.#nextUnit;
    this.#nextUnit += units;
    write(slab, unit, bytes);
    return this.#currentNumber * unitsPerSlab + unit;
  }

  read(id: number): Uint8Array {
    const unit = id % unitsPerSlab;
    const { buffer, words } = this.#slab(id);
    const start = unit * unitBytes + headerBytes;
    const length = words[unit * 2 + 1];
    return this.#copies.copy(new Uint8Array(buffer, start, length));
  }

  retain(id: number): void {
    countReferences(this.#slab(id), id, 1);
  }

  release(id: number): void {
    const slab = this.#slab(id);
    if (countReferences(slab, id, -1) !== 0) return;
    slab.live--;
    if (slab.live === 0 && slab !== this.#current) this.#retire(Math.floor(id / unitsPerSlab), slab);
  }

  #slab(id: number): Slab {
    const number = Math.floor(id / unitsPerSlab);
    // Most bodies are read and released soon after they were stored.
    const slab = number === this.#currentNumber ? this.#current : this.#slabs.get(number);
    if (slab === undefined) throw new RangeError(`There is no body ${id}`);
    return slab;
  }

  #openSlab(): Slab {
    if (this.#current?.live === 0) this.#retire(this.#currentNumber, this.#current);
    this.#currentNumber = ++this.#lastNumber;
    const slab = this.#add(this.#currentNumber, this.#spare.pop() ?? createSlab(slabBytes));
    this.#current = slab;
    this.#nextUnit = 0;
    return slab;
  }

  #putAlone(bytes: Uint8Array): number {
    const number = ++this.#lastNumber;
    const slab = createSlab(headerBytes + Math.ceil(bytes.length / unitBytes) * unitBytes);
    write(this.#add(number, slab), 0, bytes);
    return number * unitsPerSlab;
  }

  #add(number: number, slab: Slab): Slab {
    this.#slabs.set(number, slab);
    this.#memoryBytes += slab.bytes.byteLength;
    return slab;
  }

  #retire(number: number, slab: Slab): void {
    this.#slabs.delete(number);
    this.#memoryBytes -= slab.bytes.byteLength;
    if (slab.bytes.byteLength === slabBytes && this.#spare.length < spareSlabs) this.#spare.push(slab);
  }
}

function createSlab(byteLength: number): Slab {
  const buffer = Buffer.allocUnsafeSlow(byteLength).buffer as ArrayBuffer;
  return { buffer, bytes: new Uint8Array(buffer), words: new Uint32Array(buffer), live: 0 };
}

/** Changes a body's reference count, and returns the new one. */
function countReferences({ words }: Slab, id: number, difference: 1 | -1): number {
  const at = (id % unitsPerSlab) * 2;
  const count = (words[at] ?? 0) + difference;
  words[at] = count;
  return count;
}

function write(slab: Slab, unit: number, bytes: Uint8Array): void {
  slab.words[unit * 2] = 1;
  slab.words[unit * 2 + 1] = bytes.length;
  slab.bytes.set(bytes, unit * unitBytes + headerBytes);
  slab.live++;
}
