import type { ResolvedReadBackOptions } from "./read-back-options.js";

/** Larger bodies are read back only among the first: the reader may have more memory than the sender. */
const maxSampledBytes = 1024 * 1024;

/** Decides which bodies of one message type, version and format are read back: the first ones, then a random sample. */
export class ReadBackSample {
  readonly #sampleRate: number;
  /** How many of the first bodies are still to be read back. */
  #first: number;
  #untilNext: number;
  #isPostponed = false;

  constructor({ first, sampleRate }: ResolvedReadBackOptions) {
    this.#first = first;
    this.#sampleRate = sampleRate;
    this.#untilNext = gap(sampleRate);
  }

  /** Whether the next body is read back. */
  isDue(byteLength: number): boolean {
    if (this.#first > 0 && !this.#isPostponed) return true;
    this.#untilNext--;
    if (this.#untilNext > 0) return false;
    this.#untilNext = gap(this.#sampleRate);
    return this.#first > 0 || byteLength <= maxSampledBytes;
  }

  /** Counts a body that could be read back. */
  succeeded(): void {
    this.#isPostponed = false;
    if (this.#first > 0) this.#first--;
  }

  /** A body could not be read back now. The next is tried at its turn in the sample, so that not every send waits during an outage. */
  postpone(): void {
    this.#isPostponed = true;
  }
}

/** The samples of a pipeline, by message type and version, and by format. */
export class ReadBackSampling {
  readonly #options: ResolvedReadBackOptions;
  readonly #samples = new Map<object | undefined, Map<string, ReadBackSample>>();
  /** Most senders write one kind of message again and again. */
  #last: { readonly version: object | undefined; readonly format: string; readonly sample: ReadBackSample };

  constructor(options: ResolvedReadBackOptions) {
    this.#options = options;
    this.#last = { version: undefined, format: "", sample: new ReadBackSample(options) };
  }

  /** `version` stands for a version of a message type; undefined for untyped messages. */
  of(version: object | undefined, format: string): ReadBackSample {
    const last = this.#last;
    if (last.version === version && last.format === format) return last.sample;
    const formats = this.#samples.get(version) ?? new Map<string, ReadBackSample>();
    const sample = formats.get(format) ?? new ReadBackSample(this.#options);
    this.#samples.set(version, formats.set(format, sample));
    this.#last = { version, format, sample };
    return sample;
  }
}

/** Random, so that no regular traffic evades it: from 1 to twice the mean. */
function gap(sampleRate: number): number {
  return sampleRate === 0 ? Number.POSITIVE_INFINITY : 1 + Math.floor(Math.random() * (2 / sampleRate - 1));
}
