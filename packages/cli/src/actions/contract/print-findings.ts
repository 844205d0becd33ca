import { type ContractFinding, describeFinding } from "@waybill/migration/contract";
import { toPortableValue } from "@waybill/migration/tools";
import { printable } from "../../output/printable.js";
import type { Terminal } from "../../output/terminal.js";

/** Prints a finding for people: what fails, the evidence, and what to do. */
export function printFinding(terminal: Terminal, finding: ContractFinding): void {
  const { red, yellow, bold } = terminal.colors;
  const { title, evidence, advice } = describeFinding(finding);
  const mark = finding.verdict === "incompatible" ? red("incompatible") : yellow("not decided");
  terminal.line(`${mark}: ${bold(printable(title))}`);
  for (const line of evidence) terminal.line(`  ${printable(line)}`);
  if (advice !== undefined) terminal.line(`  → ${printable(advice)}`);
  terminal.line();
}

/** A finding whose value and message can be written as JSON. */
export function findingForJson(finding: ContractFinding): unknown {
  const { counterexample } = finding.trial;
  if (counterexample === undefined) return finding;
  const { value, message, ...rest } = counterexample;
  const body =
    message?.body instanceof Uint8Array
      ? { contentType: message.contentType, body: message.body }
      : undefined;
  return {
    ...finding,
    trial: { ...finding.trial, counterexample: { ...rest, value: toPortableValue(value), message: body } },
  };
}
