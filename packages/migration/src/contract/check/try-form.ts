import type { DeserializationOutcome, EncodedMessage, MessageType, Pipeline } from "@waybill/core";
import { WaybillError } from "@waybill/core";
import { decisiveAttempt } from "@waybill/core/pipeline";
import { narrowPipeline, typeAsOf } from "../../golden/narrow-pipeline.js";
import type { ContractVersion, WrittenForm } from "../model/contract.js";
import { type AvroType, avroTypeOf } from "../structure/avro-type.js";
import type { TypeOfService } from "../structure/form-obstacles.js";
import { protobufTypeOf } from "../structure/protobuf-type.js";
import type { Candidates } from "./candidates.js";
import { compareAvro, comparePlain, compareProtobuf, type Difference } from "./compare-read.js";
import { type Registered, rebuiltPipeline, type Workshop } from "./rebuilt-side.js";

/** The search for a value that the writer writes and the reader does not read. */
export interface Trial {
  /** How many values were written and read. */
  readonly tried: number;
  /** The smallest value that fails. */
  readonly counterexample?: Counterexample | undefined;
  /** Why no value was tried. */
  readonly note?: string | undefined;
}

/** A value that the writer writes, and the reader does not read, or reads as something else. */
export interface Counterexample {
  readonly value: unknown;
  /** Where reading ends: a stage of the pipeline, `"compare"` for a value that changes, `"start"` if the reader does not even start. */
  readonly stage: string;
  /** A reason code, or `"changed"`. */
  readonly reason: string;
  /** One sentence. */
  readonly text: string;
  /** The message as it is on the wire; undefined if the reader does not start, or the writer does not write it. */
  readonly message?: EncodedMessage | undefined;
}

/** One side of a trial: a service with its own pipeline, or one that is rebuilt from its contract. */
export interface SideOfTrial extends TypeOfService {
  readonly pipeline?: Pipeline | undefined;
}

/** What a trial is about. */
export interface TrialOptions {
  readonly workshop: Workshop;
  readonly writesOnlyDeclared: boolean;
  readonly candidates: Candidates;
}

/** Writes values as one side and reads them as the other, until one fails. */
export async function tryForm(
  writer: SideOfTrial,
  reader: SideOfTrial,
  form: WrittenForm,
  options: TrialOptions,
): Promise<Trial> {
  const version = versionOf(writer, form.version);
  if (version === undefined) return { tried: 0, note: "the contract does not describe the version" };
  // A pipeline writes older versions with its downcasters, from values of the current one.
  const isDowncast = writer.pipeline !== undefined && form.version !== writer.type.version;
  const source = isDowncast ? versionOf(writer, writer.type.version) : version;
  const candidates = await options.candidates.of({
    ...options,
    version: source ?? version,
    serializer: form.serializer,
    reader: versionOf(reader, form.version),
  });
  if (candidates.length === 0) return { tried: 0, note: "there is no schema from which values can be made" };
  const write = writerOf(writer, version, form, options.workshop);
  if (typeof write === "string") return { tried: 0, note: write };
  const read = readerSide(
    reader,
    form,
    registeredBy(version),
    options.workshop,
    isDowncast ? undefined : version,
  );
  if ("counterexample" in read)
    return { tried: 1, counterexample: { ...read.counterexample, value: candidates[0] } };
  let tried = 0;
  for (const value of candidates) {
    if (isDowncast && !(await isWritable(writer, value))) continue;
    const message = await write(value);
    if (message instanceof WaybillError && isDowncast)
      return { tried: tried + 1, counterexample: unwritable(value, message) };
    if (message instanceof WaybillError) continue;
    tried++;
    const failure = await read.try(message, value);
    if (failure !== undefined) return { tried, counterexample: { value, message, ...failure } };
  }
  return tried === 0 ? { tried, note: "the writer writes none of the values that were made" } : { tried };
}

function versionOf({ type }: TypeOfService, version: number): ContractVersion | undefined {
  return type.versions.find((each) => each.version === version);
}

function registeredBy(version: ContractVersion): Registered {
  return Object.values(version.schemas).filter(({ language }) => language === "avro");
}

/** Whether an application can send a value at all, in the current version. */
async function isWritable({ pipeline, type }: SideOfTrial, body: unknown): Promise<boolean> {
  try {
    await pipeline?.serialize({ subject: type.name, body }, { bodyTransforms: false, readBack: false });
    return true;
  } catch {
    return false;
  }
}

function unwritable(value: unknown, error: WaybillError): Counterexample {
  return { value, stage: "downcast", reason: error.code, text: `It cannot be written: ${error.text}` };
}

type Write = (value: unknown) => Promise<EncodedMessage | WaybillError>;

function writerOf(
  writer: SideOfTrial,
  version: ContractVersion,
  form: WrittenForm,
  workshop: Workshop,
): Write | string {
  const { type } = writer;
  let { pipeline } = writer;
  const writeAs = pipeline === undefined ? undefined : form;
  try {
    pipeline ??= rebuiltPipeline(workshop, writer, version, form.serializer, []);
  } catch (error) {
    return `the writer cannot be made from its contract: ${(error as Error).message}`;
  }
  const by = pipeline;
  return async (body) => {
    try {
      return await by.serialize(
        { subject: type.name, body },
        { writeAs, bodyTransforms: false, readBack: false },
      );
    } catch (error) {
      if (error instanceof WaybillError) return error;
      throw error;
    }
  };
}

/** Reads a message and compares it with what was written. */
interface Read {
  try(
    message: EncodedMessage,
    value: unknown,
  ): Promise<Omit<Counterexample, "value" | "message"> | undefined>;
}

function readerSide(
  reader: SideOfTrial,
  form: WrittenForm,
  registered: Registered,
  workshop: Workshop,
  written: ContractVersion | undefined,
): Read | { readonly counterexample: Omit<Counterexample, "value"> } {
  const version = versionOf(reader, form.version);
  let atVersion: Pipeline | undefined;
  try {
    atVersion =
      reader.pipeline === undefined
        ? version && rebuiltPipeline(workshop, reader, version, mainFor(reader, form), registered)
        : withoutConverters(reader.pipeline, reader, form.version);
  } catch (error) {
    return {
      counterexample: {
        stage: "start",
        reason: "configuration-invalid",
        text: `The reader does not start: ${(error as Error).message}`,
      },
    };
  }
  const whole = reader.pipeline ?? atVersion;
  if (whole === undefined)
    return {
      counterexample: {
        stage: "select",
        reason: "UnknownMessageVersion",
        text: `${reader.contract.service} does not know version ${form.version}.`,
      },
    };
  const compare =
    written === undefined || version === undefined
      ? undefined
      : comparisonOf(written, version, form.serializer);
  return {
    async try(message, value) {
      const outcome = await whole.deserialize(message, { bodyTransforms: false });
      if (outcome.status !== "decoded") return failureOf(outcome);
      if (atVersion === undefined || compare === undefined) return undefined;
      const plain =
        atVersion === whole ? outcome : await atVersion.deserialize(message, { bodyTransforms: false });
      if (plain.status !== "decoded") return undefined;
      const difference = compare(value, plain.body);
      return (
        difference && {
          stage: "compare",
          reason: "changed",
          text: `At ${difference.path === "" ? "the root" : difference.path} ${difference.text}.`,
        }
      );
    },
  };
}

function mainFor({ contract }: TypeOfService, { serializer }: WrittenForm): string {
  return (
    contract.serializers.find(({ name }) => name === serializer)?.name ?? contract.serializers[0]?.name ?? ""
  );
}

/** The reader's pipeline without upcasters, and without schemas that change values: what its serializer delivers. */
function withoutConverters(
  pipeline: Pipeline,
  { type }: TypeOfService,
  version: number,
): Pipeline | undefined {
  const own = pipeline.messageTypes.find(({ name }) => name === type.name);
  const narrow = own && typeAsOf(own, version);
  if (narrow === undefined) return undefined;
  const bare: MessageType = {
    ...narrow,
    versions: narrow.versions.map((each) => ({ ...each, check: undefined, bodySchema: undefined })),
  };
  return narrowPipeline(pipeline, pipeline.serializers, bare);
}

function failureOf(
  outcome: Exclude<DeserializationOutcome, { status: "decoded" }>,
): Omit<Counterexample, "value"> {
  const attempt = decisiveAttempt(outcome.report);
  if (outcome.status === "unavailable")
    return { stage: attempt?.stage ?? "decode", reason: "unavailable", text: outcome.error.text };
  return {
    stage: attempt?.stage ?? "select",
    reason: attempt?.reason ?? outcome.reason,
    text: attempt?.detail ?? outcome.description,
  };
}

function comparisonOf(
  writer: ContractVersion,
  reader: ContractVersion,
  serializer: string,
): ((written: unknown, read: unknown) => Difference) | undefined {
  const [written, read] = [writer.schemas[serializer], reader.schemas[serializer]];
  if (written?.language === "protobuf" && read?.language === "protobuf") {
    const [one, other] = [protobufTypeOf(written.schema), protobufTypeOf(read.schema)];
    return (value, body) => compareProtobuf(value, body, one, other);
  }
  if (written?.language === "avro" && read?.language === "avro") {
    const fallbacks = enumDefaults(avroTypeOf((read.schema as { readonly schema: unknown }).schema));
    return (value, body) => compareAvro(value, body, fallbacks);
  }
  return serializer === "json" || serializer === "msgpack" || serializer === "cbor"
    ? comparePlain
    : undefined;
}

/** The symbols that stand for those that a reader does not know. */
function enumDefaults(type: AvroType, seen = new Set<AvroType>()): ReadonlySet<string | undefined> {
  if (seen.has(type)) return new Set();
  seen.add(type);
  const inner = innerTypes(type).flatMap((each) => [...enumDefaults(each, seen)]);
  return new Set([...inner, ...(type.kind === "enum" ? [type.default] : [])]);
}

function innerTypes(type: AvroType): readonly AvroType[] {
  switch (type.kind) {
    case "array":
      return [type.items];
    case "map":
      return [type.values];
    case "union":
      return type.branches;
    case "record":
      return type.fields.map((field) => field.type);
    default:
      return [];
  }
}
