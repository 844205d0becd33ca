/** What was found when a peer and one of our packages read each other's bytes. */
export interface PeerResult {
  readonly name: string;
  readonly version: string;
  /** Our package, without its scope. */
  readonly ours: string;
  /** How many values went both ways. */
  readonly values: number;
  /** What differed. */
  readonly findings: readonly string[];
}
