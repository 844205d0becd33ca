import {
  type DeserializationOutcome,
  type EncodedMessage,
  type Message,
  type MessageType,
  type Pipeline,
  WaybillError,
} from "@waybill/core";
import type { PlannedTarget } from "../write-plan/write-plan.js";
import { compareValues, type DifferenceKind } from "./compare-values.js";

/** What is tried beside what is written. */
export interface ShadowCheckOptions {
  /** The format, and version, that messages might be written in. */
  readonly candidate: Pick<PlannedTarget, "serializer" | "version">;
  /** Which share of messages is tried, from 0 (none) to 1 (all). Default: 0.01. */
  readonly sampleRate?: number | undefined;
  /** The message types to try. Default: all messages, untyped ones too. */
  readonly messageTypes?: readonly MessageType[] | undefined;
  /** How many different findings are counted each by itself; the others are counted together. Default: 1 000. */
  readonly maxFindings?: number | undefined;
}

/** A way in which readers would see the candidate's messages differ. */
export interface ShadowFinding {
  /** The message's `subject`, or undefined. */
  readonly messageType: string | undefined;
  /** Where in the body, as `/lines/[]/price`; `/` is the body itself. */
  readonly path: string;
  /** How: a kind of difference, or `unwritable` when the candidate cannot write it, `unreadable` when nobody reads what it wrote. */
  readonly kind: DifferenceKind | "unwritable" | "unreadable";
  readonly count: number;
}

/** What a shadow check has found so far. */
export interface ShadowReport {
  /** How many messages were tried. */
  readonly sampled: number;
  /** Of those, how many readers would see as they do now. */
  readonly same: number;
  /** The most frequent first. */
  readonly findings: readonly ShadowFinding[];
  /** Findings beyond `maxFindings`, counted together. */
  readonly uncounted: number;
}

const defaultSampleRate = 0.01;
const defaultMaxFindings = 1_000;

/** How many tries of asynchronous serializers may be under way; messages beyond that are not tried. */
const maxRunning = 100;

/**
 * Writes a sample of messages in another format beside the one that is sent, reads both back and compares: what would readers see differently
 * after the switch? Keeps counts by path and kind, never values. What it does never fails or delays a send by more than its own work.
 */
export class ShadowCheck {
  readonly #candidate: ShadowCheckOptions["candidate"];
  readonly #subjects: ReadonlySet<string> | undefined;
  readonly #maxFindings: number;
  readonly #findings = new Map<string, { finding: ShadowFinding; count: number }>();
  readonly #running = new Set<Promise<void>>();
  #sampleRate = 0;
  #sampled = 0;
  #same = 0;
  #uncounted = 0;

  constructor(options: ShadowCheckOptions) {
    this.#candidate = options.candidate;
    this.#subjects =
      options.messageTypes &&
      new Set(options.messageTypes.flatMap(({ name, aliases }) => [name, ...aliases]));
    this.#maxFindings = options.maxFindings ?? defaultMaxFindings;
    this.sampleRate = options.sampleRate ?? defaultSampleRate;
  }

  /** Which share of messages is tried, from 0 to 1; may be changed at any time. Throws `TypeError` beyond those. */
  get sampleRate(): number {
    return this.#sampleRate;
  }

  set sampleRate(rate: number) {
    if (!(rate >= 0 && rate <= 1))
      throw new TypeError(`A sample rate is a number from 0 to 1, not ${String(rate)}.`);
    this.#sampleRate = rate;
  }

  /** A pipeline that writes and reads as the given one, with some of what it writes tried in the candidate's format. */
  observe<Types extends MessageType>(pipeline: Pipeline<Types>): Pipeline<Types> {
    if (!pipeline.serializers.some(({ name }) => name === this.#candidate.serializer)) {
      throw new WaybillError(
        "configuration-invalid",
        `The shadow check cannot work: the pipeline has no serializer "${this.#candidate.serializer}".`,
      );
    }
    return Object.freeze({
      serializers: pipeline.serializers,
      messageTypes: pipeline.messageTypes,
      messageTypeResolver: pipeline.messageTypeResolver,
      serialize: (message, options) => {
        const encoded = pipeline.serialize(message, options);
        if (this.#sampleRate === 0 || !this.#isChosen(message)) return encoded;
        if (!(encoded instanceof Promise)) {
          this.#try(pipeline, message, encoded);
          return encoded;
        }
        return encoded.then((settled) => {
          this.#try(pipeline, message, settled);
          return settled;
        });
      },
      deserialize: (message, options) => pipeline.deserialize(message, options),
    } satisfies Pipeline<Types>);
  }

  /** What was found so far. Resolves when the tries under way are done. */
  async report(): Promise<ShadowReport> {
    await Promise.all(this.#running);
    const findings = Array.from(this.#findings.values(), ({ finding, count }) => ({ ...finding, count }));
    return {
      sampled: this.#sampled,
      same: this.#same,
      findings: findings.sort((a, b) => b.count - a.count),
      uncounted: this.#uncounted,
    };
  }

  /** Begins anew. */
  reset(): void {
    this.#findings.clear();
    this.#sampled = 0;
    this.#same = 0;
    this.#uncounted = 0;
  }

  #isChosen({ subject }: Message): boolean {
    if (Math.random() >= this.#sampleRate || this.#running.size >= maxRunning) return false;
    return this.#subjects === undefined || (subject !== undefined && this.#subjects.has(subject));
  }

  /** Synchronous as long as the pipeline is, so that a sampled send waits for nothing but work. Never throws. */
  #try(pipeline: Pipeline, message: Message, before: EncodedMessage): void {
    this.#sampled += 1;
    const { subject } = message;
    const unwritable = (): void => this.#find(subject, "/", "unwritable");
    try {
      const after = pipeline.serialize(message, { writeAs: this.#candidate });
      const reading =
        after instanceof Promise
          ? after.then((settled) => this.#read(pipeline, subject, before, settled), unwritable)
          : this.#read(pipeline, subject, before, after);
      if (reading !== undefined) this.#track(reading);
    } catch {
      unwritable();
    }
  }

  #read(
    pipeline: Pipeline,
    subject: string | undefined,
    before: EncodedMessage,
    after: EncodedMessage,
  ): Promise<void> | undefined {
    const was = pipeline.deserialize(before);
    const is = pipeline.deserialize(after);
    if (!(was instanceof Promise) && !(is instanceof Promise)) {
      this.#compare(subject, was, is);
      return undefined;
    }
    return Promise.all([was, is]).then(([left, right]) => this.#compare(subject, left, right));
  }

  #compare(subject: string | undefined, was: DeserializationOutcome, is: DeserializationOutcome): void {
    // What nobody can read now already is not the candidate's fault.
    if (was.status !== "decoded") return;
    if (is.status !== "decoded") {
      this.#find(subject, "/", "unreadable");
      return;
    }
    let isSame = true;
    compareValues(was.body, is.body, (path, kind) => {
      isSame = false;
      this.#find(subject, path, kind);
    });
    if (isSame) this.#same += 1;
  }

  #find(messageType: string | undefined, path: string, kind: ShadowFinding["kind"]): void {
    const key = `${messageType ?? ""}\n${path}\n${kind}`;
    const known = this.#findings.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#findings.size >= this.#maxFindings) this.#uncounted += 1;
    else this.#findings.set(key, { finding: { messageType, path, kind, count: 1 }, count: 1 });
  }

  #track(work: Promise<unknown>): void {
    const tracked: Promise<void> = work.catch(() => {}).then(() => void this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}
