import { Option } from "commander";
import { brokerCommand, repeatable } from "../common-options.js";
import type { WaybillCommand } from "../waybill-command.js";

/** `waybill contract check`: compares the chain with earlier contracts. */
export function checkCommand(): WaybillCommand {
  return brokerCommand("check")
    .summary("find what readers could not read")
    .description(
      "Compares the message types of the chain with those of earlier contracts, version by version and format by format: by their schemas, and by values that the one " +
        "side writes and the other reads through its chain. Says compatible only with a proof, incompatible with the smallest value that fails, and otherwise not decided.",
    )
    .argument("[file]", "the contract file; default: waybill.contract.json")
    .option(
      "--against <file or revision>",
      "another contract file, an AsyncAPI document in JSON, or a git revision of the contract file; can be repeated; default: the contract file as it is",
      repeatable(String),
    )
    .option("--transitive", "compare with every revision of the contract file in git")
    .option("--registry", "compare with every schema in the registry of waybill.config.ts")
    .option("--beacons <queue>", "compare with the live readers that announce themselves in a queue")
    .addOption(
      new Option(
        "--mode <mode>",
        "backward: the chain reads what was written; forward: earlier readers read what it writes; default: full, both",
      ).choices(["backward", "forward", "full"]),
    )
    .option(
      "--declared-properties",
      "writers write only properties that their JSON Schemas name, also where additionalProperties allows others",
    )
    .option("--allow-undecided", "exit with 0 if nothing is incompatible, although something is not decided")
    .addOption(
      new Option(
        "--format <format>",
        "text, json, github for annotations of a workflow, or sarif for code scanning; default: as --json says",
      ).choices(["text", "json", "github", "sarif"]),
    )
    .option("--keep-golden <directory>", "keep each message that fails as a golden message")
    .examples(`
  waybill contract check
  waybill contract check --against origin/main --format github
  waybill contract check --transitive --mode backward
  waybill contract check --against ../billing/waybill.contract.json --keep-golden test/golden

Exits with 1 when something is incompatible or not decided.`)
    .runs(async () => (await import("../../actions/contract/check.js")).check);
}
