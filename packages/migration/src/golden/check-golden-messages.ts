import { AssertionError } from "node:assert";
import type { DeserializationOutcome, Pipeline } from "@waybill/core";
import type { Decoded } from "@waybill/core/pipeline";
import { acceptedBy } from "./accepted-by.js";
import { differingPaths } from "./differing-paths.js";
import { readGoldenMessages } from "./golden-files.js";
import type { GoldenMessage } from "./golden-message.js";
import { asRead, narrowPipeline, typeAsOf } from "./narrow-pipeline.js";
import { toPortableValue } from "./portable-value.js";

/** Which pipeline to check against which files. */
export interface GoldenCheckOptions {
  /** The pipeline of today. */
  readonly pipeline: Pipeline;
  /** Where the golden messages are. */
  readonly directory: string;
}

/** The outcome for all golden messages. */
export interface GoldenCheck {
  /** How many golden messages. */
  readonly checked: number;
  /** Empty when nothing changed. */
  readonly failures: readonly GoldenFailure[];
}

/** One change since the golden message was captured. */
export interface GoldenFailure {
  /** The golden message's name. */
  readonly name: string;
  readonly kind: /** Today's chain cannot read it. */
    | "lost-support"
    /** Another serializer reads it, or it is read as another type or version. */
    | "changed-reader"
    /** Handlers get another value. */
    | "changed-value"
    /** A serializer would take the body without its content type that would not have before. */
    | "new-ambiguity";
  /** What changed, as a sentence: names paths, never values. */
  readonly text: string;
}

/**
 * Reads every golden message of a directory with today's chain and reports what changed. If a message type has newer versions by now, the
 * value is compared as of the version it was captured for. Rejects with `configuration-invalid` when there is nothing to check.
 */
export async function checkGoldenMessages({ pipeline, directory }: GoldenCheckOptions): Promise<GoldenCheck> {
  const messages = await readGoldenMessages(directory);
  const failures: GoldenFailure[] = [];
  for (const golden of messages) {
    for (const failure of await check(pipeline, golden)) failures.push({ name: golden.name, ...failure });
  }
  return { checked: messages.length, failures };
}

/** The same for tests: rejects with an `AssertionError` that lists every failure. */
export async function assertGoldenMessages(options: GoldenCheckOptions): Promise<void> {
  const { checked, failures } = await checkGoldenMessages(options);
  if (failures.length === 0) return;
  const lines = failures.map(({ name, kind, text }) => `${name}: ${kind}: ${text}`);
  throw new AssertionError({
    message: `${failures.length} failures in ${checked} golden messages:\n${lines.join("\n")}`,
    actual: lines,
    expected: [],
    operator: "assertGoldenMessages",
  });
}

type Failure = Omit<GoldenFailure, "name">;

async function check(pipeline: Pipeline, golden: GoldenMessage): Promise<Failure[]> {
  const outcome = await pipeline.deserialize(golden.message);
  if (outcome.status !== "decoded") return [{ kind: "lost-support", text: reasonOf(outcome) }];
  return [
    ...changedReader(golden, outcome),
    ...(await changedValue(pipeline, golden, outcome)),
    ...(await newAmbiguity(pipeline, golden, outcome)),
  ];
}

function reasonOf(outcome: Exclude<DeserializationOutcome, Decoded>): string {
  return outcome.status === "unavailable" ? outcome.error.text : outcome.description;
}

function changedReader({ expected }: GoldenMessage, { report }: Decoded): Failure[] {
  const was = reader(expected);
  const is = reader(report);
  return was === is ? [] : [{ kind: "changed-reader", text: `previously read as ${was}, now as ${is}.` }];
}

type Reader = Pick<Decoded["report"], "serializer" | "messageType" | "messageVersion">;

function reader({ serializer, messageType: type, messageVersion: version }: Reader): string {
  return `${serializer ?? "no serializer"}${type === undefined ? "" : ` of ${type} version ${version}`}`;
}

async function changedValue(pipeline: Pipeline, golden: GoldenMessage, outcome: Decoded): Promise<Failure[]> {
  const asOfCapture = await outcomeAtCapture(pipeline, golden, outcome);
  if (asOfCapture === undefined) return [];
  if (asOfCapture.status !== "decoded") return [{ kind: "changed-value", text: reasonOf(asOfCapture) }];
  const paths = differingPaths(golden.expected.value, toPortableValue(asOfCapture.body));
  return paths.length === 0 ? [] : [{ kind: "changed-value", text: `differs at ${paths.join(", ")}.` }];
}

/** The message read as of the version that was current at capture; undefined when the upcast path no longer passes that version. */
async function outcomeAtCapture(
  pipeline: Pipeline,
  { message, expected }: GoldenMessage,
  outcome: Decoded,
): Promise<DeserializationOutcome | undefined> {
  const { valueVersion } = expected;
  const type = pipeline.messageTypes.find(({ name }) => name === outcome.report.messageType);
  if (type === undefined || valueVersion === undefined || type.version === valueVersion) return outcome;
  const typeAtCapture = typeAsOf(type, valueVersion);
  if (!typeAtCapture?.versions.some(({ version }) => version === outcome.report.messageVersion))
    return undefined;
  const narrow = narrowPipeline(pipeline, pipeline.serializers, typeAtCapture);
  return await narrow.deserialize(message, asRead(outcome.report));
}

async function newAmbiguity(
  pipeline: Pipeline,
  { message, expected }: GoldenMessage,
  { report }: Decoded,
): Promise<Failure[]> {
  const type = pipeline.messageTypes.find(({ name }) => name === report.messageType);
  const accepting = await acceptedBy(pipeline, message, type);
  const added = accepting.filter(
    (name) => name !== expected.serializer && !expected.acceptedBy.includes(name),
  );
  if (added.length === 0) return [];
  return [
    { kind: "new-ambiguity", text: `without a content type ${added.join(" and ")} would read it now.` },
  ];
}
