import type { VNode } from "preact";

interface ProgressProps {
  readonly label: string;
  readonly done: number;
  /** Undefined if it is not known. */
  readonly of: number | undefined;
}

/** How far something is. */
export function Progress({ label, done, of }: ProgressProps): VNode {
  return of === undefined ? (
    <progress aria-label={label} />
  ) : (
    <progress aria-label={label} max={Math.max(of, done, 1)} value={done} />
  );
}
