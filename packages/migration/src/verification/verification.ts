import { createHash } from "node:crypto";
import type { DeserializationOutcome, EncodedMessage, MessageType, Pipeline } from "@waybill/core";
import type { Decoded, ReadTarget } from "@waybill/core/pipeline";
import { requireKnownOptions } from "@waybill/core/serializer";
import { isSameValue } from "../comparison/is-same-value.js";
import { checkSampleRate, defaultSampleRate, maxRunning } from "../comparison/sampling.js";
import { Tallies } from "../comparison/tallies.js";
import { pipelineOver } from "../pipeline-over.js";

/** How many messages to verify, and how many results to keep. */
export interface VerificationOptions {
  /** The share of messages to verify, from 0 (none) to 1 (all). Default: 0.01. */
  readonly sampleRate?: number | undefined;
  /** Maximum number of ambiguities that are counted separately; the others are counted together. Default: 1 000. */
  readonly maxAmbiguities?: number | undefined;
  /** Maximum number of digests to keep of each. Default: 5. */
  readonly maxSamples?: number | undefined;
}

/** As what a serializer reads a body. */
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
   * When it would be read otherwise: `unlabelled` – without a content type, by its bytes alone; `labelled` – with a content type that names the
   * other serializer; `version` – with another version on the message.
   */
  readonly under: "unlabelled" | "labelled" | "version";
  /** Whether the handler would have received the same value either way in every case. */
  readonly isHarmless: boolean;
  readonly count: number;
  /** SHA-256 of the first such bodies on the wire, to find the messages by. */
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

const defaults = Object.freeze({ sampleRate: defaultSampleRate, maxAmbiguities: 1_000, maxSamples: 5 });

type Tally = { -readonly [Key in keyof Ambiguity]: Ambiguity[Key] } & { readonly samples: string[] };

/**
 * Checks for a sample of messages that were read whether another deserializer, or the same with another version, would have accepted them too.
 * If so, only the content type or the order of the deserializers decides what a body means. Keeps digests, never payload.
 */
export class Verification {
  readonly #sampleRate: number;
  readonly #maxSamples: number;
  readonly #tallies: Tallies<Tally>;
  readonly #running = new Set<Promise<void>>();
  #verified = 0;

  /** Throws `TypeError` for an unknown option or an invalid sample rate. */
  constructor(options: VerificationOptions = {}) {
    requireKnownOptions("Verification", options, defaults);
    this.#sampleRate = checkSampleRate(options.sampleRate ?? defaults.sampleRate);
    this.#maxSamples = options.maxSamples ?? defaults.maxSamples;
    this.#tallies = new Tallies(options.maxAmbiguities ?? defaults.maxAmbiguities);
  }

  /** A pipeline that writes and reads like the given one, and verifies a sample of what it reads afterwards. */
  observe<Types extends MessageType>(pipeline: Pipeline<Types>): Pipeline<Types> {
    if (this.#sampleRate === 0) return pipeline;
    const isChosen = () => Math.random() < this.#sampleRate && this.#running.size < maxRunning;
    return pipelineOver(pipeline, {
      deserialize: (message, options) => {
        const outcome = pipeline.deserialize(message, options);
        if (options?.readAs !== undefined || !isChosen()) return outcome;
        const verified = (settled: DeserializationOutcome) => {
          if (settled.status === "decoded") this.#verifyLater(pipeline, message);
          return settled;
        };
        return outcome instanceof Promise ? outcome.then(verified) : verified(outcome);
      },
    });
  }

  /** Verifies one message, for tools that have messages at hand; an undeserializable message is ignored. */
  async verify(pipeline: Pipeline, message: EncodedMessage): Promise<void> {
    if (!(message.body instanceof Uint8Array)) return;
    // Read again: a handler may have changed the value that it was given.
    const outcome = await pipeline.deserialize(message);
    if (outcome.status !== "decoded") return;
    this.#verified++;
    for (const readings of otherReadings(pipeline, outcome)) {
      for (const { under, readAs } of readings) {
        const other = await pipeline.deserialize(message, { readAs });
        if (other.status !== "decoded" || isSameReading(outcome, other)) continue;
        this.#add(message.body, outcome, other, under);
        break;
      }
    }
  }

  /** The findings so far. Resolves when the verifications in progress have ended. */
  async report(): Promise<VerificationReport> {
    await Promise.all(this.#running);
    const ambiguities = this.#tallies.sorted().map((tally) => ({ ...tally, samples: [...tally.samples] }));
    ambiguities.sort((a, b) => Number(a.isHarmless) - Number(b.isHarmless));
    return { verified: this.#verified, ambiguities, uncounted: this.#tallies.uncounted };
  }

  #verifyLater(pipeline: Pipeline, message: EncodedMessage): void {
    // In a later microtask, so that the caller gets the message first.
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
    const key = JSON.stringify([messageType, winner, loser, under]);
    const start = { messageType, winner, other: loser, under, isHarmless: true, count: 0, samples: [] };
    const tally = this.#tallies.count(key, () => start);
    if (tally === undefined) return;
    tally.isHarmless &&= isSameValue(outcome.body, other.body);
    if (tally.samples.length < this.#maxSamples) {
      tally.samples.push(createHash("sha256").update(body).digest("hex"));
    }
  }
}

interface OtherReading {
  readonly under: Ambiguity["under"];
  readonly readAs: ReadTarget;
}

/** The other ways to read a body: by each other serializer, without its content type or else with it, and as each other version. */
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

/** An envelope contains its version, so the version that was asked for may have been ignored. */
function isSameReading({ report }: Decoded, other: Decoded): boolean {
  const { serializer, messageVersion } = other.report;
  return serializer === report.serializer && messageVersion === report.messageVersion;
}

function readingOf({ report }: Decoded): Reading {
  return { serializer: report.serializer ?? "none", version: report.messageVersion };
}
