import { createHash } from "node:crypto";
import type { EncodedMessage, MessageType, Pipeline } from "@waybill/core";
import type { Decoded, ReadTarget } from "@waybill/core/pipeline";
import { requireKnownOptions } from "@waybill/core/serializer";
import { isSameValue } from "../shadow-check/is-same-value.js";

/** What is verified, and how much is kept. */
export interface VerificationOptions {
  /** Which share of messages is verified, from 0 (none) to 1 (all). Default: 0.01. */
  readonly sampleRate?: number | undefined;
  /** How many ambiguities are kept each by itself; the others are counted together. Default: 1 000. */
  readonly maxAmbiguities?: number | undefined;
  /** How many digests are kept of each. Default: 5. */
  readonly maxSamples?: number | undefined;
}

/** What a second reader would take the body for. */
export interface Reading {
  readonly serializer: string;
  /** The version of the message type; undefined for an untyped message. */
  readonly version: number | undefined;
}

/** Bodies that were read as one thing and could have been read as another. */
export interface Ambiguity {
  readonly messageType: string | undefined;
  /** How they were read. */
  readonly winner: Reading;
  /** How else they could have been read. */
  readonly other: Reading;
  /**
   * What it takes: `unlabelled` – nothing, the bytes alone would do, so that the label decides; `labelled` – a label that names the other
   * serializer; `version` – another version on the message.
   */
  readonly under: "unlabelled" | "labelled" | "version";
  /** Whether the handler would get the same value either way, every time. */
  readonly isHarmless: boolean;
  readonly count: number;
  /** SHA-256 of the first such bodies as they travelled, to find the messages by. */
  readonly samples: readonly string[];
}

/** What a verification has found so far. */
export interface VerificationReport {
  /** How many messages were verified. */
  readonly verified: number;
  /** The harmful ones first, then the most frequent. */
  readonly ambiguities: readonly Ambiguity[];
  /** Ambiguities beyond `maxAmbiguities`, counted together. */
  readonly uncounted: number;
}

const defaults = Object.freeze({ sampleRate: 0.01, maxAmbiguities: 1_000, maxSamples: 5 });

/** How many verifications by asynchronous serializers may be in progress; messages beyond that are not verified. */
const maxRunning = 100;

interface Tally {
  readonly first: Ambiguity;
  readonly samples: string[];
  count: number;
  isHarmless: boolean;
}

/**
 * Asks of a sample of messages that were read whether another deserializer, or the same under another version, would have accepted them too.
 * In such a pair the label alone, or the order of things, decides what a body means. Keeps digests, never payload.
 */
export class Verification {
  readonly #options: Required<{ [Name in keyof VerificationOptions]: number }>;
  readonly #tallies = new Map<string, Tally>();
  readonly #running = new Set<Promise<void>>();
  #verified = 0;
  #uncounted = 0;

  constructor(options: VerificationOptions = {}) {
    requireKnownOptions("Verification", options, defaults);
    this.#options = {
      sampleRate: options.sampleRate ?? defaults.sampleRate,
      maxAmbiguities: options.maxAmbiguities ?? defaults.maxAmbiguities,
      maxSamples: options.maxSamples ?? defaults.maxSamples,
    };
    const { sampleRate } = this.#options;
    if (!(sampleRate >= 0 && sampleRate <= 1)) {
      throw new TypeError(`A sample rate is a number from 0 to 1, not ${String(sampleRate)}.`);
    }
  }

  /** A pipeline that writes and reads as the given one, with some of what it reads verified after the fact. */
  observe<Types extends MessageType>(pipeline: Pipeline<Types>): Pipeline<Types> {
    const { sampleRate } = this.#options;
    if (sampleRate === 0) return pipeline;
    const isChosen = () => Math.random() < sampleRate && this.#running.size < maxRunning;
    return Object.freeze({
      serializers: pipeline.serializers,
      messageTypes: pipeline.messageTypes,
      messageTypeResolver: pipeline.messageTypeResolver,
      serialize: (message, options) => pipeline.serialize(message, options),
      deserialize: (message, options) => {
        const outcome = pipeline.deserialize(message, options);
        if (options?.readAs !== undefined || !isChosen()) return outcome;
        if (outcome instanceof Promise) {
          return outcome.then((settled) => {
            if (settled.status === "decoded") this.#verifyLater(pipeline, message);
            return settled;
          });
        }
        if (outcome.status === "decoded") this.#verifyLater(pipeline, message);
        return outcome;
      },
    } satisfies Pipeline<Types>);
  }

  /** Verifies one message, for tools that have messages at hand; one that cannot be deserialized is passed over. */
  async verify(pipeline: Pipeline, message: EncodedMessage): Promise<void> {
    if (!(message.body instanceof Uint8Array)) return;
    // Read again: a handler may have changed the value that it was given.
    const outcome = await pipeline.deserialize(message);
    if (outcome.status !== "decoded") return;
    this.#verified += 1;
    for (const readings of otherReadings(pipeline, outcome)) {
      for (const { under, readAs } of readings) {
        const other = await pipeline.deserialize(message, { readAs });
        if (other.status !== "decoded" || isSameReading(outcome, other)) continue;
        this.#add(message.body, outcome, other, under);
        break;
      }
    }
  }

  /** What was found so far. Resolves when the verifications in progress are done. */
  async report(): Promise<VerificationReport> {
    await Promise.all(this.#running);
    const ambiguities = Array.from(this.#tallies.values(), ({ first, samples, count, isHarmless }) => ({
      ...first,
      samples: [...samples],
      count,
      isHarmless,
    }));
    ambiguities.sort((a, b) => Number(a.isHarmless) - Number(b.isHarmless) || b.count - a.count);
    return { verified: this.#verified, ambiguities, uncounted: this.#uncounted };
  }

  #verifyLater(pipeline: Pipeline, message: EncodedMessage): void {
    // A later turn, so that whoever reads the message gets it first.
    const running: Promise<void> = Promise.resolve()
      .then(() => this.verify(pipeline, message))
      .catch(() => {})
      .then(() => void this.#running.delete(running));
    this.#running.add(running);
  }

  #add(body: Uint8Array, outcome: Decoded, other: Decoded, under: Ambiguity["under"]): void {
    const { messageType } = outcome.report;
    const winner = readingOf(outcome);
    const loser = readingOf(other);
    const isHarmless = isSameValue(outcome.body, other.body);
    const key = JSON.stringify([messageType, winner, loser, under]);
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      if (this.#tallies.size >= this.#options.maxAmbiguities) {
        this.#uncounted += 1;
        return;
      }
      const first = { messageType, winner, other: loser, under, isHarmless, count: 0, samples: [] };
      tally = { first, samples: [], count: 0, isHarmless: true };
      this.#tallies.set(key, tally);
    }
    tally.count += 1;
    tally.isHarmless &&= isHarmless;
    if (tally.samples.length < this.#options.maxSamples) {
      tally.samples.push(createHash("sha256").update(body).digest("hex"));
    }
  }
}

interface OtherReading {
  readonly under: Ambiguity["under"];
  readonly readAs: ReadTarget;
}

/** The other ways to read a body: by each other serializer, without its label or else with it, and as each other version. */
function otherReadings(pipeline: Pipeline, { report }: Decoded): OtherReading[][] {
  const { serializer, messageType, messageVersion } = report;
  if (serializer === undefined) return [];
  const others = pipeline.serializers.filter(({ name }) => name !== serializer);
  const versions = pipeline.messageTypes.find(({ name }) => name === messageType)?.versions ?? [];
  return [
    ...others.map(({ name }): OtherReading[] => [
      { under: "unlabelled", readAs: { serializer: name, isDeclared: false } },
      { under: "labelled", readAs: { serializer: name } },
    ]),
    ...versions
      .filter(({ version }) => version !== messageVersion)
      .map(({ version }): OtherReading[] => [{ under: "version", readAs: { serializer, version } }]),
  ];
}

/** In an envelope the version stands in the body, where no other can be asked for. */
function isSameReading({ report }: Decoded, other: Decoded): boolean {
  const { serializer, messageVersion } = other.report;
  return serializer === report.serializer && messageVersion === report.messageVersion;
}

function readingOf({ report }: Decoded): Reading {
  return { serializer: report.serializer ?? "none", version: report.messageVersion };
}
