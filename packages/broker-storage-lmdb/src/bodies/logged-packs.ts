/** Where a pack is in the log. */
export interface LoggedPack {
  /** Which of the log's files. */
  readonly place: number;
  readonly position: number;
  readonly byteLength: number;
}

/** The packs that the store does not have yet, and where they are in the log. */
export class LoggedPacks {
  readonly #packs = new Map<number, LoggedPack>();
  /** Packs of the group being collected: their positions in it. */
  readonly #collected: [id: number, position: number, byteLength: number][] = [];

  get(id: number): LoggedPack | undefined {
    return this.#packs.get(id);
  }

  add(id: number, place: number, position: number, byteLength: number): void {
    this.#packs.set(id, { place, position, byteLength });
  }

  /** Adds a pack of the group being collected, by its position in the group. */
  collect(id: number, position: number, byteLength: number): void {
    this.#collected.push([id, position, byteLength]);
  }

  /** Called when the group being collected has its position in a file. */
  onPlaced(place: number, groupPosition: number): void {
    for (const [id, position, byteLength] of this.#collected)
      this.add(id, place, groupPosition + position, byteLength);
    this.#collected.length = 0;
  }

  delete(id: number): void {
    this.#packs.delete(id);
  }

  /** Called when the store has everything in a file. */
  onApplied(place: number): void {
    for (const [id, pack] of this.#packs) if (pack.place === place) this.#packs.delete(id);
  }
}
