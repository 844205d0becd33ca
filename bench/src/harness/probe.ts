/** Figures of one round of a side, by name; a number alone is microseconds per call, and is named `us`. */
export type Figures = number | Readonly<Record<string, number>>;

/** Measures a side once. */
export type Round = () => Promise<Figures>;

/** The sides of a probe, ready to be measured in turn. */
export interface OpenSides {
  readonly sides: Readonly<Record<string, Round>>;
  close?(): Promise<void> | void;
}

/** Something to measure, and its lines of the table. */
export interface Probe {
  open(): Promise<OpenSides> | OpenSides;
  /** How often the sides are opened; the rounds are spread over that. Default once. */
  readonly openings?: number;
  /** Warm-up rounds, in which V8 compiles the code. Default none. */
  readonly warmUps?: number;
  /** How many rounds to measure, given the number of the command line. Default: that number. */
  readonly rounds?: (asked: number) => number;
  readonly lines: readonly Line[];
}

/** One figure and its target. */
export interface Line {
  readonly name: string;
  /**
   * `rate`: the subject's rate divided by the baseline's must reach the target; `time`: its time divided by the baseline's must not exceed the target;
   * `figure`: the subject's own figure must not exceed it.
   */
  readonly unit: "rate" | "time" | "figure";
  readonly target: number;
  /** What is known where the target is out of reach. */
  readonly shortfall?: Shortfall | undefined;
  /** The side that is measured. Default `subject`. */
  readonly subject?: string;
  /** The side to compare with. Default `baseline`. */
  readonly baseline?: string;
  /** The name of the figure. Default `us`. */
  readonly figure?: string;
  /** How many units of work a call of either side does. Default 1. */
  readonly unitsPerCall?: { readonly baseline: number; readonly subject: number } | undefined;
}

/** What is known of a line that does not reach its target. */
export interface Shortfall {
  /** The figure that must hold meanwhile, which is worse than the target. Default: the target itself, so that the line counts as missed. */
  readonly mustHold?: number | undefined;
  /** What stands in the way: a part of a sentence for the page on performance, without figures that no command of the project shows. */
  readonly reason: string;
}

/** Probes by the name with which they can be run alone; undefined if this machine cannot run one. */
export type Suite = Readonly<
  Record<string, () => Probe | readonly Probe[] | Promise<Probe | readonly Probe[]>>
>;
