import type { MessageType, Pipeline } from "@waybill/core";
import { type OptionNames, requireDuration, requireKnownOptions } from "@waybill/core/serializer";
import { type Scheduler, systemScheduler } from "@waybill/core/transport";
import { pipelineOver } from "../pipeline-over.js";
import { writeRegularly } from "../write-regularly.js";
import type { ReadStore } from "./read-record.js";
import { ReadTally } from "./read-tally.js";

/** Who records its reads, and how often. */
export interface RecordReadsOptions {
  /** The consumer's name. */
  readonly reader: string;
  /** Unique among its instances, for example host name and process id. */
  readonly instance: string;
  /** How often the record is written, in milliseconds. Default: 600,000. */
  readonly intervalInMs?: number | undefined;
  /** Called when writing failed; it is retried at the next interval. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Clock and timers. Default: the system's. */
  readonly scheduler?: Scheduler | undefined;
}

/** A consumer's pipeline that records what it reads. */
export interface ReadRecording<Types extends MessageType = MessageType> extends AsyncDisposable {
  /** The pipeline for the consumer's client. */
  readonly pipeline: Pipeline<Types>;
  /** Writes the last record and stops. */
  close(): Promise<void>;
}

const optionNames: OptionNames<RecordReadsOptions> = {
  reader: true,
  instance: true,
  intervalInMs: true,
  onError: true,
  scheduler: true,
};

const defaultIntervalMs = 600_000;

/**
 * Records the last read of each format and version, so that a verdict knows what a census of a drained queue cannot show. Use the returned
 * pipeline for the consumer's client. Resolves when the first record, which says since when, is in the store; rejects as the store does.
 */
export async function recordReads<Types extends MessageType>(
  pipeline: Pipeline<Types>,
  store: Pick<ReadStore, "record">,
  options: RecordReadsOptions,
): Promise<ReadRecording<Types>> {
  requireKnownOptions("recordReads", options, optionNames);
  const {
    reader,
    instance,
    intervalInMs = defaultIntervalMs,
    onError,
    scheduler = systemScheduler,
  } = options;
  requireDuration("intervalInMs", intervalInMs, 1);
  const tally = new ReadTally();
  const now = () => new Date(scheduler.now());
  const since = now();
  const write = () => store.record({ reader, instance, since, recordedAt: now(), reads: tally.toReads() });
  const close = await writeRegularly({
    write,
    writeLast: write,
    intervalMs: intervalInMs,
    onError,
    scheduler,
  });
  return { pipeline: recording(pipeline, tally, now), close, [Symbol.asyncDispose]: close };
}

function recording<Types extends MessageType>(
  pipeline: Pipeline<Types>,
  tally: ReadTally,
  now: () => Date,
): Pipeline<Types> {
  return pipelineOver(pipeline, {
    deserialize(message, call) {
      const outcome = pipeline.deserialize(message, call);
      // A tool that asks for one format reads nothing that a consumer needs.
      if (call?.readAs !== undefined) return outcome;
      if (!(outcome instanceof Promise)) {
        tally.add(message, outcome, now());
        return outcome;
      }
      return outcome.then((settled) => {
        tally.add(message, settled, now());
        return settled;
      });
    },
  });
}
