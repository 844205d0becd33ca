/** Why a reader may not read what a writer writes. No obstacle at all is the proof that it reads every value. */
export interface Obstacle {
  /** `"breaks"`: there are values that it does not read, or reads as something else. `"not-decided"`: neither that nor the opposite was proved. */
  readonly kind: "breaks" | "not-decided";
  /** Where in the schema: `lines[].price`; empty for all of it. */
  readonly path: string;
  /** One sentence without a full stop. */
  readonly text: string;
}

/** An obstacle that is certain. */
export function breaks(path: string, text: string): Obstacle {
  return { kind: "breaks", path, text };
}

/** An obstacle that may be none. */
export function notDecided(path: string, text: string): Obstacle {
  return { kind: "not-decided", path, text };
}

/** Obstacles that are none if something else rules out the values that meet them. */
export function asNotDecided(obstacles: readonly Obstacle[]): readonly Obstacle[] {
  return obstacles.map((obstacle) => ({ ...obstacle, kind: "not-decided" }));
}
