import { Checker, type ContractFinding } from "../check/check-contract.js";
import type { Contract, ContractType, WrittenForm } from "../model/contract.js";

/** One deployment of a change. */
export interface DeploymentStep {
  /** What to do, as a sentence. */
  readonly action: string;
  /** What it may break, one line each; empty: nothing that the schemas show. */
  readonly risks: readonly string[];
  /** What to go back to if something is wrong. */
  readonly rollBack: string;
}

/** The order of deployments for a change. */
export interface DeploymentPlan {
  readonly service: string;
  readonly steps: readonly DeploymentStep[];
}

/**
 * Plans the deployments that lead from one contract to another: readers first, then what is written, then what is no longer read. The risks are those
 * that the schemas show; `checkContract` tries values as well.
 */
export async function planDeployment(
  before: Contract,
  after: Contract,
  writesOnlyDeclared = false,
): Promise<DeploymentPlan> {
  const checker = new Checker(undefined, writesOnlyDeclared);
  const backward = await checker.compare(
    { contract: before },
    { contract: withAllVersions(before, after) },
    "backward",
    "before",
  );
  const forward = await checker.compare({ contract: after }, { contract: before }, "forward", "before");
  const retired = retiredForms(before, after);
  const changed = changedWrites(before, after);
  const steps: DeploymentStep[] = [
    {
      action: `Deploy the readers of ${after.service} with the new contract. ${changed.length === 0 ? "What is written stays the same." : "Keep writing as before: a write plan at 0 %."}`,
      risks: risksOf(backward),
      rollBack: `${before.service} as before: nothing new was written yet.`,
    },
  ];
  for (const { type, from, to } of changed) {
    const risks = risksOf(
      forward.filter(
        ({ messageType, version, serializer }) =>
          messageType === type && version === to.version && serializer === to.serializer,
      ),
    );
    steps.push({
      action: `Raise the write plan of "${type}" from ${formText(from)} to ${formText(to)}, once every instance of the readers announces that it reads it.`,
      risks: risks.map((risk) => `while one reader runs as before: ${risk}`),
      rollBack: `The write plan at 0 %. Keep the readers: messages in ${formText(to)} are out there.`,
    });
  }
  for (const { type, form } of retired)
    steps.push({
      action: `Stop reading "${type}" in ${formText(form)}, once waybill verdict says yes.`,
      risks: [`messages of it that still wait are dead-lettered`],
      rollBack: "The contract before this step: it still reads them.",
    });
  return { service: after.service, steps };
}

/** The readers of the first step still read what is retired in the last. */
function withAllVersions(before: Contract, after: Contract): Contract {
  const messageTypes = after.messageTypes.map((type) => {
    const earlier = before.messageTypes.find(({ name }) => name === type.name);
    const known = new Set(type.versions.map(({ version }) => version));
    const kept = earlier?.versions.filter(({ version }) => !known.has(version)) ?? [];
    return { ...type, versions: [...kept, ...type.versions] };
  });
  const names = new Set(after.serializers.map(({ name }) => name));
  return {
    ...after,
    serializers: [...after.serializers, ...before.serializers.filter(({ name }) => !names.has(name))],
    messageTypes,
  };
}

function changedWrites(before: Contract, after: Contract) {
  return after.messageTypes.flatMap((type) => {
    const earlier = before.messageTypes.find(({ name }) => name === type.name);
    const [from] = earlier?.writes ?? [];
    if (from === undefined || earlier === undefined) return [];
    return type.writes
      .filter(
        (to) => !earlier.writes.some((each) => isSameForm(each, to)) || hasOtherSchema(earlier, type, to),
      )
      .map((to) => ({ type: type.name, from, to }));
  });
}

function hasOtherSchema(
  before: ContractType,
  after: ContractType,
  { version, serializer }: WrittenForm,
): boolean {
  const fingerprint = (type: ContractType) => {
    const found = type.versions.find((each) => each.version === version);
    return [found?.schemas[serializer]?.fingerprint, found?.body?.fingerprint].join();
  };
  return fingerprint(before) !== fingerprint(after);
}

function retiredForms(before: Contract, after: Contract) {
  const names = new Set(after.serializers.map(({ name }) => name));
  return before.messageTypes.flatMap((type) => {
    const later = after.messageTypes.find(({ name }) => name === type.name);
    const gone = type.versions.filter(
      ({ version }) => later !== undefined && !later.versions.some((each) => each.version === version),
    );
    const lost = type.writes.filter(({ serializer }) => !names.has(serializer));
    const forms = [
      ...gone.map(({ version }) => ({ version, serializer: type.writes[0]?.serializer ?? "" })),
      ...lost,
    ];
    return forms.map((form) => ({ type: type.name, form }));
  });
}

function risksOf(findings: readonly ContractFinding[]): readonly string[] {
  return findings.flatMap(({ messageType, version, serializer, obstacles }) =>
    obstacles.map(
      ({ path, text }) =>
        `"${messageType}" version ${version} in ${serializer}: ${path === "" ? "" : `${path}: `}${text}`,
    ),
  );
}

function isSameForm(one: WrittenForm, other: WrittenForm): boolean {
  return one.version === other.version && one.serializer === other.serializer;
}

function formText({ version, serializer }: WrittenForm): string {
  return `version ${version} in ${serializer}`;
}

/** The plan as a picture for Markdown: a mermaid flowchart. */
export function planAsMermaid({ steps }: DeploymentPlan): string {
  const quoted = (text: string) => `"${text.replaceAll('"', "'").replaceAll("%", "#37;")}"`;
  const lines = steps.flatMap(({ action, risks, rollBack }, index) => [
    `  step${index + 1}[${quoted(`${index + 1}. ${action}`)}]`,
    ...(index === 0 ? [] : [`  step${index} --> step${index + 1}`]),
    `  step${index + 1} -.->|roll back| back${index + 1}[${quoted(rollBack)}]`,
    ...(risks.length === 0
      ? []
      : [`  step${index + 1} --- risk${index + 1}{{${quoted(risks.join("<br>"))}}}`]),
  ]);
  return `flowchart TD\n${lines.join("\n")}\n`;
}
