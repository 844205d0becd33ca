import {
  type DeserializationOutcome,
  type EncodedMessage,
  type Message,
  type MessageType,
  type Pipeline,
  WaybillError,
} from "@waybill/core";
import type { DeserializeCallOptions } from "@waybill/core/pipeline";
import {
  type OptionNames,
  requireDuration,
  requireInteger,
  requireKnownOptions,
} from "@waybill/core/serializer";
import { isPromise } from "@waybill/foundation";
import { compareValues, type DifferenceKind } from "../comparison/compare-values.js";
import { checkSampleRate, defaultSampleRate, maxRunning } from "../comparison/sampling.js";
import { Tallies } from "../comparison/tallies.js";
import { pipelineOver } from "../pipeline-over.js";
import type { PlannedTarget } from "../write-plan/write-plan.js";

/** What to try in addition to what is sent. */
export interface ShadowCheckOptions {
  /** The format and version to try. */
  readonly candidate: Pick<PlannedTarget, "serializer" | "version">;
  /** The share of messages to try, from 0 (none) to 1 (all). Default: 0.01. */
  readonly sampleRate?: number | undefined;
  /** The message types to try. Default: all messages, untyped ones too. */
  readonly messageTypes?: readonly MessageType[] | undefined;
  /** Maximum number of findings that are counted separately; the others are counted together. Default: 1 000. */
  readonly maxFindings?: number | undefined;
  /** Bodies of more bytes are not compared: `too-large`. Default: 1 048 576. */
  readonly maxBodyBytes?: number | undefined;
  /** How long one try may take, in milliseconds; then it counts as `unsettled` and is no longer waited for. Default: 10 000. */
  readonly timeoutInMs?: number | undefined;
}

/** A difference that readers would see in the candidate's messages. */
export interface ShadowFinding {
  /** The message's `subject`, or undefined. */
  readonly messageType: string | undefined;
  /** Where in the body, as `/lines/[]/price`; `/` is the body itself. */
  readonly path: string;
  /**
   * The kind of difference, or `unwritable` if the candidate cannot write the body, `undeserializable` if the pipeline cannot read what it wrote,
   * `undeserializable-now` if it cannot read what is sent without the switch, `too-large` if the body was not compared because of its size, `unsettled` if writing and reading did not end in time.
   */
  readonly kind:
    | DifferenceKind
    | "unwritable"
    | "undeserializable"
    | "undeserializable-now"
    | "too-large"
    | "unsettled";
  readonly count: number;
}

/** What a shadow check has found so far. */
export interface ShadowReport {
  /** How many messages were tried. */
  readonly sampled: number;
  /** How many of those readers would see unchanged. */
  readonly same: number;
  /** The most frequent first. */
  readonly findings: readonly ShadowFinding[];
  /** Findings beyond `maxFindings`, counted together. */
  readonly uncounted: number;
}

const defaults = Object.freeze({
  sampleRate: defaultSampleRate,
  maxFindings: 1_000,
  maxBodyBytes: 1024 * 1024,
  timeoutInMs: 10_000,
});

const optionNames: OptionNames<ShadowCheckOptions> = { ...defaults, candidate: true, messageTypes: true };

/** `setTimeout` fires at once for more than 2^31-1 ms. */
const maxTimerMs = 2 ** 31 - 1;

/** One message that is being tried. */
interface Try {
  readonly messageType: string | undefined;
  readonly startedAt: number;
  readonly abort: AbortController;
  hasEnded: boolean;
}

/**
 * Writes a sample of messages in a second format besides the one that is sent, reads both back and compares them: what would readers see
 * differently after the switch? Keeps counts by path and kind, never values. It never fails a send, delays one only by its own work, and applies
 * no body transforms: it does not use a claim-check store.
 */
export class ShadowCheck {
  readonly #candidate: ShadowCheckOptions["candidate"];
  readonly #subjects: ReadonlySet<string> | undefined;
  readonly #maxBodyBytes: number;
  readonly #timeoutMs: number;
  readonly #findings: Tallies<Omit<ShadowFinding, "count"> & { count: number }>;
  /** The asynchronous tries in progress. */
  readonly #running = new Map<Try, PromiseLike<void>>();
  /** Of a try that was synchronous, for the next one: making one costs a tenth of a try. */
  #spareAbort: AbortController | undefined;
  #sampleRate: number;
  #sampled = 0;
  #same = 0;

  /** Throws `TypeError` for an unknown option, or an invalid `sampleRate`, `maxBodyBytes` or `timeoutInMs`. */
  constructor(options: ShadowCheckOptions) {
    requireKnownOptions("ShadowCheck", options, optionNames);
    this.#candidate = options.candidate;
    this.#subjects =
      options.messageTypes &&
      new Set(options.messageTypes.flatMap(({ name, aliases }) => [name, ...aliases]));
    this.#findings = new Tallies(options.maxFindings ?? defaults.maxFindings);
    this.#maxBodyBytes = requireInteger("maxBodyBytes", options.maxBodyBytes ?? defaults.maxBodyBytes, 1);
    this.#timeoutMs = requireDuration("timeoutInMs", options.timeoutInMs ?? defaults.timeoutInMs, 1);
    this.#sampleRate = checkSampleRate(options.sampleRate ?? defaults.sampleRate);
  }

  /** The share of messages to try, from 0 to 1; may be changed at any time. Throws `TypeError` for other values. */
  get sampleRate(): number {
    return this.#sampleRate;
  }

  set sampleRate(rate: number) {
    this.#sampleRate = checkSampleRate(rate);
  }

  /**
   * A pipeline that writes and reads like the given one, and tries a sample of what it writes in the candidate's format. Throws
   * `configuration-invalid` if the pipeline lacks the candidate's serializer.
   */
  observe<Types extends MessageType>(pipeline: Pipeline<Types>): Pipeline<Types> {
    if (!pipeline.serializers.some(({ name }) => name === this.#candidate.serializer)) {
      throw new WaybillError(
        "configuration-invalid",
        `The shadow check cannot work: the pipeline has no serializer "${this.#candidate.serializer}".`,
      );
    }
    return pipelineOver(pipeline, {
      serialize: (message, options) => {
        if (this.#sampleRate === 0 || !this.#isChosen(message)) return pipeline.serialize(message, options);
        let plain: EncodedMessage | undefined;
        const onBeforeTransforms = (untransformed: EncodedMessage): void => {
          plain = untransformed;
          options?.onBeforeTransforms?.(untransformed);
        };
        const encoded = pipeline.serialize(message, { ...options, onBeforeTransforms });
        const attempt = (): void => {
          if (plain !== undefined) this.#try(pipeline, message, plain);
        };
        if (isPromise(encoded)) void encoded.then(attempt, () => {});
        else attempt();
        return encoded;
      },
    });
  }

  /** The findings so far. Resolves when the tries in progress have ended, after `timeoutInMs` at the latest. */
  async report(): Promise<ShadowReport> {
    await this.#settled();
    return {
      sampled: this.#sampled,
      same: this.#same,
      findings: this.#findings.sorted().map((finding) => ({ ...finding })),
      uncounted: this.#findings.uncounted,
    };
  }

  /** Discards the findings so far; tries in progress no longer count. */
  reset(): void {
    for (const one of this.#running.keys()) one.hasEnded = true;
    this.#running.clear();
    this.#findings.clear();
    this.#sampled = 0;
    this.#same = 0;
  }

  #isChosen({ subject }: Message): boolean {
    return (
      Math.random() < this.#sampleRate &&
      (this.#subjects === undefined || (subject !== undefined && this.#subjects.has(subject))) &&
      this.#hasRoom()
    );
  }

  /** Whether one more may run, after those that take too long have been aborted. */
  #hasRoom(): boolean {
    if (this.#running.size >= maxRunning) this.#abort(performance.now() - this.#timeoutMs);
    return this.#running.size < maxRunning;
  }

  /** Synchronous if the pipeline is, so that a sampled send is delayed only by the work itself. Never throws. */
  #try(pipeline: Pipeline, message: Message, before: EncodedMessage): void {
    this.#sampled++;
    const one: Try = {
      messageType: message.subject,
      startedAt: performance.now(),
      abort: this.#spareAbort ?? new AbortController(),
      hasEnded: false,
    };
    this.#spareAbort = undefined;
    const bodyTransforms = false;
    const abortSignal = one.abort.signal;
    const unwritable = (): void => this.#end(one, at("unwritable"));
    try {
      const read = (after: EncodedMessage) =>
        this.#read(pipeline, one, before, after, { bodyTransforms, abortSignal });
      const writeAs = this.#candidate;
      const after = pipeline.serialize(message, { bodyTransforms, abortSignal, readBack: false, writeAs });
      const reading = isPromise(after) ? after.then(read) : read(after);
      if (isPromise(reading) && !one.hasEnded) this.#running.set(one, reading.then(undefined, unwritable));
    } catch {
      unwritable();
    }
  }

  #read(
    pipeline: Pipeline,
    one: Try,
    before: EncodedMessage,
    after: EncodedMessage,
    call: DeserializeCallOptions,
  ): PromiseLike<void> | undefined {
    if (Math.max(sizeOf(before), sizeOf(after)) > this.#maxBodyBytes) {
      this.#end(one, at("too-large"));
      return undefined;
    }
    const unreadable = (): void => this.#end(one, at("undeserializable"));
    try {
      const was = pipeline.deserialize(before, call);
      const is = pipeline.deserialize(after, call);
      if (!isPromise(was) && !isPromise(is)) {
        // Nobody waited, so nothing listens to its signal.
        if (!this.#running.has(one)) this.#spareAbort = one.abort;
        this.#compare(one, was, is);
        return undefined;
      }
      return Promise.all([was, is]).then(([left, right]) => this.#compare(one, left, right), unreadable);
    } catch {
      unreadable();
      return undefined;
    }
  }

  #compare(one: Try, was: DeserializationOutcome, is: DeserializationOutcome): void {
    if (was.status === "unavailable") this.#end(one, undefined);
    else if (was.status !== "decoded") this.#end(one, at("undeserializable-now"));
    else if (is.status !== "decoded") this.#end(one, at("undeserializable"));
    else this.#end(one, differencesOf(was.body, is.body));
  }

  /** Counts a try that ended, unless it was aborted before. An empty list: readers would see the same; undefined: nothing is known. */
  #end(one: Try, differences: readonly Difference[] | undefined): void {
    if (one.hasEnded) return;
    one.hasEnded = true;
    this.#running.delete(one);
    if (differences === undefined) return;
    if (differences.length === 0) this.#same++;
    const { messageType } = one;
    for (const { path, kind } of differences) {
      const key = `${messageType ?? ""}\n${path}\n${kind}`;
      this.#findings.count(key, () => ({ messageType, path, kind, count: 0 }));
    }
  }

  /** Waits for the tries in progress, at most for their timeout. */
  async #settled(): Promise<void> {
    const startedBy = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const overdue = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(this.#timeoutMs, maxTimerMs));
    }).then(() => this.#abort(startedBy));
    await Promise.race([Promise.all(this.#running.values()), overdue]);
    clearTimeout(timer);
  }

  /** Aborts the tries that were started by then and have not ended; their results no longer count. */
  #abort(startedBy: number): void {
    for (const one of this.#running.keys()) {
      if (one.startedAt > startedBy) continue;
      this.#end(one, at("unsettled"));
      one.abort.abort();
    }
  }
}

interface Difference {
  readonly path: string;
  readonly kind: ShadowFinding["kind"];
}

/** A difference of the body as a whole. */
function at(kind: ShadowFinding["kind"]): readonly Difference[] {
  return [{ path: "/", kind }];
}

/** Comparing throws for a value with throwing getters and for one that is nested too deeply: no reader could use such a value. */
function differencesOf(before: unknown, after: unknown): readonly Difference[] {
  const differences: Difference[] = [];
  try {
    compareValues(before, after, (path, kind) => differences.push({ path, kind }));
  } catch {
    return at("undeserializable");
  }
  return differences;
}

function sizeOf({ body }: EncodedMessage): number {
  return body instanceof Uint8Array ? body.length : 0;
}
