import { CopyPool } from "@waybill/broker/storage";
import { ChunkPool } from "../records/chunk-pool.js";
import { RecordWriter } from "../records/record-writer.js";
import { BYTES_PER_PACKED_BODY, bodiesIn, MOST_BODIES_IN_PACK, type PackedBodies } from "./pack-codec.js";

/** Where packs lie. */
export interface PackStore {
  /** The bodies of a pack that is on the disk. */
  read(packId: number): PackedBodies;
  /** Adds a pack that holds bodies of these lengths, which follow one another. */
  add(packId: number, bodies: Uint8Array, lengths: readonly number[]): void;
  /** Puts another pack in the place of one. */
  replace(packId: number, bodies: PackedBodies): void;
  remove(packId: number): void;
}

/** Packs grow to this size; a larger body has one of its own. With what the store adds it is eight pages. */
const PACK_BYTES = 32 * 1024 - 64;
/** Packs that were read last and are kept: neighbouring messages lie in one. */
const CACHED_PACKS = 16;
/** So many bytes of bodies that are gone may lie in packs, and as many as there are of living ones. */
const SPARE_BYTES = 8 * 1024 * 1024;
/** Most packs that are packed again at once, so that no write takes long. */
const REPACKED_AT_ONCE = 16;

/** A pack as a load finds it. */
export interface FoundPack {
  /** The length of each body, -1 where there is none. */
  readonly lengths: number[];
  /** How many messages name each body. */
  readonly references: number[];
}

/** A pack that the disk does not show yet. */
interface Draft {
  /** Bodies, one after another; absent while they are still gathered. */
  bytes: Uint8Array | undefined;
  readonly lengths: readonly number[];
}

/** What is known of a pack. One that is not known is on the disk and holds one body with one reference. */
interface Pack {
  readonly lengths: number[];
  readonly references: number[];
  /** Bodies that are referenced, and their bytes. */
  live: number;
  liveBytes: number;
  /** Bytes of all bodies that the pack on the disk holds. */
  storedBytes: number;
}

/**
 * Bodies on the disk, many in one record: that takes less time and space than a record each. A pack is written once, with the group in
 * which its bodies came, and goes with its last body. One in which few are left is packed again before too many are.
 */
export class BodyPacks {
  readonly #store: PackStore;
  readonly #packs = new Map<number, Pack>();
  /** Packs that no group holds yet. Bodies that are released meanwhile are never written. */
  #fresh = new Map<number, Draft>();
  /** Packs in the group that is on its way to the disk, where reads do not see them yet. */
  #written = new Map<number, Draft>();
  readonly #cached = new Map<number, PackedBodies>();
  /** Packs of which less than half is left. */
  readonly #sparse = new Set<number>();
  readonly #copies = new CopyPool();
  /** Gathers the bodies of the pack that is being filled. */
  readonly #chunks = new ChunkPool();
  readonly #gathered = new RecordWriter(this.#chunks);
  /** The pack that is being filled. */
  #open: Pack | undefined;
  #openBytes = 0;
  #lastPackId = 0;
  #liveBytes = 0;
  #storedBytes = 0;

  constructor(store: PackStore) {
    this.#store = store;
  }

  /** Whether there are bodies that no group holds yet. */
  get hasFresh(): boolean {
    return this.#fresh.size > 0;
  }

  /** Keeps bytes, copied during the call; returns their id. */
  put(bytes: Uint8Array): number {
    const size = bytes.byteLength + BYTES_PER_PACKED_BODY;
    let pack = this.#open;
    if (
      pack === undefined ||
      this.#openBytes + size > PACK_BYTES ||
      pack.lengths.length === MOST_BODIES_IN_PACK
    ) {
      pack = this.#openPack();
    }
    this.#openBytes += size;
    this.#gathered.bytes(bytes);
    pack.references.push(1);
    pack.live++;
    pack.liveBytes += bytes.byteLength;
    return this.#lastPackId * MOST_BODIES_IN_PACK + pack.lengths.push(bytes.byteLength) - 1;
  }

  /** A copy of a body that belongs to the caller. */
  read(bodyId: number): Uint8Array {
    const body = this.#find(Math.floor(bodyId / MOST_BODIES_IN_PACK), bodyId % MOST_BODIES_IN_PACK);
    if (body === undefined) throw new RangeError(`There is no body ${bodyId}`);
    return this.#copies.copy(body);
  }

  retain(bodyId: number): void {
    const packId = Math.floor(bodyId / MOST_BODIES_IN_PACK);
    const index = bodyId % MOST_BODIES_IN_PACK;
    let pack = this.#packs.get(packId);
    if (pack === undefined) {
      // Its length counts for nothing: with its only body, the pack goes too.
      pack = newPack();
      pack.lengths[index] = 0;
      pack.references[index] = 1;
      pack.live = 1;
      this.#packs.set(packId, pack);
    }
    pack.references[index] = (pack.references[index] ?? 0) + 1;
  }

  release(bodyId: number): void {
    const packId = Math.floor(bodyId / MOST_BODIES_IN_PACK);
    const pack = this.#packs.get(packId);
    if (pack === undefined) this.#drop(packId);
    else {
      const index = bodyId % MOST_BODIES_IN_PACK;
      const left = (pack.references[index] ?? 0) - 1;
      pack.references[index] = left;
      if (left === 0) this.#forget(packId, pack, pack.lengths[index] ?? 0);
    }
  }

  /** Gives the store all packs that no group holds yet, and some of those in which little is left. */
  write(): void {
    this.#closePack();
    this.#chunks.onWrite();
    for (const [id, { bytes, lengths }] of this.#fresh) {
      const pack = this.#packs.get(id);
      if (pack === undefined || bytes === undefined) throw unfinished(id);
      if (pack.live === lengths.length) this.#store.add(id, bytes, lengths);
      else this.#store.replace(id, living(pack, bodiesIn(bytes, lengths)));
      pack.storedBytes = pack.liveBytes;
      this.#keep(id, pack);
    }
    const emptied = this.#written;
    this.#written = this.#fresh;
    this.#fresh = emptied;
    for (let i = 0; i < REPACKED_AT_ONCE && this.#isWasteful(); i++) this.#repackOne();
  }

  /** What was written is on the disk. */
  onDurable(): void {
    this.#written.clear();
    this.#chunks.onDurable();
  }

  /** Enters a pack of the disk. One of which no message names a body is removed. */
  restore(packId: number, { lengths, references }: FoundPack): void {
    this.#lastPackId = Math.max(this.#lastPackId, packId);
    const pack: Pack = { lengths, references, live: 0, liveBytes: 0, storedBytes: 0 };
    for (const [index, found] of lengths.entries()) {
      const length = Math.max(0, found);
      pack.storedBytes += length;
      if (references[index] === 0) continue;
      pack.live++;
      pack.liveBytes += length;
    }
    if (pack.live === 0) this.#drop(packId);
    else this.#keep(packId, pack);
  }

  #openPack(): Pack {
    this.#closePack();
    const pack = newPack();
    this.#open = pack;
    this.#openBytes = 0;
    this.#lastPackId++;
    this.#packs.set(this.#lastPackId, pack);
    this.#fresh.set(this.#lastPackId, { bytes: undefined, lengths: pack.lengths });
    return pack;
  }

  #closePack(): void {
    if (this.#open === undefined) return;
    this.#open = undefined;
    const bytes = this.#gathered.finish();
    const draft = this.#fresh.get(this.#lastPackId);
    if (draft !== undefined) draft.bytes = bytes;
  }

  #find(packId: number, index: number): Uint8Array | undefined {
    const draft = this.#fresh.get(packId) ?? this.#written.get(packId);
    if (draft === undefined) return this.#load(packId)[index];
    const { bytes = this.#gathered.begun, lengths } = draft;
    const length = lengths[index];
    if (length === undefined) return undefined;
    let start = 0;
    for (let i = 0; i < index; i++) start += lengths[i] ?? 0;
    return bytes.subarray(start, start + length);
  }

  #load(packId: number): PackedBodies {
    const cached = this.#cached.get(packId);
    if (cached !== undefined) return cached;
    const bodies = this.#store.read(packId);
    if (this.#cached.size === CACHED_PACKS) {
      const oldest = this.#cached.keys().next().value;
      if (oldest !== undefined) this.#cached.delete(oldest);
    }
    this.#cached.set(packId, bodies);
    return bodies;
  }

  /** The bodies of a pack that is on the disk, or on its way there. */
  #bodiesOf(packId: number): PackedBodies {
    const draft = this.#written.get(packId);
    if (draft === undefined) return this.#load(packId);
    if (draft.bytes === undefined) throw unfinished(packId);
    return bodiesIn(draft.bytes, draft.lengths);
  }

  #forget(packId: number, pack: Pack, length: number): void {
    pack.live--;
    pack.liveBytes -= length;
    if (pack.storedBytes > 0) this.#liveBytes -= length;
    if (pack.live > 0) {
      if (pack.liveBytes * 2 < pack.storedBytes) this.#sparse.add(packId);
      return;
    }
    this.#storedBytes -= pack.storedBytes;
    this.#packs.delete(packId);
    this.#sparse.delete(packId);
    this.#drop(packId);
  }

  #drop(packId: number): void {
    this.#cached.delete(packId);
    if (this.#fresh.delete(packId)) {
      if (packId === this.#lastPackId) this.#closePack();
    } else this.#store.remove(packId);
  }

  #keep(packId: number, pack: Pack): void {
    if (pack.live === 1 && Math.max(...pack.references) === 1) {
      this.#packs.delete(packId);
      return;
    }
    this.#packs.set(packId, pack);
    this.#liveBytes += pack.liveBytes;
    this.#storedBytes += pack.storedBytes;
    if (pack.liveBytes * 2 < pack.storedBytes) this.#sparse.add(packId);
  }

  #isWasteful(): boolean {
    return this.#sparse.size > 0 && this.#storedBytes - this.#liveBytes > this.#liveBytes + SPARE_BYTES;
  }

  #repackOne(): void {
    const [packId] = this.#sparse;
    if (packId === undefined) return;
    const pack = this.#packs.get(packId);
    if (pack === undefined) throw unfinished(packId);
    const bodies = this.#bodiesOf(packId);
    this.#store.replace(packId, living(pack, bodies));
    this.#sparse.delete(packId);
    this.#liveBytes -= pack.liveBytes;
    this.#storedBytes -= pack.storedBytes;
    pack.storedBytes = pack.liveBytes;
    this.#keep(packId, pack);
  }
}

/** A group goes to the disk only after its last pack was closed. */
function unfinished(packId: number): Error {
  return new Error(`Pack ${packId} is to be written, and is not known or not closed.`);
}

function newPack(): Pack {
  return { lengths: [], references: [], live: 0, liveBytes: 0, storedBytes: 0 };
}

/** The bodies that are left of a pack. */
function living({ references }: Pack, bodies: PackedBodies): PackedBodies {
  return bodies.map((body, index) => ((references[index] ?? 0) > 0 ? body : undefined));
}
