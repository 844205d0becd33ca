import { requireInteger, requireShare, withDefaults } from "@waybill/foundation";

/** Which written bodies are read back, as a reader gets them, before they are sent. */
export interface ReadBackOptions {
  /** How many of the first messages of each message type, version and format. Default: 10. */
  readonly first?: number | undefined;
  /**
   * The share of the messages after them, from 0 (none) to 1 (all). Of these, bodies of more than 1 MiB are not read back. Default: 0.002, which
   * costs less than 2 % of writing.
   */
  readonly sampleRate?: number | undefined;
}

/** {@link ReadBackOptions} with every default filled in. */
export type ResolvedReadBackOptions = Readonly<Required<{ [Name in keyof ReadBackOptions]: number }>>;

const defaultReadBackOptions: ResolvedReadBackOptions = Object.freeze({ first: 10, sampleRate: 0.002 });

/** Checks the options and fills in the defaults; `false` reads nothing back. Throws `TypeError` for invalid values. */
export function resolveReadBackOptions(options: ReadBackOptions | false = {}): ResolvedReadBackOptions {
  if (options === false) return { first: 0, sampleRate: 0 };
  const { first, sampleRate } = withDefaults("readBack", options, defaultReadBackOptions);
  return {
    first: requireInteger("readBack.first", first, 0),
    sampleRate: requireShare("readBack.sampleRate", sampleRate),
  };
}
