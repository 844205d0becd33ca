import type { ContractCheck } from "../check/check-contract.js";
import { describeFinding } from "./describe-finding.js";

/**
 * The findings as workflow commands of GitHub Actions, one line each: errors for what is incompatible, warnings for what is not decided. `file` is the
 * contract file at which they are shown. Source: docs.github.com, Workflow commands.
 */
export function toGitHubAnnotations({ findings }: ContractCheck, file: string): string {
  return findings
    .filter(({ verdict }) => verdict !== "compatible")
    .map((finding) => {
      const { title, evidence, advice } = describeFinding(finding);
      const level = finding.verdict === "incompatible" ? "error" : "warning";
      const text = [...evidence, advice ?? ""].join("\n");
      return `::${level} file=${property(file)},title=${property(title)}::${data(text)}\n`;
    })
    .join("");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
