/** Figures of one round of a side, by name; a number alone is microseconds per call, and is named `us`. */
export type Figures = number | Readonly<Record<string, number>>;

/** Measures a side once. */
export type Round = () => Promise<Figures>;

/** The sides of a probe, ready to be measured in turn. */
export interface OpenSides {
  readonly sides: Readonly<Record<string, Round>>;
  close?(): Promise<void> | void;
}

/** Something to measure, and the lines of the table that come of it. */
export interface Probe {
  open(): Promise<OpenSides> | OpenSides;
  /** How often the sides are opened; the rounds are spread over that. Default once. */
  readonly openings?: number;
  /** Rounds that do not count, in which the engine compiles what it runs. Default none. */
  readonly warmUps?: number;
  /** How many rounds count, of so many that the command line asks for. Default all of them. */
  readonly rounds?: (asked: number) => number;
  readonly lines: readonly Line[];
}

/** One figure and what it has to reach. */
export interface Line {
  readonly name: string;
  /**
   * `rate`: the subject's rate over the baseline's reaches the target at least; `time`: its time over the baseline's does not exceed the target;
   * `figure`: the subject's own figure does not.
   */
  readonly unit: "rate" | "time" | "figure";
  readonly target: number;
  /** The side that is measured. Default `subject`. */
  readonly subject?: string;
  /** The side beside which it is measured. Default `baseline`. */
  readonly baseline?: string;
  /** The name of the figure. Default `us`. */
  readonly figure?: string;
  /** How many units of work a call of either side does. Default 1. */
  readonly unitsPerCall?: { readonly baseline: number; readonly subject: number } | undefined;
}

/** Probes by the name under which they can be run alone; no probe where this machine lacks what it takes. */
export type Suite = Readonly<
  Record<string, () => Probe | readonly Probe[] | Promise<Probe | readonly Probe[]>>
>;
