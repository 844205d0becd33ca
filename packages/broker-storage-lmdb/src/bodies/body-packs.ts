import { CopyPool } from "@waybill/broker/storage";
import { ChunkPool } from "../records/chunk-pool.js";
import { RecordWriter } from "../records/record-writer.js";
import { bodiesIn, bytesPerPackedBody, maxBodiesInPack, type PackedBodies } from "./pack-codec.js";

/** Where packs are stored. */
export interface PackStore {
  /** The bodies of a stored pack. */
  read(packId: number): PackedBodies;
  /** Adds a pack with adjacent bodies of these lengths. */
  add(packId: number, bodies: Uint8Array, lengths: readonly number[]): void;
  /** Replaces a pack. */
  replace(packId: number, bodies: PackedBodies): void;
  remove(packId: number): void;
}

/** Target size of a pack; a larger body gets its own. With the store's overhead it fills eight pages. */
const packBytes = 32 * 1024 - 64;
/** Number of cached packs: adjacent messages usually share one. */
const cachedPacks = 16;
/** Deleted bodies may take this many bytes in packs, plus as many as the remaining bodies take. */
const spareBytes = 8 * 1024 * 1024;
/** Maximum number of packs repacked at once, so that no write takes long. */
const repackedAtOnce = 16;

/** A pack as found while loading. */
export interface FoundPack {
  /** The length of each body; -1 if deleted. */
  readonly lengths: number[];
  /** The number of messages that reference each body. */
  readonly references: number[];
}

/** A pack that cannot be read from disk yet. */
interface Draft {
  /** Adjacent bodies; absent while they are being collected. */
  bytes: Uint8Array | undefined;
  readonly lengths: readonly number[];
}

/** State of a pack. A pack without this state is on disk and contains one body with one reference. */
interface Pack {
  readonly lengths: number[];
  readonly references: number[];
  /** Number of referenced bodies, and their bytes. */
  live: number;
  liveBytes: number;
  /** Bytes of all bodies in the stored pack. */
  storedBytes: number;
}

/**
 * Bodies on disk, many per record, which takes less time and space than one record each. A pack is written once, with the group that its
 * bodies belong to, and deleted with its last body. A pack with few remaining bodies is repacked.
 */
export class BodyPacks {
  readonly #store: PackStore;
  readonly #packs = new Map<number, Pack>();
  /** Packs not yet part of a group. Bodies released before are never written. */
  #fresh = new Map<number, Draft>();
  /** Packs in the group being written, which cannot be read from disk yet. */
  #written = new Map<number, Draft>();
  readonly #cached = new Map<number, PackedBodies>();
  /** Packs with less than half of their bytes left. */
  readonly #sparse = new Set<number>();
  readonly #copies = new CopyPool();
  /** Collects the bodies of the open pack. */
  readonly #chunks = new ChunkPool();
  readonly #gathered = new RecordWriter(this.#chunks);
  /** The pack being filled. */
  #open: Pack | undefined;
  #openBytes = 0;
  #lastPackId = 0;
  #liveBytes = 0;
  #storedBytes = 0;

  constructor(store: PackStore) {
    this.#store = store;
  }

  /** Whether there are bodies not yet part of a group. */
  get hasFresh(): boolean {
    return this.#fresh.size > 0;
  }

  /** Stores bytes, copied during the call; returns their id. */
  put(bytes: Uint8Array): number {
    const size = bytes.byteLength + bytesPerPackedBody;
    let pack = this.#open;
    if (pack === undefined || this.#openBytes + size > packBytes || pack.lengths.length === maxBodiesInPack) {
      pack = this.#openPack();
    }
    this.#openBytes += size;
    this.#gathered.bytes(bytes);
    pack.references.push(1);
    pack.live++;
    pack.liveBytes += bytes.byteLength;
    return this.#lastPackId * maxBodiesInPack + pack.lengths.push(bytes.byteLength) - 1;
  }

  /** A copy of a body that belongs to the caller. */
  read(bodyId: number): Uint8Array {
    const body = this.#find(Math.floor(bodyId / maxBodiesInPack), bodyId % maxBodiesInPack);
    if (body === undefined) throw new RangeError(`There is no body ${bodyId}`);
    return this.#copies.copy(body);
  }

  retain(bodyId: number): void {
    const packId = Math.floor(bodyId / maxBodiesInPack);
    const index = bodyId % maxBodiesInPack;
    let pack = this.#packs.get(packId);
    if (pack === undefined) {
      // Its length is irrelevant: the pack is deleted with its only body.
      pack = newPack();
      pack.lengths[index] = 0;
      pack.references[index] = 1;
      pack.live = 1;
      this.#packs.set(packId, pack);
    }
    pack.references[index] = (pack.references[index] ?? 0) + 1;
  }

  release(bodyId: number): void {
    const packId = Math.floor(bodyId / maxBodiesInPack);
    const pack = this.#packs.get(packId);
    if (pack === undefined) this.#drop(packId);
    else {
      const index = bodyId % maxBodiesInPack;
      const left = (pack.references[index] ?? 0) - 1;
      pack.references[index] = left;
      if (left === 0) this.#forget(packId, pack, pack.lengths[index] ?? 0);
    }
  }

  /** Writes all packs not yet part of a group, and repacks some of those with few remaining bodies. */
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
    for (let i = 0; i < repackedAtOnce && this.#isWasteful(); i++) this.#repackOne();
  }

  /** Called when the written packs are durable. */
  onDurable(): void {
    this.#written.clear();
    this.#chunks.onDurable();
  }

  /** Restores a stored pack. A pack without referenced bodies is deleted. */
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
    if (this.#cached.size === cachedPacks) {
      const oldest = this.#cached.keys().next().value;
      if (oldest !== undefined) this.#cached.delete(oldest);
    }
    this.#cached.set(packId, bodies);
    return bodies;
  }

  /** The bodies of a pack that is stored or being written. */
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
    return this.#sparse.size > 0 && this.#storedBytes - this.#liveBytes > this.#liveBytes + spareBytes;
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

/** A group is written only after its last pack was closed. */
function unfinished(packId: number): Error {
  return new Error(`Pack ${packId} is to be written, and is not known or not closed.`);
}

function newPack(): Pack {
  return { lengths: [], references: [], live: 0, liveBytes: 0, storedBytes: 0 };
}

/** The referenced bodies of a pack. */
function living({ references }: Pack, bodies: PackedBodies): PackedBodies {
  return bodies.map((body, index) => ((references[index] ?? 0) > 0 ? body : undefined));
}
