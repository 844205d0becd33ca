import type { Log, ReportingDescriptor, Result } from "sarif";
import type { ContractCheck, ContractFinding } from "../check/check-contract.js";
import { describeFinding } from "./describe-finding.js";

const rules: readonly ReportingDescriptor[] = [
  { id: "backward", shortDescription: { text: "This commit reads what was written before it" } },
  { id: "forward", shortDescription: { text: "Running readers read what this commit writes" } },
  { id: "within", shortDescription: { text: "This commit reads every version that it says it reads" } },
];

/**
 * The findings as a SARIF log, for code scanning: errors for what is incompatible, warnings for what is not decided. `file` is the contract file at which
 * they are shown. Source: SARIF 2.1.0.
 */
export function toSarif({ findings }: ContractCheck, file: string): Log {
  return {
    version: "2.1.0",
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    runs: [
      {
        tool: { driver: { name: "waybill contract check", rules: [...rules] } },
        results: findings
          .filter(({ verdict }) => verdict !== "compatible")
          .map((finding) => resultOf(finding, file)),
      },
    ],
  };
}

function resultOf(finding: ContractFinding, file: string): Result {
  const { messageType, version, serializer, direction, baseline, verdict } = finding;
  const { title, evidence, advice } = describeFinding(finding);
  return {
    ruleId: direction,
    level: verdict === "incompatible" ? "error" : "warning",
    message: { text: [`${title}.`, ...evidence, advice ?? ""].join("\n") },
    locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 1 } } }],
    partialFingerprints: { finding: [direction, baseline ?? "", messageType, version, serializer].join("/") },
  };
}
