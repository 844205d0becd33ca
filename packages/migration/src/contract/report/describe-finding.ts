import { toPortableValue } from "../../golden/portable-value.js";
import type { ContractFinding } from "../check/check-contract.js";

/** A finding for people. */
export interface DescribedFinding {
  /** One sentence without a full stop: who does not read what. */
  readonly title: string;
  /** The evidence, one line each. */
  readonly evidence: readonly string[];
  /** What to do about it; undefined for what is compatible. */
  readonly advice: string | undefined;
}

/** Values longer than this are cut off: the file of a golden message has all of it. */
const maxValueLength = 400;

/** Says in words what was found. */
export function describeFinding(finding: ContractFinding): DescribedFinding {
  const { verdict, trial, obstacles } = finding;
  const { counterexample, tried, note } = trial;
  const evidence = [
    ...obstacles.map(({ path, text }) => `by the schemas: ${path === "" ? "" : `${path}: `}${text}`),
    ...(counterexample === undefined
      ? [`by values: ${note ?? `${tried} were read as they were written`}`]
      : [
          `by values: ${valueText(counterexample.value)} is written, and fails at the stage ${counterexample.stage} (${counterexample.reason})`,
          counterexample.text,
        ]),
  ];
  return {
    title: titleOf(finding),
    evidence,
    advice: verdict === "compatible" ? undefined : adviceFor(finding),
  };
}

function titleOf({
  messageType,
  version,
  serializer,
  direction,
  baseline,
  writer,
  reader,
  verdict,
}: ContractFinding): string {
  const what = `"${messageType}" version ${version} in ${serializer}`;
  const verb = { compatible: "reads", incompatible: "does not read", "not-decided": "may not read" }[verdict];
  if (direction === "within") return `${reader}, as it is now, ${verb} its own messages ${what}`;
  if (direction === "backward")
    return `${reader}, as it is now, ${verb} ${what} as ${writer} (${baseline}) wrote it`;
  return `${reader} (${baseline}) ${verb} ${what} as ${writer} writes it now`;
}

function adviceFor({ verdict, direction, obstacles, version }: ContractFinding): string {
  if (verdict === "not-decided")
    return "Nothing was proved either way. Give both sides schemas that can be compared, keep a golden message of the case, or accept it with --allow-undecided.";
  if (direction === "within")
    return `Messages of version ${version} may wait in queues. Mend the upcaster or downcaster, or the schema, until the chain reads them.`;
  if (direction === "backward")
    return "Messages of the baseline may wait in queues, scheduled or deferred. Give the change a new version with an upcaster, or make it one that old messages fit: a default, an optional property.";
  const isNewVersion = obstacles.some(({ text }) => text.includes("does not know version"));
  return isNewVersion
    ? "Deploy the readers first: add the version to them while the old one is written, then raise what is written with a write plan."
    : "Running readers would dead-letter these messages. Give the change a new version, deploy it to the readers first, and keep writing the old version with a write plan until they all have it.";
}

/** A value in one line, as JSON with tags for what JSON cannot express. */
function valueText(value: unknown): string {
  const text = JSON.stringify(toPortableValue(value));
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
